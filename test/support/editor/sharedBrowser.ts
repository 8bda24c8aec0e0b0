import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { OneBrowser } from './browser.ts';

/** How long the browser stays open for the next suite. */
const KEPT_MS = 2_000;

/** One suite's share of the browser. Its contexts share nothing with those of other suites. */
export interface SharedBrowser {
  newContext(options?: BrowserContextOptions): Promise<BrowserContext>;
  /** In a context of its own, which closes with it. */
  newPage(): Promise<Page>;
  /** Closes what this suite opened. */
  close(): Promise<void>;
}

const one = new OneBrowser();
let suites = 0;
let end: NodeJS.Timeout | undefined;

/** Shares one browser among all suites of a process, because starting one takes as long as several tests. */
export async function shareBrowser(): Promise<SharedBrowser> {
  clearTimeout(end);
  const { browser } = await one.open();
  suites += 1;
  const contexts = new Set<BrowserContext>();
  const keep = (it: BrowserContext) => contexts.add(it) && it.once('close', () => contexts.delete(it));
  return {
    async newContext(options) {
      const context = await browser.newContext(options);
      keep(context);
      return context;
    },
    async newPage() {
      const page = await browser.newPage();
      keep(page.context());
      return page;
    },
    async close() {
      await Promise.all([...contexts].map((it) => it.close()));
      suites -= 1;
      if (suites === 0) end = setTimeout(() => void one.end('close'), KEPT_MS).unref();
    },
  };
}
