import { html, nothing } from 'lit';
import type { EndRow, TurnChangesModel } from '../../../src/webviews/contract/chatModel.ts';
import type { TurnUsage } from '../../../src/webviews/contract/usageModel.ts';
import { icon } from '../../shared/icon.ts';
import { plural, t } from '../../shared/l10n.ts';
import { inputAndOutput, money, nameOf } from '../amounts.ts';
import { post } from '../post.ts';
import { RowElement } from './row.ts';

/** What a turn left behind: the files it changed and what can be done about them, and what it used. */
export class EndElement extends RowElement<EndRow> {
  protected override render() {
    const { row } = this;
    const used = row.usage && usageLine(row.usage);
    if (row.state !== 'cancelled' && !row.changes && !used) return nothing;
    return html`${used ? html`<p class="muted end-usage" title=${used.title}>${used.text}</p>` : nothing}${row.state === 'cancelled' ? html`<p class="muted">${icon('circle-slash')} ${t('Stopped')}</p>` : nothing}
    ${row.changes ? this.#bar(row.changes) : nothing}`;
  }

  #bar(changes: TurnChangesModel) {
    if (changes.status === 'computing') {
      return html`<div class="end-bar muted">${icon('loading', true)} ${t('Reading changes…')}</div>`;
    }
    const isUndone = changes.status === 'undone';
    return html`<div class="end-bar" role="group" aria-label=${t('Changed files')}>
      <span class="end-count">
        ${icon(isUndone ? 'discard' : changes.status === 'kept' ? 'check-all' : 'diff-multiple')}
        ${
          isUndone
            ? html`<span class="muted">${t('Undone. The files were restored to their previous state.')}</span>`
            : html`${countWords(changes)}
              <span class="added">+${changes.added}</span> <span class="removed">−${changes.removed}</span>`
        }
        ${changes.status === 'kept' ? html`<span class="muted">${t('kept')}</span>` : nothing}
      </span>
      <span class="end-actions">
        ${
          isUndone
            ? nothing
            : html`<button type="button" class="button" @click=${() => this.#act('review')}>${t('Review changes')}</button>`
        }
        ${this.#quiet('keep', changes.canKeep, t('Keep all'))} ${this.#quiet('undo', changes.canUndo, t('Undo all'))}
        ${this.#quiet('redo', changes.canRedo, t('Redo'))}
      </span>
    </div>`;
  }

  #act(what: 'review' | 'keep' | 'undo' | 'redo'): void {
    post(this, { type: 'changes', turnId: this.row.turnId, what });
  }

  #quiet(what: 'keep' | 'undo' | 'redo', can: boolean | 'later', words: string) {
    if (!can) return nothing;
    return html`<button
      type="button"
      class="button quiet"
      title=${can === 'later' ? t('Available when the agent has finished') : nothing}
      ?disabled=${can === 'later'}
      @click=${() => this.#act(what)}
    >
      ${words}
    </button>`;
  }
}

function countWords({ files, left = files }: TurnChangesModel): string {
  return left > 0 && left < files ? t('{0} of {1} files left', left, files) : plural(files, '{0} file', '{0} files');
}

/** Tokens and cost of a turn, with their source and models; `undefined` if neither is known. */
function usageLine(usage: TurnUsage): { readonly text: string; readonly title: string } | undefined {
  const { inputTokens = 0, outputTokens = 0, turnCost, counted = [] } = usage;
  const parts = [
    ...(inputTokens + outputTokens > 0 ? [inputAndOutput(usage)] : []),
    ...(turnCost && turnCost.amount > 0 ? [money(turnCost)] : []),
  ];
  if (parts.length === 0) return undefined;
  const origin = usage.counted ? t('recorded by the gateway') : t('reported by the agent');
  const models = counted.map((it) => `${nameOf(it)}: ${inputAndOutput(it)} · ${money(it.cost)}`);
  return { text: [...parts, origin].join(' · '), title: models.join('\n') };
}
