import type { Page } from 'playwright-core';

/**
 * Leaves what a page shows for `blank`, an address of the same origin, and forgets what the origin stored. The process of
 * the page stays, with the scripts that it has compiled.
 */
export async function emptyPage(page: Page, blank: string): Promise<void> {
  await page.goto(blank);
  const context = page.context();
  await context.unrouteAll();
  for (const it of context.pages()) if (it !== page) await it.close();
  await page.mouse.move(0, 0);
  await page.evaluate(() => sessionStorage.clear());
  const session = await context.newCDPSession(page);
  await session.send('Storage.clearDataForOrigin', { origin: new URL(blank).origin, storageTypes: 'all' });
  await session.detach();
}
