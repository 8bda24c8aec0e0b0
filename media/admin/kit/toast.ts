import { html, nothing, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import { icon } from '../../shared/icon.ts';
import { t } from '../../shared/l10n.ts';

export interface Toast {
  /** Empty for nothing. */
  readonly words: string;
  readonly isError: boolean;
}

/**
 * What was done, said once and gone after a while; what was refused stays until it is closed. The place for it is always
 * there, since assistive software reads only what changes inside one it knows.
 */
export function toast(it: Toast, close: () => void): TemplateResult {
  const isDone = it.words !== '' && !it.isError;
  const isRefused = it.words !== '' && it.isError;
  return html`<div role="status" aria-live="polite">${keyed(it, isDone ? html`<div class="toast">${it.words}</div>` : nothing)}</div>
    <div role="alert">${
      isRefused
        ? html`<div class="toast is-error">${icon('error')}<span>${it.words}</span>
          <button type="button" class="icon-button codicon codicon-close" aria-label=${t('Close')} title=${t('Close')} @click=${close}></button></div>`
        : nothing
    }</div>`;
}
