import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { type HeadlessBrowser, launchBrowser } from './browser.ts';

/** How long it waits for the next suite. */
const KEPT_MS = 2_000;

/** What one suite has of the browser. Its contexts share nothing with those of others. */
export interface SharedBrowser {
  newContext(options?: BrowserContextOptions): Promise<BrowserContext>;
  /** In a context of its own, which closes with it. */
  newPage(): Promise<Page>;
  /** Closes what this suite opened. */
  close(): Promise<void>;
}

let browser: Promise<HeadlessBrowser> | undefined;
let suites = 0;
let end: NodeJS.Timeout | undefined;

/** The browser of all suites of a process: to start one takes as long as several tests. */
export async function shareBrowser(): Promise<SharedBrowser> {
  clearTimeout(end);
  const { browser: launched } = await (browser ??= launch());
  suites += 1;
  const contexts = new Set<BrowserContext>();
  const keep = (it: BrowserContext) => contexts.add(it) && it.once('close', () => contexts.delete(it));
  return {
    async newContext(options) {
      const context = await launched.newContext(options);
      keep(context);
      return context;
    },
    async newPage() {
      const page = await launched.newPage();
      keep(page.context());
      return page;
    },
    async close() {
      await Promise.all([...contexts].map((it) => it.close()));
      suites -= 1;
      if (suites === 0) end = setTimeout(() => void closeNow(), KEPT_MS).unref();
    },
  };
}

/** One that crashed, or did not start, is replaced for the next suite. */
function launch(): Promise<HeadlessBrowser> {
  const launched = launchBrowser();
  const forget = () => {
    if (browser === launched) browser = undefined;
  };
  launched.then((it) => it.browser.once('disconnected', forget), forget);
  return launched;
}

async function closeNow(): Promise<void> {
  const closed = browser;
  browser = undefined;
  await (await closed)?.close();
}
