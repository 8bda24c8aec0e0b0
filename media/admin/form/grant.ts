import { html, nothing, type TemplateResult } from 'lit';
import { t } from '../../shared/l10n.ts';
import type { FieldState } from './field.ts';
import type { FormField } from './formSpec.ts';

/** Inherit, or only the ticked ones; none ticked allows none. Names that are no longer known stay visible. */
export function grantControl(
  field: FormField,
  { draft, change }: FieldState,
  id: string,
  describedBy: string,
): TemplateResult {
  const chosen = Array.isArray(draft) ? (draft as readonly string[]) : undefined;
  const known = field.options ?? [];
  const gone = (chosen ?? []).filter((name) => !known.some((it) => it.value === name));
  const all = [...known, ...gone.map((it) => ({ value: it, label: it }))];
  const tick = (name: string, isOn: boolean) =>
    change([...(chosen ?? []).filter((it) => it !== name), ...(isOn ? [name] : [])]);
  return html`<fieldset class="grant" aria-describedby=${describedBy || nothing}>
    <legend>${field.label}</legend>
    <div class="choices" role="radiogroup" aria-label=${field.label}>
      <label><input type="radio" name=${id} .checked=${!chosen} @change=${() => change(null)} /> ${t('Inherit')}</label>
      <label><input type="radio" name=${id} .checked=${chosen !== undefined} @change=${() => change([])} /> ${t('Selected only')}</label>
    </div>
    ${
      chosen
        ? html`<div class="checks">
            ${all.map(
              (it) =>
                html`<label><input type="checkbox" .checked=${chosen.includes(it.value)}
                  @change=${(event: Event) => tick(it.value, (event.target as HTMLInputElement).checked)} /> ${it.label}</label>`,
            )}
            ${chosen.length === 0 ? html`<small class="muted">${t('Nothing is selected, so nothing is allowed.')}</small>` : nothing}
          </div>
          ${field.others === undefined ? nothing : addControl(field.others, (name) => tick(name, true))}`
        : nothing
    }
  </fieldset>`;
}

/** @param add called with a name that is not among the options */
function addControl(label: string, add: (name: string) => void): TemplateResult {
  const enter = (element: HTMLElement) => {
    const input = element.closest('.add-name')?.querySelector('input');
    const name = input?.value.trim() ?? '';
    if (!input || name === '') return;
    input.value = '';
    add(name);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    // Enter would submit the form.
    event.preventDefault();
    enter(event.currentTarget as HTMLElement);
  };
  return html`<div class="add-name">
    <input class="field" type="text" maxlength="256" aria-label=${label} placeholder=${label} autocomplete="off" spellcheck="false" @keydown=${onKey} />
    <button type="button" class="button" @click=${(event: Event) => enter(event.currentTarget as HTMLElement)}>${t('Add')}</button>
  </div>`;
}
