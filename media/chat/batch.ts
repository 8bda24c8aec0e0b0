import type { Row, ToolRow } from '../../src/webviews/contract/chatModel.ts';
import type { ToolElement } from './rows/tool.ts';
import { answeredEvent, type ToolAskElement } from './rows/toolAsk.ts';
import type { Changed, PageStore } from './store.ts';

/** Several requests that wait, as the card that shows one of them says it. */
export interface BatchModel {
  /** In their order. */
  readonly all: readonly ToolRow[];
  /** Of the request that is shown. */
  readonly at: number;
  readonly show: (at: number) => void;
  /** Answers those that were shown as waiting when the button was drawn, as far as one click may. */
  readonly answerAll: (what: 'allow' | 'deny') => void;
}

/** Where several requests wait in a chat, one card stands for all of them: it shows one, and leads to the others. */
export class Batch {
  readonly #store: PageStore;
  readonly #elementOf: (id: string) => HTMLElement | undefined;
  readonly #waiting = new Map<string, ToolElement>();
  #shown: string | undefined;

  constructor(root: HTMLElement, store: PageStore, elementOf: (id: string) => HTMLElement | undefined) {
    this.#store = store;
    this.#elementOf = elementOf;
    root.addEventListener(answeredEvent, (event) => {
      if ((event.target as ToolAskElement).row.id === this.#shown) this.#advance();
    });
  }

  /** The cost depends on the changed rows and the pending requests, not on the length of the chat. */
  update(changed: Changed): void {
    const before = this.#waiting.size;
    if (changed.isWhole) this.#clear();
    if (changed.isOrder) for (const id of this.#waiting.keys()) if (!this.#store.row(id)) this.#waiting.delete(id);
    let isChanged = changed.isWhole || this.#waiting.size !== before;
    for (const id of changed.rows) {
      const element = this.#elementOf(id) as ToolElement | undefined;
      const waits = element !== undefined && isWaiting(this.#store.row(id));
      if (waits === this.#waiting.has(id) && !waits) continue;
      isChanged = true;
      if (waits) this.#waiting.set(id, element);
      else this.#leave(id);
    }
    if (isChanged) this.#draw();
  }

  /** The card of a request comes into sight. */
  reveal(ask: ToolAskElement): void {
    if (!this.#waiting.has(ask.row.id) || ask.row.id === this.#shown) return;
    this.#shown = ask.row.id;
    this.#draw();
  }

  /** The requests in their order, from the one that is shown on. */
  get asks(): readonly ToolAskElement[] {
    const ids = this.#ids();
    const at = Math.max(0, ids.indexOf(this.#shown ?? ''));
    return [...ids.slice(at), ...ids.slice(0, at)].flatMap((id) => this.#ask(id) ?? []);
  }

  #ids(): string[] {
    const isAfter = (a: ToolElement, b: ToolElement) =>
      a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1;
    return [...this.#waiting].toSorted(([, a], [, b]) => isAfter(a, b)).map(([id]) => id);
  }

  #draw(): void {
    const ids = this.#ids();
    if (this.#shown === undefined || !this.#waiting.has(this.#shown))
      this.#shown = (this.asks.find((it) => it.sent === undefined) ?? this.asks[0])?.row.id ?? ids[0];
    const all = ids.flatMap((id) => (this.#store.row(id) as ToolRow | undefined) ?? []);
    const model: BatchModel = {
      all,
      at: ids.indexOf(this.#shown ?? ''),
      show: (at) => this.#show(ids[at]),
      answerAll: (what) => {
        for (const id of ids) {
          const ask = this.#ask(id);
          if (what === 'deny' || ask?.row.ask?.oneClick === true) ask?.press(what);
        }
      },
    };
    for (const [id, element] of this.#waiting) {
      const isShown = ids.length < 2 || id === this.#shown;
      element.classList.toggle('is-behind', !isShown);
      element.batch = ids.length > 1 && isShown ? model : undefined;
    }
  }

  /** By a person: the focus stays on the button that they pressed, in the card that comes. */
  #show(id: string | undefined): void {
    const element = this.#waiting.get(id ?? '');
    if (!element) return;
    const pressed = document.activeElement?.getAttribute('data-go');
    this.#shown = id;
    this.#draw();
    void element.updateComplete.then(() => {
      const same = pressed && element.querySelector<HTMLElement>(`[data-go="${pressed}"]:not(:disabled)`);
      (same || element.querySelector<HTMLElement>('[aria-current]'))?.focus();
    });
  }

  /** To the next one that nobody answered yet. */
  #advance(): void {
    const next = this.asks.find((it) => it.sent === undefined);
    if (next) this.reveal(next);
  }

  #ask(id: string): ToolAskElement | undefined {
    return this.#waiting.get(id)?.querySelector<ToolAskElement>('chat-tool-ask') ?? undefined;
  }

  #leave(id: string): void {
    const element = this.#waiting.get(id);
    element?.classList.remove('is-behind');
    if (element) element.batch = undefined;
    this.#waiting.delete(id);
  }

  #clear(): void {
    for (const id of this.#waiting.keys()) this.#leave(id);
  }
}

function isWaiting(row: Row | undefined): boolean {
  return row?.kind === 'tool' && row.state === 'pending' && row.ask !== undefined;
}
