import { execFile } from 'node:child_process';
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';
import { cached } from '../cache.ts';
import { npm } from '../npm.ts';
import { say } from '../say.ts';
import { endProcess } from './processes.ts';

const sparticuz = '@sparticuz/chromium@153.0.0';
const installed = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
];
const quiet = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
  '--in-process-gpu', // there is no GPU, so the process would only draw in software
  '--num-raster-threads=1',
  // The workbench fills its heap at once: a small one would be collected until it has grown. It ends before the best code pays.
  '--js-flags=--initial-heap-size=400 --min-semi-space-size=16 --no-turbofan',
];

/** For what a page does, on a machine that does much else. */
const PATIENCE_MS = 90_000;

export interface HeadlessBrowser {
  readonly browser: Browser;
  /** Ends it as a power cut would: no page gets to say goodbye. */
  kill(): Promise<void>;
  close(): Promise<void>;
}

/**
 * A headless Chromium: `CHROME_PATH`, an installed one, or the one that comes from npm. `SWITCHBOARD_BROWSER=npm` takes
 * the last one whatever is installed.
 */
export async function launchBrowser(): Promise<HeadlessBrowser> {
  const found = process.env['SWITCHBOARD_BROWSER'] === 'npm' ? undefined : installedBrowser();
  if (found) return start({ executablePath: found, args: quiet });
  if (process.platform !== 'linux') return start({ channel: 'chrome', args: quiet });
  const delivered = await deliveredBrowser();
  return start({
    executablePath: delivered.path,
    args: quiet,
    env: delivered.env,
  });
}

/** One browser for everybody who asks. One that crashed, or did not start, is replaced. */
export class OneBrowser {
  readonly #gone: () => void;
  #launched: Promise<HeadlessBrowser> | undefined;

  /** @param gone called when its pages are gone, however it ended */
  constructor(gone: () => void = () => undefined) {
    this.#gone = gone;
  }

  open(): Promise<HeadlessBrowser> {
    this.#launched ??= this.#launch();
    return this.#launched;
  }

  /** The next one that is opened is new. */
  async end(how: 'kill' | 'close'): Promise<void> {
    const ended = this.#launched;
    this.#launched = undefined;
    this.#gone();
    await (await ended)?.[how]();
  }

  #launch(): Promise<HeadlessBrowser> {
    const launched = launchBrowser();
    const forget = () => {
      if (this.#launched !== launched) return;
      this.#launched = undefined;
      this.#gone();
    };
    launched.then((it) => it.browser.once('disconnected', forget), forget);
    return launched;
  }
}

async function start(options: {
  executablePath?: string;
  channel?: string;
  args: string[];
  env?: NodeJS.ProcessEnv;
}): Promise<HeadlessBrowser> {
  const { env = process.env, ...rest } = options;
  const named = Object.fromEntries(Object.entries(env).filter((it): it is [string, string] => it[1] !== undefined));
  const browser = await chromium.launch({ ...rest, env: named, headless: true });
  browser.on('context', (it) => it.setDefaultTimeout(PATIENCE_MS));
  return { browser, kill: () => kill(browser), close: () => browser.close() };
}

async function kill(browser: Browser): Promise<void> {
  if (!browser.isConnected()) return;
  const gone = new Promise<void>((resolve) => void browser.once('disconnected', () => resolve()));
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  for (const { type, id } of processInfo) if (type === 'browser') endProcess(id);
  await gone;
}

function installedBrowser(): string | undefined {
  const named = process.env['CHROME_PATH'];
  if (named && !existsSync(named)) throw new Error('CHROME_PATH names a file that is not there');
  return named ?? installed.find((it) => existsSync(it));
}

/**
 * It unpacks itself, its libraries and its fonts into TMPDIR and takes what lies there already, whole or not, whoever put it
 * there: it gets a folder of its own, which other processes see when it is whole.
 */
async function deliveredBrowser(): Promise<{ path: string; env: NodeJS.ProcessEnv }> {
  const installed = await cached('chromium', async (partial) => {
    say(`browser: installing a headless Chromium from npm (${sparticuz}, 66 MB, once)`);
    await npm(['install', '--prefix', partial, sparticuz, '--ignore-scripts'], partial);
  });
  const folder = await cached('chromium-unpacked', (partial) => unpack(installed, partial));
  const libraries = [join(folder, 'al2023', 'lib'), process.env['LD_LIBRARY_PATH']].filter(Boolean).join(delimiter);
  return {
    path: join(folder, 'chromium'),
    env: { ...process.env, LD_LIBRARY_PATH: libraries, FONTCONFIG_FILE: writeFontConfig(folder) },
  };
}

/** In a process of its own: it changes the environment of the one that loads it. */
async function unpack(installed: string, folder: string): Promise<void> {
  const entry = createRequire(join(installed, 'package.json')).resolve('@sparticuz/chromium');
  const code = `await (await import(${JSON.stringify(pathToFileURL(entry).href)})).default.executablePath()`;
  const env = { ...process.env, TMPDIR: folder, AWS_LAMBDA_JS_RUNTIME: 'nodejs22.x' };
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], { env });
}

/** Its own font configuration names fixed folders; without a font it ends as soon as a page needs another one. */
function writeFontConfig(unpacked: string): string {
  const file = join(unpacked, 'fonts.conf');
  const folders = `<dir>${join(unpacked, 'fonts')}</dir><cachedir>${join(unpacked, 'fonts-cache')}</cachedir>`;
  const whole = `${file}.${process.pid}`;
  writeFileSync(whole, `<?xml version="1.0"?><fontconfig>${folders}</fontconfig>\n`);
  // Another process may be reading it.
  renameSync(whole, file);
  return file;
}
