import type { ChatToPage } from '../../src/webviews/contract/chat.ts';
import type { ChatHead, Row } from '../../src/webviews/contract/chatModel.ts';

/** What one message of the extension changed, for the elements that draw it. */
export interface Changed {
  /** True after a whole model: everything is drawn anew. */
  readonly isWhole: boolean;
  readonly isOrder: boolean;
  readonly rows: readonly string[];
  readonly appended: readonly { readonly id: string; readonly text: string }[];
  readonly isHead: boolean;
}
type ModelMessage = Extract<ChatToPage, { type: 'model' | 'patch' }>;

/** The page's copy of the model. Applying a patch costs what the patch holds. */
export class PageStore {
  head: ChatHead | undefined;
  order: string[] = [];
  readonly #rows = new Map<string, Row>();
  #seq = 0;

  row(id: string): Row | undefined {
    return this.#rows.get(id);
  }

  /** @returns `undefined` when the message does not continue what the page holds, so the whole model is needed */
  apply(message: ModelMessage): Changed | undefined {
    if (message.type === 'model') return this.#replace(message);
    if (!this.head || message.seq !== this.#seq + 1) return undefined;
    for (const piece of message.texts ?? []) {
      const row = this.#rows.get(piece.partId);
      if ((row?.kind !== 'markdown' && row?.kind !== 'reasoning') || row.text.length !== piece.offset) return undefined;
    }
    this.#seq = message.seq;
    if (message.splice) {
      const { at, remove, insert } = message.splice;
      for (const id of this.order.splice(at, remove, ...insert)) this.#rows.delete(id);
    }
    for (const row of message.rows ?? []) this.#rows.set(row.id, row);
    const appended = (message.texts ?? []).map((piece) => {
      const row = this.#rows.get(piece.partId) as Extract<Row, { text: string; kind: 'markdown' | 'reasoning' }>;
      this.#rows.set(row.id, { ...row, text: row.text + piece.text });
      return { id: piece.partId, text: piece.text };
    });
    if (message.head) this.head = message.head;
    return {
      isWhole: false,
      isOrder: message.splice !== undefined,
      rows: (message.rows ?? []).map((it) => it.id),
      appended,
      isHead: message.head !== undefined,
    };
  }

  #replace(message: Extract<ModelMessage, { type: 'model' }>): Changed {
    this.#seq = message.seq;
    this.head = message.model.head;
    this.order = message.model.rows.map((it) => it.id);
    this.#rows.clear();
    for (const row of message.model.rows) this.#rows.set(row.id, row);
    return { isWhole: true, isOrder: true, rows: this.order, appended: [], isHead: true };
  }
}
