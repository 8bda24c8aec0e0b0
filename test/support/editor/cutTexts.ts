import type { Page } from 'playwright-core';

/** Buttons, headings, tabs and chips of a page whose text does not fit and is not told in another way, by their text. */
export function cutTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    const selector = 'button, [role=button], [role=tab], h1, h2, h3, label, .chip, .badge, .pill, .picker-label, nav a';
    for (const it of document.querySelectorAll<HTMLElement>(selector)) {
      const text = it.textContent.trim();
      if (text === '' || it.offsetParent === null) continue;
      // An inline element has no width of its own.
      const isCut = it.clientWidth > 0 && it.scrollWidth > it.clientWidth + 1;
      const box = it.getBoundingClientRect();
      const isOutside = box.right > window.innerWidth + 1 || box.left < -1;
      // A whole text in the hint is what a person sees on a hover.
      const isTold = it.closest('[title]')?.getAttribute('title')?.includes(text) === true;
      if ((isCut || isOutside) && !isTold) found.push(`${document.location.search} ${it.tagName} ${text}`);
    }
    return found;
  });
}
