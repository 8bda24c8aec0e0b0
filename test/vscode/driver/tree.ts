import type { Frame, Locator } from 'playwright-core';
import { pressKey } from './keys.ts';
import { chooseEntry, press, pressOnce } from './press.ts';
import { until, untilSeen } from './until.ts';
import type { EditorWindow } from './window.ts';

export interface TreeRow {
  readonly label: string;
  readonly description: string;
  /** Counts from 1. */
  readonly level: number;
  readonly isExpanded: boolean | undefined;
  /** What a screen reader says. */
  readonly ariaLabel: string;
  /** The names of its inline actions that are to be seen: those of the row under the mouse. */
  readonly actions: readonly string[];
}

/** What a row has to be, all at once. */
export interface RowWanted {
  readonly description?: string | RegExp;
  readonly level?: number;
  readonly ariaLabel?: RegExp;
  readonly actions?: readonly (string | RegExp)[];
}

/** The rows of one tree view, top to bottom, as far as they are scrolled into sight. */
export class TreeRows {
  readonly #window: EditorWindow;
  readonly #view: Locator;

  constructor(window: EditorWindow, view: Locator) {
    this.#window = window;
    this.#view = view;
  }

  async rows(): Promise<TreeRow[]> {
    return this.#view.getByRole('treeitem').evaluateAll((all) =>
      all
        .map((it) => ({ it, top: it.getBoundingClientRect().top }))
        .sort((a, b) => a.top - b.top)
        .map(({ it }) => ({
          label: it.querySelector('.label-name')?.textContent ?? '',
          description: it.querySelector('.label-description')?.textContent ?? '',
          level: Number(it.getAttribute('aria-level')),
          isExpanded: it.hasAttribute('aria-expanded') ? it.getAttribute('aria-expanded') === 'true' : undefined,
          ariaLabel: it.getAttribute('aria-label') ?? '',
          actions: [...it.querySelectorAll('[role=button]')]
            .filter((button) => button.checkVisibility({ visibilityProperty: true }))
            .map((button) => button.getAttribute('aria-label') ?? '')
            .filter((name) => name !== ''),
        })),
    );
  }

  async labels(): Promise<string[]> {
    return (await this.rows()).map((it) => it.label);
  }

  /** Waits until a row whose label begins with `label` is all that is wanted of it, and answers it as it was then. */
  async waitFor(label: string, wanted: RowWanted = {}, limitMs?: number): Promise<TreeRow> {
    const isWanted = (row: TreeRow) => row.label.startsWith(label) && isSo(row, wanted);
    const rows = await untilSeen(
      `a row "${label}" is shown${sayWanted(wanted)}`,
      async () => {
        // A row is drawn before its actions are, and again after each change: those of one under the mouse are looked at.
        if (wanted.actions) await this.#hover(label);
        return this.rows();
      },
      (all) => all.some(isWanted),
      limitMs,
    );
    return rows.find(isWanted) as TreeRow;
  }

  /** Waits until no row is there whose label begins with `label`. */
  async waitForNone(label: string, limitMs?: number): Promise<void> {
    await untilSeen(
      `no row "${label}" is shown`,
      () => this.labels(),
      (all) => !all.some((it) => it.startsWith(label)),
      limitMs,
    );
  }

  row(label: string): Locator {
    const named = this.#window.page.locator('.label-name', { hasText: label });
    return this.#view.getByRole('treeitem').filter({ has: named }).first();
  }

  async click(label: string): Promise<void> {
    await press(this.row(label));
  }

  /** The chat that a click on the row of a session shows. A list that is redrawn at the click misses it, so it is clicked again. */
  async openChat(label: string): Promise<Frame> {
    return until(`a click on the row "${label}" shows its chat`, () =>
      this.#window.chatAfter(() => this.click(label), 10_000),
    );
  }

  async #hover(label: string): Promise<void> {
    await this.#window.leaveHover();
    await this.row(label).hover({ timeout: 5_000 });
  }

  /** Unfolds a row that has rows below it. */
  async expand(label: string): Promise<void> {
    await until(`the row "${label}" is unfolded`, async () => {
      const { isExpanded } = await this.waitFor(label, {}, 1_000);
      if (isExpanded === false) await press(this.row(label).locator('.monaco-tl-twistie'));
      return (await this.waitFor(label, {}, 1_000)).isExpanded;
    });
  }

  /** Clicks an inline action of a row by its accessible name, at rest: the buttons come with the mouse, and again with each change. */
  async action(label: string, action: string | RegExp): Promise<void> {
    const button = this.row(label).getByRole('button', { name: action }).first();
    await until(`a click reaches ${action} of the row "${label}"`, async () => {
      await this.#hover(label);
      await this.#window.rest();
      return (await button.isVisible()) && pressOnce(button);
    });
  }

  /** Opens a row's context menu, and chooses an entry. */
  async menu(label: string, entry: string): Promise<void> {
    const item = this.#window.page.getByRole('menuitem', { name: entry, exact: false }).first();
    await chooseEntry(item, async () => {
      // A menu that opened before the row could be that much covers the row.
      if (await this.#menuItems.first().isVisible()) await this.#window.page.keyboard.press('Escape');
      await this.row(label).click({ button: 'right', timeout: 5_000 });
    });
  }

  get #menuItems(): Locator {
    return this.#window.page.locator('.monaco-menu .action-menu-item');
  }

  /** What the menu of a row offers. The menu is closed again. */
  async menuLabels(label: string): Promise<string[]> {
    const items = this.#menuItems;
    const labels = await until(`the menu of "${label}" is open`, async () => {
      if (!(await items.first().isVisible())) await this.row(label).click({ button: 'right', timeout: 5_000 });
      await items.first().waitFor({ timeout: 2_000 });
      const all = (await items.allInnerTexts()).map((it) => it.trim());
      return (await items.first().isVisible()) && all;
    });
    await until('the menu is closed', async () => {
      if (await items.first().isVisible()) await this.#window.page.keyboard.press('Escape');
      return !(await items.first().isVisible());
    });
    return labels;
  }

  /** Presses a key in the list, which gets the focus for it. */
  async key(key: string): Promise<void> {
    await pressKey(this.#view.locator('.monaco-list').first(), key);
  }

  /** Waits until the card of the row under the mouse has this line, and answers all that it says. */
  async card(label: string, line: string): Promise<string> {
    const card = this.#window.page.locator('.hover-contents:visible').first();
    return until(`the card of "${label}" says ${line}`, async () => {
      await this.#hover(label); // anew each time: a row that is drawn anew under the mouse shows none until the mouse comes back
      await card.getByText(line).first().waitFor({ timeout: 5_000 });
      return (await card.textContent({ timeout: 2_000 })) ?? '';
    });
  }
}

function isSo(row: TreeRow, { description, level, ariaLabel, actions }: RowWanted): boolean {
  return (
    (description === undefined || fits(row.description, description)) &&
    (level === undefined || row.level === level) &&
    (ariaLabel === undefined || ariaLabel.test(row.ariaLabel)) &&
    (actions === undefined ||
      (actions.length === row.actions.length && actions.every((it, at) => fits(row.actions[at] ?? '', it))))
  );
}

function fits(text: string, wanted: string | RegExp): boolean {
  return typeof wanted === 'string' ? text === wanted : wanted.test(text);
}

function sayWanted(wanted: RowWanted): string {
  const parts = Object.entries(wanted).map(([name, it]) => `${name} ${Array.isArray(it) ? it.join(', ') : String(it)}`);
  return parts.length === 0 ? '' : ` with ${parts.join(' and ')}`;
}
