import { html, nothing, type TemplateResult } from 'lit';
import type { ChatToPage } from '../../../src/webviews/contract/chat.ts';
import type { ToolRow } from '../../../src/webviews/contract/chatModel.ts';
import type { DiffLine, InlineDiff } from '../../../src/webviews/contract/inlineDiff.ts';
import { plural, t } from '../../shared/l10n.ts';
import { LightElement } from '../../shared/lightElement.ts';
import { post } from '../post.ts';

/** Who waits for which diff, by `turn/call/file`. */
const waiting = new Map<string, DiffElement>();

/** The extension's answer; one for a card that is gone is nobody's. */
export function takeDiff({ turnId, toolCallId, index, diff }: Extract<ChatToPage, { type: 'diff' }>): void {
  const element = waiting.get(`${turnId}/${toolCallId}/${index}`);
  if (element) element.diff = diff;
}

/** The first changes of one file of a call. It asks for them itself, and again when they are others. */
export class DiffElement extends LightElement {
  static override properties = { row: { attribute: false }, index: { attribute: false }, diff: { state: true } };
  declare row: ToolRow;
  declare index: number;
  declare diff: InlineDiff | undefined;

  #key = '';
  #asked = '';

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    if (waiting.get(this.#key) === this) waiting.delete(this.#key);
    this.#asked = '';
  }

  protected override updated(): void {
    const { turnId, toolCallId, state } = this.row;
    const { label, added, removed } = this.row.files[this.index] ?? {};
    // What an agent means to write is compared anew once it is written.
    const asked = JSON.stringify([turnId, toolCallId, this.index, state, label, added, removed]);
    if (asked === this.#asked) return;
    this.#asked = asked;
    this.#key = `${turnId}/${toolCallId}/${this.index}`;
    waiting.set(this.#key, this);
    post(this, { type: 'diff', turnId, toolCallId, index: this.index });
  }

  protected override render() {
    const { diff } = this;
    const file = this.row.files[this.index];
    if (!diff || !file) return nothing;
    if (diff.problem) return html`<p class="muted">${problemWords(diff.problem)}</p>`;
    if (diff.lines.length === 0) return nothing;
    return html`<div class="diff" tabindex="0" role="group" aria-label=${t('Changes in {0}', file.label)}>
        <div class="diff-lines">${diff.lines.map(drawLine)}</div>
      </div>
      ${
        diff.more > 0
          ? html`<button type="button" class="link diff-more" @click=${this.#showAll}>
              ${plural(diff.more, 'Show all ({0} more line)', 'Show all ({0} more lines)')}
            </button>`
          : nothing
      }`;
  }

  readonly #showAll = () => {
    const { turnId, toolCallId } = this.row;
    post(this, { type: 'tool', turnId, toolCallId, what: 'preview', index: this.index });
  };
}
customElements.define('chat-diff', DiffElement);

const signs = { same: ' ', added: '+', removed: '−' } as const;

function drawLine({ kind, text, marks = [] }: DiffLine): TemplateResult {
  if (kind === 'gap') return html`<div class="diff-gap" role="separator"></div>`;
  const pieces: (string | TemplateResult)[] = [];
  let at = 0;
  for (const [from, to] of marks) {
    pieces.push(text.slice(at, from), html`<mark>${text.slice(from, to)}</mark>`);
    at = to;
  }
  return html`<div class="diff-line is-${kind}"><span class="diff-sign">${signs[kind]}</span>${pieces}${text.slice(at)}</div>`;
}

function problemWords(problem: NonNullable<InlineDiff['problem']>): string {
  switch (problem) {
    case 'binary':
      return t('This is not a text file.');
    case 'large':
      return t('This file is too large to show here.');
    case 'gone':
      return t('The contents of this change are no longer stored.');
  }
}
