import type { Batch } from './batch.ts';
import { answeredEvent, type ToolAskElement } from './rows/toolAsk.ts';

/**
 * The requests that wait in this page: the keys that answer them, and where the focus goes when one is answered. The keys
 * mean the card with the focus, or the first one from a composer in which nothing is written and from where nothing has the
 * focus.
 */
export class Requests {
  readonly #root: HTMLElement;
  readonly #batch: Batch;
  readonly #composer: { focus(): void; readonly text: string } & HTMLElement;

  constructor(root: HTMLElement, batch: Batch, composer: { focus(): void; readonly text: string } & HTMLElement) {
    this.#root = root;
    this.#batch = batch;
    this.#composer = composer;
    root.addEventListener(answeredEvent, (event) => {
      const answered = event.target as ToolAskElement;
      if (answered.contains(document.activeElement)) this.#goOn(answered);
    });
    document.addEventListener('keydown', (event) => this.#onKey(event), true);
  }

  /** Around a change of the rows: the focus that a card had stays in the page when the card goes. */
  beforeChange(): () => void {
    const { activeElement } = document;
    const card = activeElement?.closest('.tool-card');
    if (!card || !this.#root.contains(card)) return () => {};
    // The elements draw themselves once the rows are set, in tasks that were queued before this one.
    return () =>
      queueMicrotask(() => {
        if (!card.isConnected && document.activeElement === document.body) this.#goOn();
      });
  }

  #goOn(answered?: ToolAskElement): void {
    const next = this.#batch.asks.find((it) => it !== answered && it.sent === undefined);
    if (next) this.#batch.reveal(next);
    const button = next?.querySelector<HTMLButtonElement>('.ask button:not(:disabled)');
    if (button) button.focus();
    else this.#composer.focus();
  }

  #onKey(event: KeyboardEvent): void {
    const isCommand = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
    if (!isCommand || (event.key !== 'Enter' && event.key !== 'Backspace')) return;
    const ask = this.#meant(event.target as HTMLElement);
    if (!ask) return;
    event.preventDefault();
    event.stopPropagation();
    ask.press(event.key === 'Enter' ? 'allow' : 'deny');
  }

  #meant(target: HTMLElement): ToolAskElement | undefined {
    const own = target.closest('.tool-card')?.querySelector<ToolAskElement>('chat-tool-ask');
    if (own) return target.matches('input[type=text]') ? undefined : own;
    const isFree = target === document.body || (this.#composer.contains(target) && this.#composer.text === '');
    return isFree ? this.#batch.asks.find((it) => it.sent === undefined) : undefined;
  }
}
