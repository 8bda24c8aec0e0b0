import { html, nothing, type TemplateResult } from 'lit';
import { t } from '../../shared/l10n.ts';
import { type Values, valueAt } from '../form/collect.ts';
import { draftOf } from '../form/drafts.ts';
import type { FormField, FormGroup } from '../form/formSpec.ts';
import { openDialog } from '../kit/dialog.ts';
import { hint } from '../kit/notice.ts';

/** A record to look at: what its form would ask for, as far as something is set. */
export function openRecord(title: string, note: string, groups: readonly FormGroup[], row: Values): void {
  openDialog({
    title,
    shape: 'side',
    body: () => html`${hint(note)}${groups.map((it) => drawGroup(it, row))}`,
  });
}

/** Whether the configuration file says what the record is: what is changed here would be back at the next start. */
export const isConfigured = (row: object): boolean => 'from_config' in row && row.from_config === true;

/** Why a record is shown and not edited. */
export const whyFixed = (row: object): string =>
  isConfigured(row)
    ? t("This is defined in the gateway's configuration file (switchboard.jsonc). Change it there.")
    : t('You can view this, but only administrators can change it.');

function drawGroup({ title, fields }: FormGroup, row: Values): TemplateResult | typeof nothing {
  const facts = fields.flatMap((it) => {
    const words = wordsOf(it, valueAt(row, it.name));
    return words === undefined ? [] : [html`<dt>${it.label}</dt><dd>${words}</dd>`];
  });
  return facts.length === 0 ? nothing : html`<h3>${title}</h3><dl class="facts">${facts}</dl>`;
}

function wordsOf(field: FormField, value: unknown): string | TemplateResult | undefined {
  if (value === undefined || value === null || value === '' || field.kind === 'secret') return undefined;
  if (field.kind === 'flag') return value === true ? t('Yes') : t('No');
  const labelOf = (it: string) => field.options?.find((option) => option.value === it)?.label ?? it;
  if (Array.isArray(value) && (field.kind === 'grant' || field.kind === 'picks'))
    return value.length === 0 ? t('Nothing') : value.map((it) => labelOf(String(it))).join(', ');
  const text = String(draftOf(field.kind, value) ?? '');
  if (text === '') return undefined;
  return text.includes('\n') ? html`<pre class="code" tabindex="0">${text}</pre>` : labelOf(text);
}
