import { html, svg, type TemplateResult } from 'lit';
import { t } from '../../../shared/l10n.ts';
import { count } from '../../kit/format.ts';

export interface BarRow {
  readonly name: string;
  readonly successful: number;
  readonly failed: number;
}
const most = 12;

/** One bar a row, successful and failed parts end to end, longest first. The numbers stand beside it. */
export function bars(rows: readonly BarRow[]): TemplateResult {
  const shown = rows.toSorted((a, b) => b.successful + b.failed - a.successful - a.failed).slice(0, most);
  const longest = Math.max(1, ...shown.map((it) => it.successful + it.failed));
  return html`${legend()}
    <ul class="bars" aria-label=${t('Successful and failed requests')}>
      ${shown.map((it) => {
        const good = (it.successful / longest) * 100;
        const bad = (it.failed / longest) * 100;
        return html`<li>
          <span class="bar-name" title=${it.name}>${it.name}</span>
          <span class="bar-words">${t('{0} successful, {1} failed', count(it.successful), count(it.failed))}</span>
          <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
            ${svg`<rect class="good" width=${good} height="10" /><rect class="bad" x=${good} width=${bad} height="10" />`}
          </svg>
        </li>`;
      })}
    </ul>
    ${rows.length > most ? html`<p class="muted">${t('Showing the top {0} of {1} by number of requests.', most, rows.length)}</p>` : ''}`;
}

export function legend(): TemplateResult {
  return html`<div class="legend" aria-hidden="true">
    <span><i class="swatch good"></i>${t('Successful')}</span><span><i class="swatch bad"></i>${t('Failed')}</span>
  </div>`;
}
