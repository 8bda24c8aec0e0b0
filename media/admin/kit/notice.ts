import { html, nothing, type TemplateResult } from 'lit';
import { icon } from '../../shared/icon.ts';
import { t } from '../../shared/l10n.ts';

/** What could not be loaded, with the way to try again. */
export function failure(words: string | undefined, retry?: () => void): TemplateResult | typeof nothing {
  if (words === undefined) return nothing;
  return html`<div class="banner is-error" role="alert">
    ${icon('error')}<div class="banner-words">${words}</div>
    ${retry ? html`<button type="button" class="button" @click=${retry}>${t('Try again')}</button>` : nothing}
  </div>`;
}

export function hint(words: string | TemplateResult, name = 'info'): TemplateResult {
  return html`<div class="banner">${icon(name)}<div class="banner-words">${words}</div></div>`;
}

/** Nothing is there yet: what it is for, and the first step. */
export function emptyState(
  name: string,
  title: string,
  words: string | TemplateResult,
  action: TemplateResult | typeof nothing = nothing,
): TemplateResult {
  return html`<div class="empty">
    ${icon(name)}
    <h2>${title}</h2>
    <div class="muted">${words}</div>
    ${action}
  </div>`;
}
