import { html, nothing } from 'lit';
import type { PromptRow } from '../../../src/webviews/contract/chatModel.ts';
import { t } from '../../shared/l10n.ts';
import { openMenu } from '../../shared/menu.ts';
import { kindOf, pictureOf } from '../attach/kinds.ts';
import { post } from '../post.ts';
import { copyButton, toolbarButton } from '../toolbar.ts';
import { RowElement } from './row.ts';

/** The page puts the text of this row into the composer. */
export const editEvent = 'chat-edit';

export class PromptElement extends RowElement<PromptRow> {
  protected override render() {
    const { row } = this;
    return html`<h2 class="hidden">${row.byAgent ? t('An agent asked') : t('You asked')}</h2>
      <div class="bubble" @pointerenter=${this.#showTime}>
        <div class="bubble-text">${row.text}</div>
        ${
          row.attachments.length === 0
            ? nothing
            : html`<ul class="chips" aria-label=${t('Attached')}>
              ${row.attachments.map((it) => html`<li class="chip" title=${`${it.label}, ${kindOf(it.kind)}`}>${pictureOf(it)}<span>${it.label}</span></li>`)}
            </ul>`
        }
      </div>
      <div class="row-actions" role="toolbar" aria-label=${t('Message actions')}>
        ${copyButton(t('Copy message'), () => post(this, { type: 'copy', text: row.text }))}
        ${row.byAgent ? nothing : this.#resend()}
        ${toolbarButton('repo-forked', t('Fork from here'), (event) => this.#fork(event), 'needs-fork')}
        ${toolbarButton('comment-discussion', t('Ask in side chat'), () => this.#ask('beside'), 'needs-beside')}
        ${toolbarButton('discard', t('Restore to here…'), () => this.#ask('restore'), 'needs-end')}
      </div>`;
  }

  /** Formatting the first date of a page takes a third of the time of drawing a chat, so it waits for the pointer. */
  readonly #showTime = ({ currentTarget }: PointerEvent) => {
    (currentTarget as HTMLElement).title = this.row.at ? new Date(this.row.at).toLocaleString() : '';
  };

  #resend() {
    const edit = () => this.dispatchEvent(new CustomEvent(editEvent, { detail: this.row, bubbles: true }));
    return html`${toolbarButton('edit', t('Edit and resend'), edit, 'needs-end')}
    ${toolbarButton('refresh', t('Send again'), () => this.#ask('again'), 'needs-send')}`;
  }

  /** A copy is a session of its own, or another chat of this one where its agent can have several. */
  #fork(event: Event): void {
    if (!this.closest('#log')?.classList.contains('can-add-chat')) return this.#ask('fork');
    const items = [
      { id: 'fork', label: t('New session'), icon: 'repo-forked' },
      { id: 'forkChat', label: t('New chat in this session'), icon: 'comment' },
    ];
    const pick = (what: string) => this.#ask(what === 'forkChat' ? 'forkChat' : 'fork');
    openMenu(event.currentTarget as HTMLElement, t('Fork from here'), items, pick);
  }

  #ask(what: 'again' | 'fork' | 'forkChat' | 'beside' | 'restore'): void {
    post(this, { type: 'turn', turnId: this.row.turnId, what });
  }
}
