import { betweenParts, keptParts } from '../../src/webviews/contract/keptParts.ts';

/**
 * Keeps the style and the script that this page contains in the browser, so that the next page of the chat need not contain them.
 * @returns whether they are kept
 */
export function keepParts(): boolean {
  const [style, script] = ['#style', '#script'].map((it) => document.querySelector(it)?.textContent);
  if (!style || !script) return false;
  try {
    localStorage.setItem(keptParts, `${style}${betweenParts}${script}`);
    return true;
  } catch {
    return false; // The browser keeps nothing, or has no room: the next page gets them in a message, too.
  }
}
