import { html, nothing } from 'lit';
import type { PromptRow } from '../../../src/webviews/contract/chatModel.ts';
import { icon } from '../../shared/icon.ts';
import { t } from '../../shared/l10n.ts';
import { LightElement } from '../../shared/lightElement.ts';

export class PromptElement extends LightElement {
  static override properties = { row: { attribute: false } };
  declare row: PromptRow;

  protected override render() {
    const { row } = this;
    return html`<h2 class="hidden">${row.byAgent ? t('An agent asked') : t('You asked')}</h2>
      <div class="bubble" title=${row.at ? new Date(row.at).toLocaleString() : ''}>
        <div class="bubble-text">${row.text}</div>
        ${
          row.attachments.length === 0
            ? nothing
            : html`<ul class="chips" aria-label=${t('Attached')}>
              ${row.attachments.map((label) => html`<li class="chip">${icon('attach')}<span>${label}</span></li>`)}
            </ul>`
        }
      </div>`;
  }
}
