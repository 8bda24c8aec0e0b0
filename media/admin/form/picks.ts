import { html, nothing, type TemplateResult } from 'lit';
import { t } from '../../shared/l10n.ts';
import type { Option } from '../kit/select.ts';
import type { FieldState } from './field.ts';
import type { FormField } from './formSpec.ts';

/** Ticked boxes, by group. What is ticked and no longer known stays visible, so that it can be taken away. */
export function picksControl(field: FormField, { draft, change }: FieldState, describedBy: string): TemplateResult {
  const chosen = Array.isArray(draft) ? (draft as readonly string[]) : [];
  const known = field.options ?? [];
  const gone = chosen
    .filter((value) => !known.some((it) => it.value === value))
    .map((value) => ({ value, label: value.replace('\n', ' / '), group: t('No longer available') }));
  const groups = new Map<string, Option[]>();
  for (const it of [...known, ...gone]) groups.set(it.group ?? '', [...(groups.get(it.group ?? '') ?? []), it]);
  const set = (options: readonly Option[], isOn: boolean) => {
    const values = options.map((it) => it.value);
    const others = chosen.filter((it) => !values.includes(it));
    change(isOn ? [...others, ...values] : others);
  };
  const box = (it: Option) => html`<label><input type="checkbox" .checked=${chosen.includes(it.value)}
    @change=${(event: Event) => set([it], (event.target as HTMLInputElement).checked)} /> <span>${it.label}</span></label>`;
  return html`<fieldset class="grant" aria-describedby=${describedBy || nothing}>
    <legend>${field.label}</legend>
    ${groups.size === 0 ? html`<p class="muted">${t('Nothing to select yet.')}</p>` : nothing}
    ${[...groups].map(([name, options]) => {
      const ticked = options.filter((it) => chosen.includes(it.value)).length;
      const isAll = ticked === options.length;
      if (name === '') return html`<div class="checks is-plain">${options.map(box)}</div>`;
      return html`<details class="pick-group" ?open=${groups.size < 4 || ticked > 0}>
        <summary>${name} <span class="muted">${t('{0} of {1}', ticked, options.length)}</span></summary>
        <button type="button" class="link" aria-label=${isAll ? t('Clear {0}', name) : t('Select all {0}', name)}
          @click=${() => set(options, !isAll)}>${isAll ? t('None') : t('All')}</button>
        <div class="checks is-plain">${options.map(box)}</div>
      </details>`;
    })}
  </fieldset>`;
}
