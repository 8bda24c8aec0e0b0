import type { Row, ToolRow } from '../../src/webviews/contract/chatModel.ts';
import { plural } from '../shared/l10n.ts';

/** The calls that a worker of the agent makes on behalf of another call, below that call. */
export class Nesting {
  readonly #nests = new Map<string, HTMLDetailsElement>();

  /** Places a row into the nest of its parent. @param parent its element, when that is in the page already */
  place(element: HTMLElement, parentId: string, next: HTMLElement | undefined, parent: HTMLElement | undefined): void {
    const nest = this.#nests.get(parentId) ?? this.#create(parentId);
    nest.insertBefore(element, next?.parentElement === nest ? next : null);
    if (parent && !nest.isConnected) parent.after(nest);
    this.#label(nest);
  }

  /** The parent itself came into the page: rows are placed from the last one up. */
  parentPlaced(id: string, parent: HTMLElement): void {
    const nest = this.#nests.get(id);
    if (nest) parent.after(nest);
  }

  /** While the call runs its steps are in sight; afterwards a person looks for them, unless one failed. */
  drawn(row: Row): void {
    if (row.kind !== 'tool') return;
    const around = row.parentId === undefined ? undefined : this.#nests.get(row.parentId);
    if (around && row.state === 'failed') around.dataset['failed'] = 'true';
    for (const it of [around, this.#nests.get(row.id)]) {
      if (!it || it.dataset['chosen'] !== undefined) continue;
      if (it !== around) it.dataset['running'] = String(isOpen(row));
      it.open = it.dataset['running'] === 'true' || it.dataset['failed'] === 'true';
    }
  }

  /** Drops nests whose rows or whose parents are gone. */
  tidy(isThere: (id: string) => boolean): void {
    for (const [id, nest] of this.#nests) {
      if (isThere(id) && nest.querySelector(':scope > .row')) continue;
      nest.remove();
      this.#nests.delete(id);
    }
  }

  #create(parentId: string): HTMLDetailsElement {
    const nest = document.createElement('details');
    nest.className = 'nested';
    nest.open = true;
    nest.dataset['running'] = 'true';
    const summary = document.createElement('summary');
    summary.addEventListener('click', () => {
      nest.dataset['chosen'] = 'true';
    });
    nest.append(summary);
    this.#nests.set(parentId, nest);
    return nest;
  }

  #label(nest: HTMLDetailsElement): void {
    const count = nest.querySelectorAll(':scope > .row').length;
    nest.querySelector('summary')!.textContent = plural(count, '{0} step', '{0} steps');
  }
}

function isOpen({ state }: ToolRow): boolean {
  return state === 'preparing' || state === 'pending' || state === 'running' || state === 'signIn';
}
