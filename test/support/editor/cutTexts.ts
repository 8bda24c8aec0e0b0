import type { Page } from 'playwright-core';

const labels = 'button, [role=button], [role=tab], h1, h2, h3, label, .chip, .badge, .pill, .picker-label, nav a';

/**
 * What of a page has a text that does not fit and is not told in another way, by that text.
 * @param selector of what is looked at; without it buttons, headings, tabs and chips
 */
export function cutTexts(page: Page, selector = labels): Promise<string[]> {
  return page.evaluate((wanted) => {
    const found: string[] = [];
    const scrolls = (it: Element) => /auto|scroll/.test(getComputedStyle(it).overflowX);
    for (const it of document.querySelectorAll<HTMLElement>(wanted)) {
      const text = it.textContent.trim();
      if (text === '' || it.offsetParent === null || it.closest('.hidden')) continue;
      // A piece of text that can be scrolled to is not lost.
      let around: Element | null = it;
      while (around && !scrolls(around)) around = around.parentElement;
      const isInScroller = around !== null && around.scrollWidth > around.clientWidth;
      // An inline element has no width of its own.
      const isCut = it.clientWidth > 0 && it.scrollWidth > it.clientWidth + 1;
      const box = it.getBoundingClientRect();
      const isOutside = box.right > window.innerWidth + 1 || box.left < -1;
      // A whole text in the hint is what a person sees on a hover.
      const isTold = it.closest('[title]')?.getAttribute('title')?.includes(text) === true;
      if ((isCut || isOutside) && !isTold && !isInScroller)
        found.push(`${document.location.search} ${it.tagName} ${text}`);
    }
    return found;
  }, selector);
}
