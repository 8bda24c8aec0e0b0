import { html, nothing, type TemplateResult } from 'lit';
import { t } from '../../shared/l10n.ts';
import { count } from './format.ts';

export interface PagerSpec {
  readonly page: number;
  readonly totalPages: number;
  readonly total: number;
  /** There are more than `total`, which were not counted. */
  readonly isMore?: boolean;
  readonly pageSize: number;
  readonly go: (page: number) => void;
  /** What is paged, where a page has several lists. */
  readonly label?: string;
}

/** Pages of the gateway, which counts: the page never holds more than one of them. */
export function pager({
  page,
  totalPages,
  total,
  isMore,
  pageSize,
  go,
  label,
}: PagerSpec): TemplateResult | typeof nothing {
  if (total === 0) return nothing;
  const first = (page - 1) * pageSize + 1;
  const last = Math.min(page * pageSize, total);
  const step = (to: number, name: string, words: string) =>
    html`<button type="button" class="icon-button codicon codicon-${name}" aria-label=${words} title=${words}
      ?disabled=${to < 1 || to > totalPages || to === page} @click=${() => go(to)}></button>`;
  const shown = [count(first), count(last), count(total)] as const;
  return html`<nav class="pager" aria-label=${label ?? t('Pages')}>
    <span class="muted">${isMore ? t('{0}–{1} of more than {2}', ...shown) : t('{0}–{1} of {2}', ...shown)}</span>
    ${
      totalPages > 1
        ? html`${step(page - 1, 'arrow-left', t('Previous page'))}
          <span aria-current="page">${t('Page {0} of {1}', count(page), count(totalPages))}</span>
          ${step(page + 1, 'arrow-right', t('Next page'))}`
        : nothing
    }
  </nav>`;
}
