import { html, render } from 'lit';
import type { Row, ToolRow } from '../../src/webviews/contract/chatModel.ts';
import { icon } from '../shared/icon.ts';
import { plural } from '../shared/l10n.ts';
import { elapsed } from './activity.ts';

/** A row, and the element that shows it. */
export interface ShownRow {
  readonly row: Row;
  readonly element: HTMLElement;
}

/** One call needs no line that stands for it. */
const fewestSteps = 2;
/** The states of calls that need no attention. */
export const quiet: ReadonlySet<string> = new Set<ToolRow['state']>(['done', 'denied', 'skipped']);

/** What an agent did on the way to its answer, as one line once the turn ended. Failures and questions stay in sight. */
export class Folding {
  /** What a person chose, by turn. */
  readonly #isOpen = new Map<string, boolean>();

  /** @param rows of a turn that ended, in their order */
  update(turnId: string, section: HTMLElement, rows: readonly ShownRow[]): void {
    const steps = rows.filter(({ row }) => row.kind === 'tool');
    // What a worker did goes with the call that it works for, which stays in sight while a step of it does.
    const loud = new Set(
      rows.flatMap(({ row }) => (row.kind === 'tool' && !quiet.has(row.state) ? [row.parentId] : [])),
    );
    const folded = rows.filter(
      ({ row }) =>
        row.kind === 'reasoning' ||
        (row.kind === 'tool' && row.parentId === undefined && quiet.has(row.state) && !loud.has(row.id)),
    );
    const first = folded[0]?.element;
    const known = section.querySelector<HTMLElement>(':scope > .steps');
    if (!first || steps.length < fewestSteps) {
      known?.remove();
      show(folded, true);
      return;
    }
    const line = known ?? document.createElement('div');
    line.className = 'steps';
    if (line.nextElementSibling !== first) section.insertBefore(line, first);
    // What a person reads in this moment does not go away under their eyes.
    if (!this.#isOpen.has(turnId) && folded.some(({ element }) => isInUse(element))) this.#isOpen.set(turnId, true);
    const draw = () => {
      const isOpen = this.#isOpen.get(turnId) ?? false;
      show(folded, isOpen);
      const toggle = () => {
        this.#isOpen.set(turnId, !isOpen);
        draw();
      };
      render(
        html`<button type="button" class="tool-line" aria-expanded=${String(isOpen)} @click=${toggle}>
          ${icon('list-tree')}<span class="tool-title">${summary(rows)}</span>${icon(isOpen ? 'chevron-down' : 'chevron-right')}
        </button>`,
        line,
      );
    };
    draw();
  }

  /** Shows the steps of the turn, for what looks for something in them. */
  open(element: Element): void {
    if (!element.closest('.is-folded')) return;
    element.closest('.turn')?.querySelector<HTMLElement>('.steps > button')?.click();
  }
}

function show(rows: readonly ShownRow[], isShown: boolean): void {
  for (const { element } of rows) element.classList.toggle('is-folded', !isShown);
}

function isInUse(element: HTMLElement): boolean {
  return (
    element.contains(document.activeElement) || element.querySelector('[aria-expanded="true"], details[open]') !== null
  );
}

/** `12 steps · 3 files · 1 min 5 s` */
function summary(rows: readonly ShownRow[]): string {
  const tools = rows.flatMap(({ row }) => (row.kind === 'tool' ? [row] : []));
  const files = new Set(tools.flatMap((it) => (it.state === 'done' ? it.files.map(({ label }) => label) : [])));
  const duration = rows.flatMap(({ row }) => (row.kind === 'end' ? [row.durationMs] : []))[0];
  return [
    plural(tools.length, '{0} step', '{0} steps'),
    ...(files.size > 0 ? [plural(files.size, '{0} file', '{0} files')] : []),
    ...(duration === undefined ? [] : [elapsed(duration)]),
  ].join(' · ');
}
