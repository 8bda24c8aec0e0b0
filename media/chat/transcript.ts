import type { Row } from '../../src/webviews/contract/chatModel.ts';
import { t } from '../shared/l10n.ts';
import { EndElement } from './rows/end.ts';
import { ErrorElement } from './rows/error.ts';
import { NoticeElement } from './rows/notice.ts';
import { PromptElement } from './rows/prompt.ts';
import { QuestionElement } from './rows/question.ts';
import { TextElement } from './rows/text.ts';
import { ToolElement } from './rows/tool.ts';
import type { Changed, PageStore } from './store.ts';

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

/** The rows in the page. One section for each turn; only rows that changed are touched. */
export class Transcript {
  readonly #root: HTMLElement;
  readonly #store: PageStore;
  readonly #elements = new Map<string, HTMLElement>();
  readonly #turns = new Map<string, HTMLElement>();

  constructor(root: HTMLElement, store: PageStore) {
    this.#root = root;
    this.#store = store;
  }

  update(changed: Changed): void {
    if (changed.isWhole) this.#dropGone();
    if (changed.isOrder) this.#arrange();
    for (const id of changed.rows) this.#draw(id);
    for (const { id, text } of changed.appended) (this.#elements.get(id) as TextElement | undefined)?.extend(text);
    if (changed.isOrder || changed.isHead) this.#settle();
  }

  #dropGone(): void {
    for (const element of this.#elements.values()) element.remove();
    for (const section of this.#turns.values()) section.remove();
    this.#elements.clear();
    this.#turns.clear();
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
      this.#place(id, order[index + 1]);
    }
    for (const [turnId, section] of this.#turns) {
      if (section.childElementCount > 0) continue;
      section.remove();
      this.#turns.delete(turnId);
    }
  }

  #place(id: string, nextId: string | undefined): void {
    const row = this.#store.row(id);
    if (!row) return;
    const element = document.createElement(tags[row.kind]);
    element.className = `row row-${row.kind}`;
    this.#elements.set(id, element);
    const next = nextId === undefined ? undefined : this.#elements.get(nextId);
    const nextTurn = nextId === undefined ? undefined : this.#store.row(nextId)?.turnId;
    const section = this.#section(row.turnId, next?.parentElement ?? undefined);
    section.insertBefore(element, next && nextTurn === row.turnId ? next : null);
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
    (element as HTMLElement & { row: Row }).row = row;
  }

  /** Text is finished once its turn ended or something came after it. */
  #settle(): void {
    const running = this.#store.head?.turn?.id;
    const last = this.#store.order.at(-1);
    for (const [turnId, section] of this.#turns) {
      section.classList.toggle('is-running', turnId === running);
      if (section.dataset['settled'] === 'true' && turnId !== running) continue;
      section.dataset['settled'] = String(turnId !== running);
      for (const element of section.querySelectorAll<TextElement>('chat-text')) {
        if (turnId !== running || element !== this.#elements.get(last ?? '')) element.settle();
      }
    }
  }
}
