import { render } from 'lit';
import type { Row } from '../../src/webviews/contract/chatModel.ts';
import { t } from '../shared/l10n.ts';
import { whenIdle } from '../shared/whenIdle.ts';
import { Folding, quiet, type ShownRow } from './folding.ts';
import { Nesting } from './nesting.ts';
import { post } from './post.ts';
import { EndElement } from './rows/end.ts';
import { ErrorElement } from './rows/error.ts';
import { NoticeElement } from './rows/notice.ts';
import { PromptElement } from './rows/prompt.ts';
import { QuestionElement } from './rows/question.ts';
import type { RowElement } from './rows/row.ts';
import { TextElement } from './rows/text.ts';
import { ToolElement } from './rows/tool.ts';
import type { Changed, PageStore } from './store.ts';
import { copyButton } from './toolbar.ts';

customElements.define('chat-prompt', PromptElement);
customElements.define('chat-text', TextElement);
customElements.define('chat-notice', NoticeElement);
customElements.define('chat-tool', ToolElement);
customElements.define('chat-question', QuestionElement);
customElements.define('chat-end', EndElement);
customElements.define('chat-error', ErrorElement);

const tags = {
  prompt: 'chat-prompt',
  markdown: 'chat-text',
  reasoning: 'chat-text',
  notice: 'chat-notice',
  tool: 'chat-tool',
  question: 'chat-question',
  end: 'chat-end',
  error: 'chat-error',
} as const satisfies Record<Row['kind'], string>;

/** The smallest character and line that people use, in pixels. Text that fills the window at this size fills it at any size. */
const character = { width: 7, height: 18 };
/** The maximum width of the transcript in its style sheet, in pixels. */
const widest = 820;

/** The rows in the page. One section for each turn; only rows that changed are touched. */
export class Transcript {
  readonly #root: HTMLElement;
  readonly #store: PageStore;
  readonly #elements = new Map<string, HTMLElement>();
  readonly #turns = new Map<string, HTMLElement>();
  readonly #nesting = new Nesting();
  /** The turns of rows whose element exists but is still empty, by row ID. */
  readonly #later = new Map<string, string>();
  /** Turns that have no drawn row yet. */
  #unseen = new Set<string>();
  readonly folding = new Folding();

  constructor(root: HTMLElement, store: PageStore) {
    this.#root = root;
    this.#store = store;
  }

