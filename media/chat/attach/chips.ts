import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { AttachmentModel } from '../../../src/webviews/contract/chatModel.ts';
import { icon } from '../../shared/icon.ts';
import { plural, t } from '../../shared/l10n.ts';
import { LightElement } from '../../shared/lightElement.ts';
import { fixed } from '../../shared/numbers.ts';
import { post } from '../post.ts';
import { kindOf, pictureOf } from './kinds.ts';

/** What goes with the next message. Delete removes what has the focus, and the arrows move it. */
export class ChipsElement extends LightElement {
  static override properties = { attachments: { attribute: false } };
  declare attachments: readonly AttachmentModel[];
  /** Images whose bytes were asked for. */
  readonly #asked = new Set<string>();

  constructor() {
    super();
    this.attachments = [];
  }

  /** @returns whether there is one */
  focusLast(): boolean {
    const last = this.#chips.at(-1);
    last?.focus();
    return last !== undefined;
  }

  protected override render(): TemplateResult | typeof nothing {
    if (this.attachments.length === 0) return nothing;
    const refused = this.attachments.filter((it) => it.refusedBy !== undefined);
    return html`<ul class="chips" aria-label=${t('Attached')} @keydown=${(event: KeyboardEvent) => this.#key(event)}>
        ${repeat(
          this.attachments,
          (it) => it.id,
          (it) => this.#chip(it),
        )}
      </ul>
      ${
        refused.length === 0
          ? nothing
          : html`<p class="chips-note" role="status">
              ${icon('warning')}<span>${t('{0} does not accept this type of content. It receives only the name: {1}', refused[0]?.refusedBy ?? '', refused.map((it) => it.label).join(', '))}</span>
            </p>`
      }`;
  }

  protected override updated(): void {
    for (const { id, kind, thumbnail } of this.attachments) {
      if (kind !== 'image' || thumbnail !== undefined || this.#asked.has(id)) continue;
      this.#asked.add(id);
      post(this, { type: 'preview', attachmentId: id });
    }
  }

  #chip(it: AttachmentModel): TemplateResult {
    const size = sizeOf(it);
    const name = [it.label, kindOf(it.kind), size].filter(Boolean).join(', ');
    return html`<li class="chip ${it.refusedBy === undefined ? '' : 'is-refused'}" tabindex="0" data-id=${it.id} title=${name} aria-label=${name}>
      ${pictureOf(it)}
      <span>${it.label}</span>${size ? html`<span class="chip-size">${size}</span>` : nothing}
      ${
        it.isText
          ? html`<button type="button" class="icon-button codicon codicon-list-flat" aria-label=${t('Convert {0} back to text', it.label)}
            title=${t('Convert back to text')} @click=${() => post(this, { type: 'asText', attachmentId: it.id })}></button>`
          : nothing
      }
      <button type="button" class="icon-button codicon codicon-close" aria-label=${t('Remove {0}', it.label)}
        @click=${() => this.#remove(it.id)}></button>
    </li>`;
  }

  get #chips(): HTMLElement[] {
    return [...this.querySelectorAll<HTMLElement>('.chip')];
  }

  #key(event: KeyboardEvent): void {
    const chips = this.#chips;
    const at = chips.indexOf(event.target as HTMLElement);
    if (at < 0) return;
    if (event.key === 'Delete' || event.key === 'Backspace') this.#remove(chips[at]!.dataset['id']!);
    else if (event.key === 'ArrowRight') chips[at + 1]?.focus();
    else if (event.key === 'ArrowLeft') chips[at - 1]?.focus();
    else return;
    event.preventDefault();
  }

  /** The focus goes to the neighbor, or back to where a person writes. */
  #remove(id: string): void {
    const chips = this.#chips;
    const at = chips.findIndex((it) => it.dataset['id'] === id);
    const next = chips[at + 1] ?? chips[at - 1];
    if (next) next.focus();
    else this.closest('chat-composer')?.querySelector('textarea')?.focus();
    post(this, { type: 'detach', attachmentId: id });
  }
}
customElements.define('chat-chips', ChipsElement);

function sizeOf({ bytes, lines }: AttachmentModel): string {
  if (lines !== undefined) return plural(lines, '{0} line', '{0} lines');
  if (bytes === undefined) return '';
  if (bytes < 1000) return t('{0} B', bytes);
  return bytes < 1_000_000 ? t('{0} KB', Math.round(bytes / 1000)) : t('{0} MB', fixed(bytes / 1_000_000, 1));
}
