import { isDeepStrictEqual } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import { pressKey, pressKeyOnce, write } from './keys.ts';
import { press, pressOnce } from './press.ts';
import { until, untilSeen } from './until.ts';

/** The one question that stands at the top of a window, as far as it tells from the one before. */
interface Shown {
  readonly title: string;
  readonly placeholder: string;
  /** What it asks for, or why it refused what was typed. */
  readonly message: string;
  readonly value: string;
}

/** The list or input box at the top of a window: what asks there, and what a person answers. */
export class QuickInput {
  readonly #page: Page;
  readonly widget: Locator;
  readonly #field: Locator;

  constructor(page: Page) {
    this.#page = page;
    this.widget = page.locator('.quick-input-widget');
    this.#field = this.widget.locator('.quick-input-box input');
  }

  /** Opens the command palette with `text` typed in. A page that has the focus hands F1 on, at times too late: pressed again. */
  async openPalette(text = ''): Promise<void> {
    await until('the command palette is open', async () => {
      await this.#page.keyboard.press('F1');
      await this.#field.waitFor({ timeout: 1_500 });
      await write(this.#field, `>${text}`, 1_500);
      return true;
    });
  }

  async command(title: string): Promise<void> {
    await until(`"${title}" is chosen in the palette`, async () => {
      await this.openPalette(title);
      return pressOnce(this.#option(title)); // an editor that opens meanwhile takes the focus, and the palette closes
    });
    await this.#isTaken(`>${title}`, (it) => it.value !== `>${title}`);
  }

  #option(label: string): Locator {
    const found = new RegExp(`^${label.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}`);
    return this.widget.getByRole('option', { name: found }).first();
  }

  /** Chooses an entry of the open list by the beginning of its label. */
  async pick(label: string): Promise<void> {
    await write(this.#field, label);
    const before = await this.#shown();
    await press(this.#option(label));
    await this.#isTaken(label, (it) => !isDeepStrictEqual(it, before));
  }

  /** Marks an entry of a list of which several can be chosen. */
  async check(label: string): Promise<void> {
    await write(this.#field, label);
    const count = () => this.widget.locator('.quick-input-count').textContent();
    const before = await count();
    await press(this.widget.locator('.quick-input-list .monaco-list-row', { hasText: label }).first());
    await untilSeen(`"${label}" is marked`, count, (it) => it !== before);
  }

  /** Answers the open input box. */
  async type(text: string): Promise<void> {
    await this.write(text);
    await this.accept();
  }

  /** Writes into the open list or input box, which shows what fits, and stays. */
  write(text: string): Promise<void> {
    return write(this.#field, text);
  }

  /** Answers the open input box with what it refuses, and waits until it says why. */
  async typeInVain(text: string, why: string): Promise<void> {
    await until(`"${text}" is entered`, async () => {
      await write(this.#field, text);
      return pressKeyOnce(this.#field, 'Enter');
    });
    await this.widget.getByText(why).waitFor();
  }

  /** Takes what the open list or input box offers. */
  async accept(): Promise<void> {
    await this.#field.waitFor();
    const before = await this.#shown();
    await pressKey(this.#field, 'Enter');
    await this.#isTaken(before?.value ?? '', (it) => !isDeepStrictEqual(it, before));
  }

  /** Leaves the open list or input box: it closes, or what stood before it is there again. */
  async leave(): Promise<void> {
    await this.#field.waitFor();
    const before = await this.#shown();
    await until('Escape leaves the list or input box', async () => {
      if (!isDeepStrictEqual(await this.#shown(), before)) return true; // it closes by itself when it loses the focus
      return pressKeyOnce(this.#field, 'Escape');
    });
    await this.#isTaken('Escape', (it) => !isDeepStrictEqual(it, before));
  }

  /** The labels that the open list shows now. */
  async picks(): Promise<string[]> {
    return this.widget.locator('[role=option] .quick-input-list-label').allInnerTexts();
  }

  /** Waits until the question is gone, or another one stands in its place: an answer that comes earlier answers this one again. */
  async #isTaken(answer: string, isAnother: (it: Shown) => boolean): Promise<void> {
    await untilSeen(
      `"${answer}" is taken for an answer`,
      () => this.#shown(),
      (it) => it === undefined || isAnother(it),
    );
  }

  async #shown(): Promise<Shown | undefined> {
    const all = await this.widget.evaluateAll((widgets) =>
      widgets
        .filter((it) => it.checkVisibility())
        .map((it) => {
          const field = it.querySelector<HTMLInputElement>('.quick-input-box input');
          return {
            title: it.querySelector('.quick-input-title')?.textContent ?? '',
            placeholder: field?.placeholder ?? '',
            message: it.querySelector('.quick-input-message')?.textContent ?? '',
            value: field?.value ?? '',
          };
        }),
    );
    return all[0];
  }

  /** Answers the editor's own dialog for files, once it has listed the folder that it begins with: it writes its path late. */
  async typePath(file: string): Promise<void> {
    const input = this.#page.locator('.quick-input-widget input').first();
    await this.#page.locator('.quick-input-list .monaco-list-row').first().waitFor();
    await untilSeen(
      'the dialog has the path',
      async () => {
        await write(input, file);
        return input.inputValue();
      },
      file,
    );
    await pressKey(input, 'Enter');
  }
}