  /** @param isAtEnd whether the end of the chat is visible, so that rows that are added far above it can be drawn later */
  update(changed: Changed, isAtEnd: boolean): void {
    if (changed.isWhole) this.#dropGone();
    const known = new Set(this.#elements.keys());
    if (changed.isOrder) this.#arrange();
    const added = changed.isWhole || (changed.isOrder && isAtEnd) ? changed.rows.filter((it) => !known.has(it)) : [];
    const postponed = this.#postpone(added);
    for (const id of changed.rows) {
      if (postponed.has(id)) continue;
      if (this.#later.has(id)) this.#drawLater(id);
      else this.#draw(id);
    }
    for (const { id, text } of changed.appended) {
      if (this.#later.has(id)) this.#drawLater(id);
      else (this.#elements.get(id) as TextElement | undefined)?.extend(text);
    }
    const touched = new Set(changed.rows.flatMap((id) => this.#store.row(id)?.turnId ?? []));
    if (changed.isOrder || changed.isHead) for (const it of this.#settle()) touched.add(it);
    this.#fold(touched);
  }

  row(id: string): HTMLElement | undefined {
    return this.#elements.get(id);
  }

  turn(turnId: string): HTMLElement | undefined {
    return this.#turns.get(turnId);
  }

  idOf(turn: Element): string | undefined {
    return [...this.#turns].find(([, it]) => it === turn)?.[0];
  }

  /** Draws everything that is still waiting, because someone is looking for a place in it. */
  drawAll(): void {
    for (const id of this.#later.keys()) this.#drawLater(id);
  }

  /**
   * Postpones new rows that do not fit in the window at the end of the chat. They are drawn when the page is idle.
   * @returns the IDs of the postponed rows
   */
  #postpone(added: readonly string[]): ReadonlySet<string> {
    const { order } = this.#store;
    const canBePostponed = new Set(added);
    const postponed = new Set<string>();
    if (added.length === 0) return postponed;
    const seen = new Set<string>();
    const perLine = Math.max(1, Math.min(window.innerWidth, widest) / character.width);
    let lines = window.innerHeight / character.height;
    for (let index = order.length - 1; index >= 0; index--) {
      const row = this.#store.row(order[index]!);
      if (!row) continue;
      if (lines <= 0 && canBePostponed.has(row.id) && canWait(row)) {
        this.#later.set(row.id, row.turnId);
        postponed.add(row.id);
      } else if (!this.#later.has(row.id)) seen.add(row.turnId);
      lines -= linesOf(row, perLine);
    }
    this.#unseen = new Set([...this.#later.values()].filter((it) => !seen.has(it)));
    for (const id of postponed) whenIdle(() => this.#drawLater(id));
    return postponed;
  }

  /** Draws a postponed row. The first row of a turn also brings the turn's toolbar and fold line. */
  #drawLater(id: string): void {
    const turnId = this.#later.get(id);
    if (turnId === undefined) return;
    const section = this.#turns.get(turnId);
    if (this.#unseen.delete(turnId) && section) {
      if (turnId !== this.#store.head?.turn?.id) this.#addActions(turnId, section);
      this.#fold(new Set([turnId]));
    }
    this.#draw(id);
  }

  #dropGone(): void {
    for (const element of this.#elements.values()) element.remove();
    for (const section of this.#turns.values()) section.remove();
    this.#elements.clear();
    this.#turns.clear();
    this.#later.clear();
    this.#unseen.clear();
    this.#nesting.tidy(() => false);
  }

  /** From the last row up, so that the place before which a new row goes is known. */
  #arrange(): void {
    const { order } = this.#store;
    const kept = new Set(order);
    for (const [id, element] of this.#elements) {
      if (kept.has(id)) continue;
      element.remove();
      this.#elements.delete(id);
    }
    for (let index = order.length - 1; index >= 0; index--) {
      const id = order[index]!;
      if (this.#elements.has(id)) continue;
      this.#place(id, index);
    }
    this.#nesting.tidy((id) => this.#elements.has(id));
    for (const [turnId, section] of this.#turns) {
      if (section.querySelector(':scope > .row')) continue;
      section.remove();
      this.#turns.delete(turnId);
    }
  }

  #place(id: string, index: number): void {
    const nextId = this.#store.order[index + 1];
    const row = this.#store.row(id);
    if (!row) return;
    const element = document.createElement(tags[row.kind]);
    element.className = `row row-${row.kind}`;
    this.#elements.set(id, element);
    const next = nextId === undefined ? undefined : this.#elements.get(nextId);
    const section = this.#section(row.turnId, next?.closest<HTMLElement>('.turn') ?? undefined);
    if (row.kind === 'tool' && row.parentId !== undefined) {
      const sibling = this.#following(index, (it) => it.kind === 'tool' && it.parentId === row.parentId);
      this.#nesting.place(element, row.parentId, sibling, this.#elements.get(row.parentId));
      return;
    }
    const following = this.#following(index, (it) => it.kind !== 'tool' || it.parentId === undefined);
    section.insertBefore(element, following?.parentElement === section ? following : null);
    this.#nesting.parentPlaced(id, element);
  }

  /** The element of the next row of the same turn that fits, where it is in the page already. */
  #following(index: number, fits: (row: Row) => boolean): HTMLElement | undefined {
    const { order } = this.#store;
    const turnId = this.#store.row(order[index]!)?.turnId;
    for (let at = index + 1; at < order.length; at++) {
      const row = this.#store.row(order[at]!);
      if (row?.turnId !== turnId) return undefined;
      if (row && fits(row)) return this.#elements.get(row.id);
    }
    return undefined;
  }

  #section(turnId: string, before: HTMLElement | undefined): HTMLElement {
    const known = this.#turns.get(turnId);
    if (known) return known;
    const section = document.createElement('section');
    section.className = 'turn';
    this.#root.insertBefore(section, before ?? null);
    this.#turns.set(turnId, section);
    return section;
  }

  #draw(id: string): void {
    this.#later.delete(id);
    const row = this.#store.row(id);
    const element = this.#elements.get(id);
    if (!row || !element) return;
    if (row.kind === 'markdown' || row.kind === 'reasoning') {
      const head = this.#store.head;
      (element as TextElement).show(row, head?.turn?.id === row.turnId, head?.settings.showReasoning ?? false);
      return;
    }
    if (row.kind === 'prompt') {
      this.#turns.get(row.turnId)?.setAttribute('aria-label', t('Turn: {0}', row.text.slice(0, 80)));
    }
    (element as RowElement<Row>).draw(row);
    this.#nesting.drawn(row);
  }

  /** Text is finished once its turn ended or something came after it. @returns the turns that ended since */
  #settle(): string[] {
    const ended: string[] = [];
    const running = this.#store.head?.turn?.id;
    const last = this.#store.order.at(-1);
    for (const [turnId, section] of this.#turns) {
      section.classList.toggle('is-running', turnId === running);
      if (turnId !== running && !this.#unseen.has(turnId)) this.#addActions(turnId, section);
      if (section.dataset['settled'] === 'true' && turnId !== running) continue;
      section.dataset['settled'] = String(turnId !== running);
      if (turnId !== running) ended.push(turnId);
      for (const element of section.querySelectorAll<TextElement>('chat-text')) {
        if (turnId !== running || element !== this.#elements.get(last ?? '')) element.settle();
      }
    }
    return ended;
  }

  /** @param turns whose rows are others than before, or which ended */
  #fold(turns: ReadonlySet<string>): void {
    const rows = new Map<string, ShownRow[]>();
    for (const id of this.#store.order) {
      const row = this.#store.row(id);
      const element = this.#elements.get(id);
      if (!row || !element || !turns.has(row.turnId) || this.#unseen.has(row.turnId)) continue;
      if (row.turnId === this.#store.head?.turn?.id) continue;
      const known = rows.get(row.turnId);
      if (known) known.push({ row, element });
      else rows.set(row.turnId, [{ row, element }]);
    }
    for (const [turnId, shown] of rows) this.folding.update(turnId, this.#turns.get(turnId)!, shown);
  }

  /** What an answer offers once it is whole. It lies in the room below the turn, whatever rows come after. */
  #addActions(turnId: string, section: HTMLElement): void {
    if (!section.querySelector('.row-markdown') || section.querySelector('.answer-actions')) return;
    const bar = document.createElement('div');
    bar.className = 'row-actions answer-actions';
    bar.setAttribute('role', 'toolbar');
    bar.setAttribute('aria-label', t('Response actions'));
    render(
      copyButton(t('Copy response'), () => post(bar, { type: 'copy', text: this.#answer(turnId) })),
      bar,
    );
    section.append(bar);
  }

  #answer(turnId: string): string {
    const rows = this.#store.order.map((id) => this.#store.row(id));
    return rows.flatMap((it) => (it?.kind === 'markdown' && it.turnId === turnId ? [it.text.trim()] : [])).join('\n\n');
  }
}

/** Requests, and rows that screen readers announce, are always drawn immediately. */
function canWait(row: Row): boolean {
  if (row.kind === 'tool') return quiet.has(row.state);
  if (row.kind === 'question') return row.state !== 'open';
  return row.kind !== 'notice' && row.kind !== 'error';
}

/** The minimum height of a row, in lines. */
function linesOf(row: Row, perLine: number): number {
  return row.kind === 'markdown' || row.kind === 'prompt' ? Math.max(1, row.text.length / perLine) : 0;
}
