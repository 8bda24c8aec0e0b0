import { html, type TemplateResult } from 'lit';
import { t } from '../../shared/l10n.ts';
import type { Place } from '../place.ts';

/** Text to take along, with its button. @param isFirst the focus goes there when the dialog opens */
export function copyable(place: Place, label: string, text: string, isFirst = false): TemplateResult {
  const copy = async (event: Event) => {
    const button = event.currentTarget as HTMLButtonElement;
    try {
      await place.copy(text);
      button.textContent = t('Copied');
    } catch {
      // Browsers refuse it on pages without TLS: the text is marked, so that the keyboard can take it.
      const code = button.parentElement?.querySelector('code');
      if (code) getSelection()?.selectAllChildren(code);
      code?.focus();
      button.textContent = t('Press Ctrl+C');
    }
  };
  return html`<div class="copyable">
    <code tabindex="0" aria-label=${label}>${text}</code>
    <button type="button" class="button" ?autofocus=${isFirst} aria-label=${t('Copy {0}', label)} @click=${copy}>${t('Copy')}</button>
  </div>`;
}
