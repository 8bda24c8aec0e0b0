import type { TextRow } from '../../../src/webviews/contract/chatModel.ts';
import { t } from '../../shared/l10n.ts';
import { StreamedMarkdown } from '../../shared/streamedMarkdown.ts';
import { elapsed } from '../activity.ts';

/** Of the line that is written, while the reasoning is folded. */
const mostPreview = 160;

/** An agent's words or its reasoning. A plain element: text arrives in pieces and is never drawn twice. */
export class TextElement extends HTMLElement {
  #drawn: StreamedMarkdown | undefined;
  #pending = '';
  #isLive = false;
  #folded: Folded | undefined;
  /** How much of the text is here. */
  #length = 0;

  /** Draws the row from its beginning; of reasoning that is here already only what it gained. */
  show(row: TextRow, isLive: boolean, showReasoning: boolean): void {
    if (this.#folded && row.kind === 'reasoning' && row.text.length >= this.#length) {
      this.extend(row.text.slice(this.#length));
      this.#folded.durationMs = row.durationMs;
      if (row.durationMs !== undefined) this.settle();
      return;
    }
    this.#isLive = isLive && row.durationMs === undefined;
    const body = document.createElement('div');
    body.className = 'markdown';
    this.#drawn = undefined;
    this.#pending = row.text;
    this.#length = row.text.length;
    if (row.kind === 'markdown') {
      this.replaceChildren(body);
      this.#draw(body);
    } else {
      this.#showFolded(row, body, showReasoning);
    }
  }

  /** More of the text, as the agent writes it. */
  extend(text: string): void {
    if (text === '') return;
    this.#isLive = true;
    this.#length += text.length;
    if (this.#drawn) this.#drawn.append(text);
    else this.#pending += text;
    this.#folded?.goOn(text);
  }

  /** The turn ended, or another part began after this one. */
  settle(): void {
    if (!this.#isLive) return;
    this.#isLive = false;
    this.#drawn?.finish();
    this.#folded?.end();
  }

  #showFolded(row: TextRow, body: HTMLElement, isOpen: boolean): void {
    const folded = new Folded(body);
    this.#folded = folded;
    folded.durationMs = row.durationMs;
    if (this.#isLive) folded.goOn(row.text);
    else folded.end();
    folded.details.addEventListener('toggle', () => {
      if (folded.details.open && !this.#drawn) this.#draw(body);
    });
    folded.details.open = isOpen;
    this.replaceChildren(folded.details);
  }

  #draw(body: HTMLElement): void {
    this.#drawn = new StreamedMarkdown(body);
    if (this.#isLive) this.#drawn.append(this.#pending);
    else this.#drawn.finish(this.#pending);
    this.#pending = '';
  }
}

/** Reasoning behind one line: while it is written its last words, then how long it took. */
class Folded {
  readonly details = document.createElement('details');
  readonly #label = document.createElement('span');
  readonly #preview = document.createElement('span');
  durationMs: number | undefined;
  /** What was written since the last line break. */
  #line = '';

  constructor(body: HTMLElement) {
    this.details.className = 'reasoning';
    this.#label.className = 'reasoning-label';
    this.#preview.className = 'reasoning-preview';
    // The same words follow for whoever has them read.
    this.#preview.setAttribute('aria-hidden', 'true');
    const summary = document.createElement('summary');
    summary.append(this.#label, this.#preview);
    this.details.append(summary, body);
  }

  goOn(text: string): void {
    const lines = `${this.#line}${text.slice(-4 * mostPreview)}`.split('\n');
    this.#line = lines.at(-1)!.slice(-mostPreview);
    const last = lines.findLast((it) => it.trim() !== '');
    if (last !== undefined) this.#preview.textContent = last.slice(-mostPreview).replace(/^[\s#>*-]+|[*`_]+/g, '');
    this.#label.textContent = t('Thinking…');
    this.details.classList.add('is-live');
  }

  end(): void {
    this.#preview.textContent = '';
    const took = this.durationMs === undefined || this.durationMs < 1_000 ? undefined : elapsed(this.durationMs);
    this.#label.textContent = took === undefined ? t('Thought') : t('Thought for {0}', took);
    this.details.classList.remove('is-live');
  }
}
