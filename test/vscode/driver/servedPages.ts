import type { Browser, Page } from 'playwright-core';
import { OneBrowser } from '../../support/editor/browser.ts';
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

const free: Page[] = [];
const one = new OneBrowser(() => {
  free.length = 0;
});

/** One for all suites of a run. */
export async function browserOfSuites(): Promise<Browser> {
  return (await one.open()).browser;
}

/**
 * An empty page for a window of a served editor. Each has its own storage, as windows of two browsers have. One that is free
 * again is taken first: its process keeps the compiled workbench, and opens the next window in two thirds of the time of a
 * new process.
 */
export async function takePage(viewport: Size): Promise<Page> {
  const used = free.pop();
  if (used) {
    await used.setViewportSize(viewport);
    await used.emulateMedia({ colorScheme: null, contrast: null, forcedColors: null });
    return used;
  }
  // Without a GPU, the processor draws each frame of an animation.
  const context = await (await browserOfSuites()).newContext({ viewport, reducedMotion: 'reduce' });
  await context.addInitScript(rest, still);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  return context.newPage();
}

/**
 * Leaves the window that a page shows, whose server still runs. A page that cannot be emptied is closed.
 * @param blank an address of the same origin that is no window
 */
export async function leavePage(page: Page, blank: string): Promise<void> {
  try {
    await emptyPage(page, blank);
    free.push(page);
  } catch (thrown) {
    process.stderr.write(`the next window gets a new page: ${String(thrown)}\n`);
    await page.context().close();
  }
}

/** Ends it with all pages, without a goodbye. The next page opens in a new one. */
export async function killBrowser(): Promise<void> {
  await one.end('kill');
}

/** For the end of a run. */
export async function closeBrowser(): Promise<void> {
  await one.end('close');
}
