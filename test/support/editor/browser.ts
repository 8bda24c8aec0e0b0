import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { cached, cacheFolder } from '../cache.ts';
import { npm } from '../npm.ts';
import { say } from '../say.ts';

const sparticuz = '@sparticuz/chromium@153.0.0';
const installed = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/usr/bin/google-chrome-stable'];
const quiet = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
];

/**
 * A headless Chromium: `CHROME_PATH`, an installed one, or the one that comes from npm. `SWITCHBOARD_BROWSER=npm` takes
 * the last one whatever is installed. Closing the browser ends its processes.
 */
export async function launchBrowser(): Promise<Browser> {
  const wanted = process.env['SWITCHBOARD_BROWSER'] === 'npm' ? undefined : installedBrowser();
  if (wanted) return chromium.launch({ executablePath: wanted, headless: true, args: quiet });
  if (process.platform !== 'linux') return chromium.launch({ channel: 'chrome', headless: true, args: quiet });
  return await launchDelivered();
}

function installedBrowser(): string | undefined {
  const named = process.env['CHROME_PATH'];
  if (named && !existsSync(named)) throw new Error('CHROME_PATH names a file that is not there');
  return named ?? installed.find((it) => existsSync(it));
}

/** It unpacks itself, its libraries and its fonts into TMPDIR, and would take what lies there already: it gets its own. */
async function launchDelivered(): Promise<Browser> {
  const folder = await cached('chromium', async (partial) => {
    say(`browser: installing a headless Chromium from npm (${sparticuz}, 66 MB, once)`);
    await npm(['install', '--prefix', partial, sparticuz, '--ignore-scripts'], partial);
  });
  mkdirSync(cacheFolder, { recursive: true });
  const temporary = mkdtempSync(join(cacheFolder, 'browser-'));
  process.env['TMPDIR'] = temporary;
  process.env['AWS_LAMBDA_JS_RUNTIME'] = 'nodejs22.x';
  const entry = createRequire(join(folder, 'package.json')).resolve('@sparticuz/chromium');
  const { default: delivered } = (await import(pathToFileURL(entry).href)) as { default: Delivered };
  const executablePath = await delivered.executablePath();
  const browser = await chromium.launch({ executablePath, headless: true, args: [...delivered.args, ...quiet] });
  browser.on('disconnected', () => rmSync(temporary, { recursive: true, force: true }));
  return browser;
}

interface Delivered {
  readonly args: string[];
  executablePath(): Promise<string>;
}
