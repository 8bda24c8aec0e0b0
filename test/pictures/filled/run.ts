import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import type { Browser, BrowserContextOptions, Page, Route } from 'playwright-core';
import { projectRoot } from '../../support/cache.ts';
import { launchBrowser } from '../../support/editor/browser.ts';
import { say } from '../../support/say.ts';
import { faultsOf } from './judge.ts';
import { type FilledStage, openFilledStage } from './stage.ts';
import { type Visit, visitsOf } from './visits.ts';

/**
 * `npm run pages -- FOLDER [--calls N] [--looks NAME,NAME] [--again] [words]`: every page of a gateway that has 100 teams, 1,000 keys, 60
 * servers, and a million calls, in a browser: pictures, `<page>-<look>.png`, the time until its first rows are there, and what is wrong with it
 * (axe, a page that scrolls sideways, cut texts, IDs in place of names). Words pick pages by how their names begin. With `--again`,
 * each line of the input that names looks takes them again, of the pages as they are built then: to fill takes minutes. Exit code 1
 * if anything is wrong in the last ones.
 */
interface Look extends BrowserContextOptions {
  readonly name: string;
  readonly isWhole?: boolean;
}

const wide = { width: 1280, height: 800 };
const narrow = { width: 420, height: 860 };
const looks: readonly Look[] = [
  { name: 'light', viewport: wide, colorScheme: 'light' },
  { name: 'dark', viewport: wide, colorScheme: 'dark' },
  { name: 'contrast', viewport: wide, forcedColors: 'active' },
  { name: 'german', viewport: wide, locale: 'de-DE' },
  { name: 'narrow', viewport: narrow, colorScheme: 'light', isWhole: true },
  { name: 'narrow-dark', viewport: narrow, colorScheme: 'dark' },
  { name: 'narrow-german', viewport: narrow, locale: 'de-DE', isWhole: true },
];

const { values, positionals } = parseArgs({
  options: {
    calls: { type: 'string', default: '1000000' },
    looks: { type: 'string', default: '' },
    again: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
const [folder, ...words] = positionals;
const calls = Number(values.calls);
const named = (names: string): readonly Look[] => looks.filter(({ name }) => names.split(',').includes(name));
const wanted = values.looks === '' ? looks : named(values.looks);
if (folder === undefined || !Number.isInteger(calls) || wanted.length === 0) {
  say('usage: npm run pages -- FOLDER [--calls N] [--looks NAME,NAME] [--again] [pages]');
  say(`looks: ${looks.map((it) => it.name).join(', ')}`);
  process.exitCode = 2;
} else process.exitCode = (await lookAtAll(resolve(folder))) ? 0 : 1;

async function lookAtAll(into: string): Promise<boolean> {
  process.chdir(projectRoot);
  if (process.env['SWITCHBOARD_BUILT'] !== '1') {
    const built = spawnSync(process.execPath, ['esbuild.mjs'], { stdio: 'inherit' });
    if (built.status !== 0) return false;
  }
  mkdirSync(into, { recursive: true });
  const started = performance.now();
  const stage = await openFilledStage(calls);
  say(`filled with ${calls} calls in ${((performance.now() - started) / 1_000).toFixed(0)} s`);
  const visits = visitsOf(stage.filled).filter(
    ({ name }) => words.length === 0 || words.some((it) => name.startsWith(it)),
  );
  const browser = await launchBrowser();
  const tour = { stage, browser: browser.browser, visits, into };
  try {
    let isGood = await takeLooks(wanted, tour);
    if (values.again)
      for await (const line of createInterface(process.stdin)) isGood = await takeLooks(named(line), tour);
    return isGood;
  } finally {
    await browser.close();
    await stage.close();
  }
}

/** @returns whether nothing is wrong */
async function takeLooks(chosen: readonly Look[], tour: Tour): Promise<boolean> {
  const faults: string[] = [];
  for (const look of chosen) faults.push(...(await lookAs(look, tour)));
  for (const it of faults) say(`pages: ${it}`);
  const names = chosen.map((it) => it.name).join(', ');
  say(`${tour.visits.length} subjects in ${chosen.length} looks (${names}), ${faults.length} faults`);
  return faults.length === 0;
}

interface Tour {
  readonly stage: FilledStage;
  readonly browser: Browser;
  readonly visits: readonly Visit[];
  readonly into: string;
}

async function lookAs(look: Look, { stage, browser, visits, into }: Tour): Promise<readonly string[]> {
  const { name: lookName, isWhole = false, ...options } = look;
  const context = await browser.newContext(options);
  if (values.again) await context.route(/\/ui\/[\w.-]+\.(?:js|css|json)$/, builtFile);
  const page = await context.newPage();
  const faults: string[] = [];
  const complain = (name: string, it: string) => void faults.push(`${name} (${lookName}): ${it}`);
  await page.goto(`${stage.baseUrl}/ui/?page=help`);
  await page.locator('input[type=password]').fill(stage.adminKey);
  await page.locator('button[type=submit]').click();
  await page.locator('nav.side').waitFor();
  for (const visit of visits) {
    const complaints: string[] = [];
    page.removeAllListeners('pageerror').removeAllListeners('console');
    page.on('pageerror', (it) => complaints.push(it.message));
    page.on('console', (it) => void (it.type() === 'error' && complaints.push(it.text())));
    try {
      const firstMs = await open(page, stage, visit);
      if (lookName === 'light') say(`${visit.name}: first rows after ${firstMs.toFixed(0)} ms`);
      await visit.act?.(page);
      await page.waitForLoadState('networkidle');
      await page.mouse.move(0, 0);
      await page.screenshot({ path: join(into, `${visit.name}-${lookName}.png`), fullPage: isWhole });
      for (const it of await faultsOf(page, stage.names)) complain(visit.name, it);
    } catch (thrown) {
      complain(visit.name, thrown instanceof Error ? thrown.message : String(thrown));
    }
    for (const it of complaints) complain(visit.name, it);
  }
  await context.close();
  return faults;
}

/** A gateway keeps the files of its pages; these are built again while it runs. */
function builtFile(route: Route): Promise<void> {
  const name = basename(new URL(route.request().url()).pathname);
  const folder = name.endsWith('.json') ? join('media', 'l10n') : join('dist', 'media', 'admin');
  return route.fulfill({ path: join(projectRoot, folder, name) });
}

/** @returns milliseconds until the page shows what it is for */
async function open(page: Page, { baseUrl }: FilledStage, { query }: Visit): Promise<number> {
  const started = performance.now();
  await page.goto(`${baseUrl}/ui/?${new URLSearchParams(query).toString()}`);
  await page.locator('main h1').first().waitFor();
  await page.locator('main:not(:has(.skeleton, [aria-busy="true"]))').waitFor({ timeout: 60_000 });
  return performance.now() - started;
}
