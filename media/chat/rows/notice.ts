import { html, nothing } from 'lit';
import type { NoticeRow } from '../../../src/webviews/contract/chatModel.ts';
import { icon } from '../../shared/icon.ts';
import { fromHost, t } from '../../shared/l10n.ts';
import { renderMarkdown } from '../../shared/markdown.ts';
import { post } from '../post.ts';
import { RowElement } from './row.ts';

/** A plan or a notice of the agent. */
export class NoticeElement extends RowElement<NoticeRow> {
  protected override render() {
    const { row } = this;
    const text = fromHost(row.text);
    return html`<div class="notice ${row.isFailure ? 'is-failure' : ''}" role=${row.isFailure ? 'alert' : 'note'}>
      ${icon(row.isFailure ? 'error' : 'info')}
      <div class="markdown">${row.isMarkdown ? renderMarkdown(text) : html`<p class="plain">${text}</p>`}</div>
      ${
        row.offer
          ? html`<button type="button" class="button" @click=${() => post(this, { type: 'attachTranscript' })}>
              ${t('Attach transcript')}
            </button>`
          : nothing
      }
    </div>`;
  }
}
