import type { Browser, Page } from 'playwright-core';
import { type HeadlessBrowser, launchBrowser } from '../../support/editor/browser.ts';
import { emptyPage } from '../../support/editor/emptyPage.ts';

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Stops what the workbench animates even with reduced motion: progress bars, spinning icons, and scroll bars that fade. */
const still = `
  .monaco-progress-container .progress-bit, .codicon-modifier-spin, .codicon-modifier-spin::before, .wiggle { animation: none !important; }
  .monaco-scrollable-element > .scrollbar { transition: none !important; }
`;

/** Runs in each document before its scripts. */
function rest(styles: string): void {
  if (window !== window.top) return;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  document.adoptedStyleSheets.push(sheet);
}

let browser: HeadlessBrowser | undefined;
let first: { readonly page: Page; isFree: boolean } | undefined;

/** One for all suites of a run. */
export async function browserOfSuites(): Promise<Browser> {
  browser ??= await launchBrowser();
  return browser.browser;
}

/**
 * An empty page for a window of a served editor. Each has its own storage, as windows of two browsers have. The first one is
 * used again as soon as it is free: its process keeps the compiled workbench, and opens the next window in two thirds of the
 * time of a new process.
 */
export async function takePage(viewport: Size): Promise<Page> {
  if (first?.isFree) {
    first.isFree = false;
    await first.page.setViewportSize(viewport);
    return first.page;
  }
  // Without a GPU, the processor draws each frame of an animation.
  const context = await (await browserOfSuites()).newContext({ viewport, reducedMotion: 'reduce' });
  await context.addInitScript(rest, still);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await context.newPage();
  first ??= { page, isFree: false };
  return page;
}

/**
 * Leaves the window that a page shows, whose server still runs. A page that cannot be emptied is closed: the next window
 * gets a new one.
 * @param blank an address of the same origin that is no window
 */
export async function leavePage(page: Page, blank: string): Promise<void> {
  if (page !== first?.page) return page.context().close();
  if (first.isFree) return;
  try {
    await emptyPage(page, blank);
    first.isFree = true;
  } catch (thrown) {
    process.stderr.write(`the page of the suites is opened anew: ${String(thrown)}\n`);
    first = undefined;
    await page.context().close();
  }
}

/** Ends it with all pages, without a goodbye. The next page opens in a new one. */
export async function killBrowser(): Promise<void> {
  const killed = browser;
  browser = undefined;
  first = undefined;
  await killed?.kill();
}

/** For the end of a run. */
export async function closeBrowser(): Promise<void> {
  const closed = browser;
  browser = undefined;
  first = undefined;
  await closed?.close();
}
