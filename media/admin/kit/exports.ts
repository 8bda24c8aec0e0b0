import { html, nothing, type TemplateResult } from 'lit';
import { icon } from '../../shared/icon.ts';
import { t } from '../../shared/l10n.ts';
import { type Query, withQuery } from '../api.ts';
import type { Place } from '../place.ts';

/** Save everything that matches, however much it is. Only a browser can: it writes what comes and holds nothing of it. */
export function exportLinks(place: Place, path: string, query: Query): TemplateResult | typeof nothing {
  if (!place.signsIn) return nothing;
  const href = (format: string) => place.baseUrl() + withQuery(path, { ...query, format });
  return html`<div class="exports">
    <a class="button" download href=${href('csv')}>${icon('desktop-download')} ${t('Download CSV')}</a>
    <a class="button" download href=${href('jsonl')}>${icon('desktop-download')} ${t('Download JSON Lines')}</a>
  </div>`;
}
