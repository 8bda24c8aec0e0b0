import { html, nothing, type TemplateResult } from 'lit';
import { icon } from '../../shared/icon.ts';
import { t } from '../../shared/l10n.ts';
import { none } from '../kit/format.ts';
import type { Option } from '../kit/select.ts';
import { rowOf } from './drafts.ts';
import type { FieldState } from './field.ts';
import type { FormField } from './formSpec.ts';

/** A control in each row. */
export interface RowColumn {
  /** Of the member of the row; of a map `name` and `value`. */
  readonly name: string;
  readonly label: string;
  readonly kind: 'text' | 'number' | 'choice';
  readonly placeholder?: string;
  readonly options?: readonly Option[];
}

/** Rows of a few controls. What a row has beside its columns stays. */
export function rowsControl(field: FormField, { draft, change }: FieldState, describedBy: string): TemplateResult {
  const rows = Array.isArray(draft) ? (draft as readonly string[]) : [];
  const columns = field.columns ?? [];
  const set = (at: number, column: RowColumn, text: string) => {
    const isNumber = column.kind === 'number' && text.trim() !== '' && Number.isFinite(Number(text));
    const row = JSON.stringify({ ...rowOf(rows[at]), [column.name]: isNumber ? Number(text) : text });
    change(rows.map((it, index) => (index === at ? row : it)));
  };
  const begin = Object.fromEntries(
    columns.flatMap((it) => (it.kind === 'choice' ? [[it.name, it.options?.[0]?.value ?? '']] : [])),
  );
  return html`<fieldset class="grant" aria-describedby=${describedBy || nothing}>
    <legend>${field.label}</legend>
    ${rows.map(
      (text, at) => html`<div class="row-fields">
        ${columns.map((it) => cell(it, rowOf(text)[it.name], (value) => set(at, it, value)))}
        <button type="button" class="icon-button codicon codicon-trash" title=${t('Remove')} aria-label=${t('Remove row {0}', at + 1)}
          @click=${() => change(rows.filter((_it, index) => index !== at))}></button>
      </div>`,
    )}
    <button type="button" class="button" @click=${() => change([...rows, JSON.stringify(begin)])}>${icon('add')} ${t('Add')}</button>
  </fieldset>`;
}

function cell(column: RowColumn, value: unknown, set: (text: string) => void): TemplateResult {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  const onChange = (event: Event) => set((event.target as HTMLInputElement | HTMLSelectElement).value);
  const known = column.options ?? [];
  // What is stored and no longer there stays, as long as nobody takes it away. A member may be named by an email address alone.
  const options = known.some((it) => it.value === text) ? known : [{ value: text, label: text || none }, ...known];
  return html`<label><span class="muted">${column.label}</span>
    ${
      column.kind === 'choice'
        ? html`<select class="field" @change=${onChange}>${options.map((it) => html`<option value=${it.value} ?selected=${it.value === text}>${it.label}</option>`)}</select>`
        : html`<input class="field" type="text" inputmode=${column.kind === 'number' ? 'decimal' : nothing} .value=${text}
            placeholder=${column.placeholder ?? ''} autocomplete="off" spellcheck="false" @input=${onChange} />`
    }
  </label>`;
}
