import type { Locator } from 'playwright-core';
import { until } from './until.ts';

/** Long enough to be in the way of no click; a press in vain is tried anew on what is drawn then. */
const TRY_MS = 5_000;

/**
 * Clicks what a person clicks, once: what is drawn anew between the press of the button and its release gets no click,
 * and is clicked again.
 */
export async function press(target: Locator): Promise<void> {
  await until(`a click reaches ${String(target)}`, () => pressOnce(target));
}

/** Clicks a button that a row or a view shows under the mouse: again where the mouse was drawn away from it. */
export async function pressUnder(place: Locator, button: Locator): Promise<void> {
  await until(`a click reaches ${String(button)}, which the mouse on ${String(place)} shows`, async () => {
    await place.hover({ timeout: TRY_MS });
    return pressOnce(button);
  });
}

/** Marks a box or a choice: again where the click came to what was drawn before. */
export async function tick(box: Locator): Promise<void> {
  await until(`${String(box)} is marked`, async () => {
    if (!(await box.isChecked({ timeout: TRY_MS }))) await pressOnce(box);
    return box.isChecked({ timeout: TRY_MS });
  });
}

/**
 * Chooses an entry of a menu: again while the menu stays, which ignores the first moments. A menu that closed after the
 * press took the entry, however late it closed, and is not opened again. @param open the menu
 */
export async function chooseEntry(entry: Locator, open: () => Promise<void>): Promise<void> {
  let isPressed = false;
  await until(`${String(entry)} is chosen in its menu`, async () => {
    if (!(await entry.isVisible())) {
      if (isPressed) return true;
      await open();
    }
    try {
      await entry.waitFor({ timeout: 2_000 });
    } catch (thrown) {
      // A menu that opened before its entry was available never shows it, and blocks the next menu.
      await entry.page().keyboard.press('Escape');
      throw thrown;
    }
    if (!(await pressOnce(entry))) return false;
    isPressed = true;
    await entry.waitFor({ state: 'hidden', timeout: 1_000 });
    return true;
  });
}

/**
 * Tries to click. A click that was reported as failed, but that reached its target, counts as a click: a page that is busy
 * afterwards answers too late, and a second click would do the same thing twice.
 *
 * @returns whether the click reached its target @throws where it did not, and why is known
 */
export async function pressOnce(target: Locator, how: { readonly force?: boolean } = {}): Promise<boolean> {
  const element = await target.elementHandle({ timeout: TRY_MS });
  if (!element) return false;
  const seen = await element.evaluateHandle((it) => {
    const events = { click: false, release: false };
    it.addEventListener('click', () => (events.click = true), { capture: true, once: true });
    it.addEventListener('mouseup', () => (events.release = true), { capture: true, once: true });
    return events;
  });
  // A list that closes as the button is released takes the click with it; a page that goes, also this question. What a page
  // of ours drew anew at that moment got no click.
  const isReached = async () => {
    const reached = await seen
      .evaluate((events, it) => {
        if (events.click) return 'click';
        return events.release && it.getClientRects().length === 0 ? 'gone' : undefined;
      }, element)
      .catch(() => 'click');
    if (reached !== 'gone') return reached === 'click';
    const isOurs = (await element.ownerFrame().catch(() => null)) !== target.page().mainFrame();
    return !(isOurs && (await target.isVisible()));
  };
  try {
    await element.click({ timeout: TRY_MS, ...how });
  } catch (thrown) {
    if (await isReached()) return true;
    // The hover of what was clicked before stays as long as the mouse does, and may cover this.
    await target.page().mouse.move(200, 4);
    throw thrown;
  }
  return isReached();
}
