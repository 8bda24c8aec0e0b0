import { isDeepStrictEqual } from 'node:util';
import type { Locator } from 'playwright-core';
import { until } from './until.ts';
import type { EditorWindow } from './window.ts';

export interface TreeRow {
  readonly label: string;
  readonly description: string;
  /** Counts from 1. */
  readonly level: number;
  readonly isExpanded: boolean | undefined;
  /** What a screen reader says. */
  readonly ariaLabel: string;
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
        })),
    );
  }

  async labels(): Promise<string[]> {
    return (await this.rows()).map((it) => it.label);
  }

  /** Waits for a row whose label begins with `label`. */
  async waitFor(label: string, limitMs?: number): Promise<TreeRow> {
    return until(
      `a row "${label}" is shown`,
      async () => (await this.rows()).find((it) => it.label.startsWith(label)),
      limitMs,
    );
  }

  row(label: string): Locator {
    const named = this.#window.page.locator('.label-name', { hasText: label });
    return this.#view.getByRole('treeitem').filter({ has: named }).first();
  }

  async click(label: string): Promise<void> {
    await this.row(label).click();
  }

  /** The names of a row's inline actions. */
  async actions(label: string): Promise<string[]> {
    const row = this.row(label);
    await this.#window.leaveHover();
    await row.hover();
    const names = await row
      .getByRole('button')
      .evaluateAll((all) => all.map((it) => it.getAttribute('aria-label') ?? ''));
    return names.filter((it) => it !== '');
  }

  /** Waits until a row whose label begins with `label` says `description`. */
  async waitForDescription(label: string, description: string): Promise<void> {
    const said = async () => (await this.rows()).find((it) => it.label.startsWith(label))?.description;
    let seen: string | undefined;
    await until(
      `the row "${label}" says "${description}"`,
      async () => {
        seen = await said();
        return seen === description;
      },
      { seen: () => seen },
    );
  }

  /** Waits until a row whose label begins with `label` has these inline actions: a row is drawn before they are, and again after each change. */
  async waitForActions(label: string, actions: readonly string[]): Promise<TreeRow> {
    const row = await this.waitFor(label);
    let seen: readonly string[] = [];
    await until(
      `the row "${label}" has the actions ${actions.join(', ')}`,
      async () => {
        seen = await this.actions(label);
        return isDeepStrictEqual(seen, actions);
      },
      { seen: () => seen },
    );
    return row;
  }

  /** Clicks an inline action of a row by its accessible name, at rest: a row that is redrawn under a press takes no click. */
  async action(label: string, action: string | RegExp): Promise<void> {
    await this.#window.leaveHover();
    await this.#window.rest();
    const row = this.row(label);
    await row.hover();
    await row.getByRole('button', { name: action }).first().click();
  }

  /** Opens a row's context menu and clicks an entry: again while the menu stays, which ignores the first moments. */
  async menu(label: string, entry: string): Promise<void> {
    await this.row(label).click({ button: 'right' });
    const item = this.#window.page.getByRole('menuitem', { name: entry, exact: false }).first();
    await item.waitFor();
    await until(`the menu took "${entry}"`, async () => {
      if ((await item.count()) === 0) return true;
      await item.click({ timeout: 1_000 });
      return (await item.count()) === 0;
    });
  }
}
