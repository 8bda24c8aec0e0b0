import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { cached } from '../cache.ts';
import { npm } from '../npm.ts';
import { say } from '../say.ts';

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
];

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

async function start(options: {
  executablePath?: string;
  channel?: string;
  args: string[];
  env?: NodeJS.ProcessEnv;
}): Promise<HeadlessBrowser> {
  const { env = process.env, ...rest } = options;
  const named = Object.fromEntries(Object.entries(env).filter((it): it is [string, string] => it[1] !== undefined));
  // Not `localhost`: a bare machine may have no name for it.
  const server = await chromium.launchServer({ ...rest, env: named, headless: true, host: '127.0.0.1' });
  try {
    const browser = await chromium.connect(server.wsEndpoint());
    return { browser, kill: () => server.kill(), close: () => server.close() };
  } catch (thrown) {
    await server.kill();
    throw thrown;
  }
}

function installedBrowser(): string | undefined {
  const named = process.env['CHROME_PATH'];
  if (named && !existsSync(named)) throw new Error('CHROME_PATH names a file that is not there');
  return named ?? installed.find((it) => existsSync(it));
}

/**
 * It unpacks itself, its libraries and its fonts into TMPDIR and takes what lies there already, whoever put it there:
 * it gets a folder of its own, in which it stays unpacked for the next run.
 */
async function deliveredBrowser(): Promise<{ path: string; env: NodeJS.ProcessEnv }> {
  const folder = await cached('chromium', async (partial) => {
    say(`browser: installing a headless Chromium from npm (${sparticuz}, 66 MB, once)`);
    await npm(['install', '--prefix', partial, sparticuz, '--ignore-scripts'], partial);
  });
  const before = process.env['TMPDIR'];
  const own = join(folder, 'unpacked');
  mkdirSync(own, { recursive: true });
  process.env['TMPDIR'] = own;
  process.env['AWS_LAMBDA_JS_RUNTIME'] = 'nodejs22.x';
  const entry = createRequire(join(folder, 'package.json')).resolve('@sparticuz/chromium');
  const { default: delivered } = (await import(pathToFileURL(entry).href)) as { default: Delivered };
  const path = await delivered.executablePath();
  const env = { ...process.env, FONTCONFIG_FILE: writeFontConfig(own) };
  if (before === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = before;
  return { path, env };
}

/** Its own font configuration names fixed folders; without a font it ends as soon as a page needs another one. */
function writeFontConfig(unpacked: string): string {
  const file = join(unpacked, 'fonts.conf');
  const folders = `<dir>${join(unpacked, 'fonts')}</dir><cachedir>${join(unpacked, 'fonts-cache')}</cachedir>`;
  writeFileSync(file, `<?xml version="1.0"?><fontconfig>${folders}</fontconfig>\n`);
  return file;
}

interface Delivered {
  executablePath(): Promise<string>;
}
