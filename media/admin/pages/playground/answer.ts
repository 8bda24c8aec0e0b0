import { html, nothing, type TemplateResult } from 'lit';
import { t } from '../../../shared/l10n.ts';
import { pageLink } from '../../kit/links.ts';

/** What came back, and where it was recorded. @param note such as how many tokens it took */
export function drawAnswer(text: string, note?: string): TemplateResult {
  return html`<section class="result" aria-label=${t('Result')}>
    <h3>${t('Result')}</h3>
    <pre class="code" tabindex="0">${text}</pre>
    ${note === undefined ? nothing : html`<p class="muted">${note}</p>`}
    <p>${pageLink({ page: 'logs' }, t('See the call in the logs'))}</p>
  </section>`;
}
