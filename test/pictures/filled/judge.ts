import type { Page } from 'playwright-core';
import { axeViolations } from '../../support/editor/axe.ts';

/** What records are called, by the IDs under which they are kept. */
export type Names = ReadonlyMap<string, string>;

/** What is wrong with what the page shows: nothing of it depends on who looks. */
export async function faultsOf(page: Page, names: Names): Promise<readonly string[]> {
  return [
    ...(await axeViolations(page)).map((it) => `axe: ${it}`),
    ...(await layoutFaults(page)).map((it) => `layout: ${it}`),
    ...(await rawIds(page, names)).map((it) => `an ID without its name: ${it}`),
  ];
}

/** The page itself scrolls in one direction alone, and no text is cut that is not told in a hint. */
function layoutFaults(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth > clientWidth) found.push(`the page is ${scrollWidth} wide in a window of ${clientWidth}`);
    const isSeen = (it: HTMLElement) => it.checkVisibility() && it.closest('.hidden, .codicon, [inert]') === null;
    for (const it of document.querySelectorAll<HTMLElement>('body *')) {
      const { overflowX, textOverflow } = getComputedStyle(it);
      const text = (it instanceof HTMLInputElement ? it.value : it.textContent).trim();
      if (text === '' || it.clientWidth === 0 || it.scrollWidth <= it.clientWidth + 1 || !isSeen(it)) continue;
      if (textOverflow !== 'ellipsis' && !/hidden|clip/.test(overflowX)) continue;
      const told = it.closest('[title]')?.getAttribute('title') ?? '';
      const first = text.split(/\s{2,}|\n/)[0] ?? '';
      if (!told.includes(first)) found.push(`${it.tagName.toLowerCase()}.${it.className} cuts "${text.slice(0, 80)}"`);
    }
    return found;
  });
}

/** IDs that are seen, where the name that people know is not beside them. */
function rawIds(page: Page, names: Names): Promise<string[]> {
  return page.evaluate(
    (known) => {
      const found = new Set<string>();
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const text = (node.textContent ?? '').trim();
        const around = node.parentElement;
        if (text === '' || !around?.checkVisibility() || around.closest('pre, option, script, style')) continue;
        for (const [id, name] of known) {
          const at = text.indexOf(id);
          if (at < 0 || /\w/.test(text.charAt(at + id.length))) continue;
          // What says that it is an ID may show one.
          const label = around.closest('dd, .copyable')?.previousElementSibling?.textContent ?? '';
          const place = around.closest('td, th, dd, li, tr, header, .copyable') ?? around;
          if (!place.textContent.includes(name) && !/\bID\b|hash|Hash/.test(label))
            found.add(
              `${around.closest('td, th, dd, li, p, h1')?.tagName.toLowerCase() ?? '?'} "${text.slice(0, 70)}" is ${name}`,
            );
        }
      }
      return [...found];
    },
    [...names],
  );
}
