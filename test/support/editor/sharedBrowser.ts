import { after } from 'mocha';
import { type HeadlessBrowser, launchBrowser } from './browser.ts';

let shared: HeadlessBrowser | undefined;

/** One browser for all suites of a process. It ends after the last one; a suite closes the contexts that it opened. */
export async function sharedBrowser(): Promise<HeadlessBrowser['browser']> {
  if (!shared?.browser.isConnected()) shared = await launchBrowser();
  return shared.browser;
}

// After all suites: it stands in none.
after(() => shared?.close());
