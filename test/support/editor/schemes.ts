import type { Page } from 'playwright-core';

const schemes = ['dark', 'light'] as const;
export type Scheme = (typeof schemes)[number];

/** Where a picture in each of them goes. */
export type PathOf = (scheme: Scheme) => string;

/** Looks at a page in dark and in light. It ends in light, as every page of a test begins. */
export async function inBothSchemes(page: Page, look: (scheme: Scheme) => Promise<void>): Promise<void> {
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme });
    await look(colorScheme);
  }
}
