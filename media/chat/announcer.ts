import type { Row } from '../../src/webviews/contract/chatModel.ts';
import { t } from '../shared/l10n.ts';
import type { Changed, PageStore } from './store.ts';

const pauseMs = 1000;
const maxSpoken = 500;

/** Speaks for the transcript: politely and at most once a second what happened, at once what waits for an answer. */
export class Announcer {
  readonly #polite: HTMLElement;
  readonly #assertive: HTMLElement;
  readonly #asked = new Set<string>();
  #timer: number | undefined;
  #next = '';
  #running: string | undefined;

  constructor(polite: HTMLElement, assertive: HTMLElement) {
    this.#polite = polite;
    this.#assertive = assertive;
  }

  update(store: PageStore, changed: Changed): void {
    const running = store.head?.turn?.id;
    // Earlier turns that are added to the page are not announced.
    const isNews = (row: Row | undefined) => row?.turnId === (running ?? this.#running);
    for (const id of changed.rows) this.#row(store.row(id), changed.isWhole || !isNews(store.row(id)));
    if (this.#running && running !== this.#running) this.#ended(store, this.#running);
    if (running && running !== this.#running && !changed.isWhole) this.#announce(t('The agent is working.'));
    this.#running = running;
  }

  #row(row: Row | undefined, isQuiet: boolean): void {
    if (!row) return;
    const asks = (row.kind === 'tool' && row.state === 'pending') || (row.kind === 'question' && row.state === 'open');
    if (!asks) {
      this.#asked.delete(row.id);
      if (row.kind === 'tool' && !isQuiet && row.state === 'done') this.#announce(row.title);
      return;
    }
    if (this.#asked.has(row.id)) return;
    this.#asked.add(row.id);
    this.#assertive.textContent =
      row.kind === 'tool'
        ? t('Needs your approval: {0}', [row.title, row.command].filter(Boolean).join('. '))
        : t('The agent asks: {0}', row.message ?? row.questions[0]?.message ?? '');
  }

  #ended(store: PageStore, turnId: string): void {
    const last = store.order
      .map((id) => store.row(id))
      .findLast((it) => it?.turnId === turnId && it.kind === 'markdown');
    this.#announce(
      last?.kind === 'markdown' ? t('The agent says: {0}', last.text.slice(-maxSpoken)) : t('The agent is done.'),
    );
  }

  #announce(text: string): void {
    this.#next = text;
    this.#timer ??= window.setTimeout(() => {
      this.#timer = undefined;
      this.#polite.textContent = this.#next;
    }, pauseMs);
  }
}
