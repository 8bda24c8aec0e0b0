import { html, nothing, type TemplateResult } from 'lit';
import type { ToolRow } from '../../../src/webviews/contract/chatModel.ts';
import { fromHost, plural, t } from '../../shared/l10n.ts';
import type { BatchModel } from '../batch.ts';

/** The head of a card that stands for several requests: all of them in words, so that nothing is allowed unseen. */
export function batchHead({ all, at, show, answerAll }: BatchModel): TemplateResult {
  const careful = all.filter((it) => it.ask?.oneClick !== true).length;
  const button = (label: string, codicon: string, to: number) => html`<button
    type="button"
    class="button quiet codicon codicon-${codicon}"
    data-go=${codicon}
    aria-label=${label}
    title=${label}
    ?disabled=${to < 0 || to >= all.length}
    @click=${() => show(to)}
  ></button>`;
  return html`<div class="batch" role="group" aria-label=${t('Pending requests')}>
    <div class="batch-bar">
      <strong aria-live="polite">${t('Request {0} of {1}', at + 1, all.length)}</strong>
      ${button(t('Previous request'), 'chevron-left', at - 1)} ${button(t('Next request'), 'chevron-right', at + 1)}
      <span class="batch-all">
        ${
          careful < all.length
            ? html`<button type="button" class="button" title=${t('Allow each of these requests once')} @click=${() => answerAll('allow')}>
                ${t('Allow all')}
              </button>`
            : nothing
        }
        <button type="button" class="button" title=${t('Deny all of these requests')} @click=${() => answerAll('deny')}>
          ${t('Skip all')}
        </button>
      </span>
    </div>
    <ol class="batch-list">
      ${all.map(
        (row, index) => html`<li>
          <button type="button" class="link" data-go=${index} aria-current=${index === at ? 'true' : nothing} @click=${() => show(index)}>
            ${subject(row)}
          </button>
        </li>`,
      )}
    </ol>
    ${
      careful > 0
        ? html`<p class="muted">
            ${plural(
              careful,
              '"Allow all" does not include {0} dangerous request. Check it before you answer it.',
              '"Allow all" does not include {0} dangerous requests. Check each one before you answer it.',
            )}
          </p>`
        : nothing
    }
  </div>`;
}

function subject(row: ToolRow): string {
  const files = [...row.files.map((it) => it.label), ...row.paths].join(', ');
  return row.command ?? [fromHost(row.words ?? row.title), files].filter(Boolean).join(': ');
}
