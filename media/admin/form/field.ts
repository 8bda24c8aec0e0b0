import { html, nothing, type TemplateResult } from 'lit';
import { t } from '../../shared/l10n.ts';
import type { Draft } from './drafts.ts';
import type { FormField } from './formSpec.ts';
import { grantControl } from './grant.ts';
import { picksControl } from './picks.ts';
import { rowsControl } from './rows.ts';

export interface FieldState {
  readonly draft: Draft;
  readonly error: string | undefined;
  readonly isKept: boolean;
  readonly change: (draft: Draft) => void;
}

const idOf = (name: string): string => `field-${name.replaceAll(/[^\w-]/g, '-')}`;

/** One labelled control with its help and what is wrong with it. */
export function drawField(field: FormField, state: FieldState): TemplateResult {
  const id = idOf(field.name);
  const shape = field.kind === 'json' && field.help ? undefined : lineHelp[field.kind]?.();
  const note = [field.help, shape].filter((it) => it !== undefined && it !== '').join(' ');
  const describedBy = `${note ? `${id}-help ` : ''}${state.error ? `${id}-error` : ''}`.trim();
  const words = html`${note ? html`<small id="${id}-help" class="muted">${note}</small>` : nothing}
    ${state.error ? html`<small id="${id}-error" class="wrong">${state.error}</small>` : nothing}`;
  if (field.kind === 'grant') {
    return html`<div class="form-field" data-field=${field.name}>${grantControl(field, state, id, describedBy)}${words}</div>`;
  }
  if (field.kind === 'rows' || field.kind === 'map') {
    return html`<div class="form-field" data-field=${field.name}>${rowsControl(field, state, describedBy)}${words}</div>`;
  }
  if (field.kind === 'picks' || field.kind === 'toolPicks') {
    return html`<div class="form-field" data-field=${field.name}>${picksControl(field, state, describedBy)}${words}</div>`;
  }
  if (field.kind === 'flag') {
    return html`<div class="form-field is-flag" data-field=${field.name}>
      <label><input type="checkbox" id=${id} .checked=${state.draft === true} aria-describedby=${describedBy || nothing}
        @change=${(event: Event) => state.change((event.target as HTMLInputElement).checked)} /> ${field.label}</label>
      ${words}
    </div>`;
  }
  // A chosen option has no second line.
  const isLong = field.kind === 'choice' && field.options?.some((it) => it.label.length > LONG);
  return html`<div class="form-field ${isLong ? 'is-long' : ''}" data-field=${field.name}>
    <label for=${id}>${field.label}${field.isRequired ? html` <span class="muted" aria-hidden="true">${t('(required)')}</span>` : nothing}</label>
    ${control(field, state, id, describedBy)}${words}
  </div>`;
}

function control(
  field: FormField,
  { draft, error, isKept, change }: FieldState,
  id: string,
  describedBy: string,
): TemplateResult {
  const text = String(draft ?? '');
  const onInput = (event: Event) => change((event.target as HTMLInputElement | HTMLTextAreaElement).value);
  const isWrong = error ? 'true' : nothing;
  const isNeeded = field.isRequired ? 'true' : nothing;
  const options = field.kind === 'record' ? recordOptions(field, text) : field.options;
  const kind = field.kind === 'record' && options && options.length <= LISTED ? 'choice' : field.kind;
  switch (kind) {
    case 'choice':
      return html`<select class="field" id=${id} aria-describedby=${describedBy || nothing} aria-invalid=${isWrong} aria-required=${isNeeded} @change=${onInput}>
        ${field.isRequired ? nothing : html`<option value="" ?selected=${text === ''}>${field.unset ?? t('Not set')}</option>`}
        ${(options ?? []).map((it) => html`<option value=${it.value} ?selected=${it.value === text}>${it.label}</option>`)}
      </select>`;
    case 'long':
    case 'lines':
    case 'pairs':
    case 'lists':
    case 'json':
      return html`<textarea class="field ${field.kind === 'long' ? '' : 'code'}" id=${id} rows=${field.kind === 'json' ? 3 : 2}
        spellcheck="false" .value=${text} aria-describedby=${describedBy || nothing} aria-invalid=${isWrong} aria-required=${isNeeded} @input=${onInput}></textarea>`;
    default: {
      const isNumber = field.kind === 'number' || field.kind === 'integer';
      const placeholder =
        field.kind === 'secret' && isKept ? t('Leave empty to keep the stored value') : (field.placeholder ?? '');
      return html`<input class="field" id=${id} type=${field.kind === 'secret' ? 'password' : 'text'}
          inputmode=${isNumber ? 'decimal' : nothing} placeholder=${placeholder} .value=${text}
          autocomplete=${field.kind === 'secret' ? 'new-password' : 'off'} spellcheck="false"
          list=${field.options ? `${id}-list` : nothing}
          aria-describedby=${describedBy || nothing} aria-invalid=${isWrong} aria-required=${isNeeded} @input=${onInput} />
        ${field.options ? html`<datalist id="${id}-list">${field.options.map((it) => html`<option value=${it.value}>${it.label}</option>`)}</datalist>` : nothing}`;
    }
  }
}

/** Characters of an option that half the width of a form shows. */
const LONG = 30;

/** Records that a list offers; of more, the field completes what is entered. */
const LISTED = 300;

/** What is stored and no longer there stays, as long as nobody takes it away. */
function recordOptions({ options = [] }: FormField, value: string): FormField['options'] {
  if (value === '' || options.some((it) => it.value === value)) return options;
  return [...options, { value, label: t('{0} (no longer available)', value) }];
}

const lineHelp: Readonly<Record<string, (() => string) | undefined>> = {
  lines: () => t('One per line.'),
  pairs: () => t('One per line, in the format "name: value".'),
  lists: () => t('One per line, in the format "name: first, second".'),
  json: () => t('Enter JSON.'),
};
