import type { ElementHandle, Locator, Page } from 'playwright-core';
import { until } from './until.ts';

/** Long enough for a place that is drawn anew; what was in vain is tried again on what is drawn then. */
const TRY_MS = 5_000;

/**
 * Writes into this field alone, once it takes text: Playwright's `fill` types into whatever has the focus, which an editor
 * that opens at the same time takes.
 */
export async function write(field: Locator, text: string, limitMs = 30_000): Promise<void> {
  const timeout = Math.min(limitMs, TRY_MS);
  await until(
    `"${text}" is written into ${String(field)}`,
    async () => {
      await field.waitFor({ timeout }); // one that is hidden is emptied as it shows
      if (!(await field.isEditable({ timeout }))) return false;
      await field.evaluate(
        (it: HTMLInputElement | HTMLTextAreaElement, value) => {
          it.value = value;
          it.dispatchEvent(new Event('input', { bubbles: true }));
        },
        text,
        { timeout },
      );
      return true;
    },
    limitMs,
  );
}

/** Presses a key in a place, which gets the focus for it: again where something took the focus before the key came. */
export async function pressKey(place: Locator, key: string): Promise<void> {
  await until(`${key} reaches ${String(place)}`, () => pressKeyOnce(place, key));
}

/** @returns whether the key reached the place. One that cannot have the focus gets no key: it would go elsewhere. */
export async function pressKeyOnce(place: Locator, key: string): Promise<boolean> {
  const element = await place.elementHandle({ timeout: TRY_MS });
  await element?.focus();
  return pressWithFocus(place.page(), element, key);
}

/** Presses a key where the focus is, once it is in `place`, as a person without a mouse does. */
export async function pressKeyIn(place: Locator, key: string): Promise<void> {
  await until(`${key} reaches ${String(place)}, which has the focus`, async () =>
    pressWithFocus(place.page(), await place.elementHandle({ timeout: TRY_MS }), key),
  );
}

/**
 * Types one line where the focus is, once it is in `place`: keys that come earlier go elsewhere. Where something took the
 * focus before the last key, what was typed is taken back, and typed anew.
 */
export async function typeIn(place: Locator, text: string): Promise<void> {
  const { keyboard } = place.page();
  let typed = 0;
  await until(`"${text}" is typed in ${String(place)}, which has the focus`, async () => {
    const element = await place.elementHandle({ timeout: TRY_MS });
    if (element === null || !(await hasFocus(element))) return false;
    for (; typed > 0; typed--) await keyboard.press('Backspace');
    typed = await keysIn(element, () => keyboard.type(text));
    return typed >= text.length;
  });
}

type Pressable = ElementHandle<HTMLElement | SVGElement>;

async function pressWithFocus({ keyboard }: Page, element: Pressable | null, key: string): Promise<boolean> {
  if (element === null || !(await hasFocus(element))) return false;
  return (await keysIn(element, () => keyboard.press(key))) > 0;
}

const hasFocus = (element: Pressable) =>
  element.evaluate((it) => it.ownerDocument.hasFocus() && it.contains(it.ownerDocument.activeElement));

/**
 * How many keys of those that `act` presses come to this element or to what it contains. Of a key with modifiers only the key
 * itself counts. A page that went with a key had it.
 */
async function keysIn(element: Pressable, act: () => Promise<void>): Promise<number> {
  const seen = await element.evaluateHandle((it) => {
    const events = { keys: 0 };
    const count = ({ key }: KeyboardEvent) => {
      if (!['Control', 'Shift', 'Alt', 'Meta'].includes(key)) events.keys++;
    };
    it.addEventListener('keydown', count as EventListener, { capture: true });
    return events;
  });
  await act();
  return seen.evaluate((events) => events.keys).catch(() => Number.POSITIVE_INFINITY);
}
