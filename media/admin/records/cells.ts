import { html, type TemplateResult } from 'lit';
import { icon } from '../../shared/icon.ts';
import { t } from '../../shared/l10n.ts';
import { money } from '../kit/format.ts';

/** A state as a symbol and a word: colour says nothing alone. */
export function badge(kind: 'good' | 'bad' | 'warn' | 'quiet', name: string, words: string): TemplateResult {
  return html`<span class="badge is-${kind}">${icon(name)}${words}</span>`;
}

export function activeBadge(isBlocked: boolean | null | undefined): TemplateResult {
  return isBlocked ? badge('bad', 'circle-slash', t('Blocked')) : badge('good', 'pass', t('Active'));
}

/** Spent of a budget, with a bar where there is one. */
export function spentCell(spend: number | null | undefined, budget: number | null | undefined): TemplateResult {
  if (budget == null) return html`${money(spend ?? 0)}`;
  const share = budget === 0 ? 1 : Math.min(1, (spend ?? 0) / budget);
  const words = t('{0} of {1}', money(spend ?? 0), money(budget));
  return html`<span class="spent">${words}
    <svg class="bar ${share >= 1 ? 'is-over' : ''}" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      <rect class="track" width="100" height="4" /><rect class="fill" width=${share * 100} height="4" />
    </svg></span>`;
}

/** Email addresses and URLs, which break where a part of them ends. */
export const breakable = (text: string): TemplateResult =>
  html`${text.split(/(?<=[^@.\s])(?=[@.])|(?<=\/)(?=[^/])/u).map((it, at) => (at === 0 ? it : html`<wbr />${it}`))}`;

/** The name of a record as the button that opens it. */
export function nameCell(name: string, note: string | undefined, open: (() => void) | undefined): TemplateResult {
  return html`<span class="named">${open ? html`<button type="button" class="link" @click=${open}>${name}</button>` : html`<span>${name}</span>`}
    ${note && note !== name ? html`<small class="muted">${breakable(note)}</small>` : ''}</span>`;
}
