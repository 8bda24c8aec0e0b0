import type { TextRow } from '../../../src/webviews/contract/chatModel.ts';
import { t } from '../../shared/l10n.ts';
import { StreamedMarkdown } from '../../shared/streamedMarkdown.ts';

/** An agent's words or its reasoning. A plain element: text arrives in pieces and is never drawn twice. */
export class TextElement extends HTMLElement {
  #drawn: StreamedMarkdown | undefined;
  #pending = '';
  #isLive = false;
  #details: HTMLDetailsElement | undefined;
  #summary: HTMLElement | undefined;

  /** Draws the row from its beginning. */
  show(row: TextRow, isLive: boolean, showReasoning: boolean): void {
    this.#isLive = isLive;
    const body = document.createElement('div');
    body.className = 'markdown';
    this.#drawn = undefined;
    this.#pending = row.text;
    if (row.kind === 'markdown') {
      this.replaceChildren(body);
      this.#draw(body);
    } else {
      this.#showFolded(body, showReasoning);
    }
  }

  /** More of the text, as the agent writes it. */
  extend(text: string): void {
    this.#isLive = true;
    if (this.#drawn) this.#drawn.append(text);
    else this.#pending += text;
  }

  /** The turn ended, or another part began after this one. */
  settle(): void {
    if (!this.#isLive) return;
    this.#isLive = false;
    this.#drawn?.finish();
    if (this.#summary) this.#label();
  }

  #showFolded(body: HTMLElement, isOpen: boolean): void {
    const details = document.createElement('details');
    details.className = 'reasoning';
    const summary = document.createElement('summary');
    details.append(summary, body);
    this.#details = details;
    this.#summary = summary;
    this.#label();
    details.addEventListener('toggle', () => {
      if (details.open && !this.#drawn) this.#draw(body);
    });
    details.open = isOpen;
    this.replaceChildren(details);
  }

  #draw(body: HTMLElement): void {
    this.#drawn = new StreamedMarkdown(body);
    this.#drawn.append(this.#pending);
    this.#pending = '';
    if (!this.#isLive) this.#drawn.finish();
  }

  #label(): void {
    this.#summary!.textContent = this.#isLive ? t('Thinking…') : t('Thought');
    this.#details!.classList.toggle('is-live', this.#isLive);
  }
}
