import { html, type TemplateResult } from 'lit';
import { t } from '../../shared/l10n.ts';
import type { Place } from '../place.ts';

/** Text to take along, with its button. */
export function copyable(place: Place, label: string, text: string): TemplateResult {
  const copy = async (event: Event) => {
    const button = event.currentTarget as HTMLButtonElement;
    await place.copy(text);
    button.textContent = t('Copied');
  };
  return html`<div class="copyable">
    <code tabindex="0" aria-label=${label}>${text}</code>
    <button type="button" class="button" aria-label=${t('Copy {0}', label)} @click=${copy}>${t('Copy')}</button>
  </div>`;
}
