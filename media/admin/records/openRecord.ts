import { html, nothing, type TemplateResult } from 'lit';
import { allCloudAgents, modelWords } from '../../../sidecar/protocol/gateway/objectPermission.ts';
import type { DetailKind } from '../../../sidecar/protocol/gateway/pages/recordUse.ts';
import { t } from '../../shared/l10n.ts';
import { type Values, valueAt } from '../form/collect.ts';
import { type Draft, draftOf, readPick, rowOf } from '../form/drafts.ts';
import type { FormField, FormGroup } from '../form/formSpec.ts';
import { openDialog } from '../kit/dialog.ts';
import { count, money, period } from '../kit/format.ts';
import { recordLink } from '../kit/links.ts';
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

/** What a form would ask for, as far as something is set. */
export function drawGroup({ title, fields }: FormGroup, row: Values): TemplateResult | typeof nothing {
  const facts = fields.flatMap((it) => {
    const value = valueAt(row, it.name);
    const words = linksOf(it, value) ?? wordsOf(it, value);
    return words === undefined ? [] : [html`<dt>${it.label}</dt><dd>${words}</dd>`];
  });
  return facts.length === 0 ? nothing : html`<h3>${title}</h3><dl class="facts">${facts}</dl>`;
}

function wordsOf(field: FormField, value: unknown): string | TemplateResult | undefined {
  if (value === undefined || value === null || value === '' || field.kind === 'secret') return undefined;
  if (field.kind === 'flag') return value === true ? t('Yes') : t('No');
  if (typeof value === 'number') return amounts.has(field.name) ? money(value) : count(value);
  const labelOf = (it: string) => field.options?.find((option) => option.value === it)?.label ?? it;
  if (field.kind === 'rows' || field.kind === 'map')
    return lines(draftOf(field.kind, value), (it) => rowWords(field, rowOf(it)));
  if (field.kind === 'toolPicks')
    return lines(draftOf(field.kind, value), (it) => {
      const { server, tool } = readPick(it);
      const group = field.options?.find((option) => readPick(option.value).server === server)?.group;
      return `${group ?? server}: ${tool === '' ? t('None of its tools') : tool}`;
    });
  if (Array.isArray(value) && (field.kind === 'grant' || field.kind === 'picks'))
    return value.length === 0 ? t('Nothing') : listed(field, value.map(String), labelOf);
  if (field.kind === 'lines' && Array.isArray(value) && value.every((it) => String(it).length < SHORT))
    return value.map(labelOf).join(', ');
  const text = String(draftOf(field.kind, value) ?? '');
  if (text === '') return undefined;
  if (field.name === PERIOD) return period(text);
  return text.includes('\n') ? html`<pre class="code" tabindex="0">${text}</pre>` : labelOf(text);
}

/** Names that stand under something, such as tools under their servers, have a line for each of those. */
function listed({ options }: FormField, values: readonly string[], labelOf: (it: string) => string) {
  const groupOf = (it: string) => options?.find((option) => option.value === it)?.group ?? '';
  const groups = new Map<string, string[]>();
  for (const it of values) groups.set(groupOf(it), [...(groups.get(groupOf(it)) ?? []), it]);
  return html`${[...groups].map(([group, all]) => {
    const labels = all.map(labelOf).join(', ');
    return html`<div>${group === '' ? labels : `${group}: ${labels}`}</div>`;
  })}`;
}

/** A line for each of a list. */
const lines = (all: Draft, words: (it: string) => string): TemplateResult =>
  html`${(Array.isArray(all) ? (all as readonly string[]) : []).map((it) => html`<div>${words(it)}</div>`)}`;

/** The values of a row in the order of its columns. */
const rowWords = ({ columns = [] }: FormField, row: Readonly<Record<string, unknown>>): string =>
  columns
    .flatMap(({ name, options }) => {
      const value = row[name];
      if (value === '' || !(typeof value === 'string' || typeof value === 'number')) return [];
      if (typeof value === 'number' && amounts.has(name)) return [money(value)];
      if (name === PERIOD) return [period(String(value))];
      return [options?.find((it) => it.value === value)?.label ?? String(value)];
    })
    .join(' · ');

/** Texts of a list that are shorter than this are shown beside each other. */
const SHORT = 40;

/** The field with the period of a budget. */
const PERIOD = 'budget_duration';

/** Fields in US dollars. */
const amounts: ReadonlySet<string> = new Set(['max_budget', 'soft_budget', 'gateway_params.cost_per_query']);

/** Which records the values of a field are. */
const linked: Readonly<Record<string, DetailKind>> = {
  team_id: 'team',
  organization_id: 'organization',
  user_id: 'user',
  budget_id: 'budget',
  agent_id: 'agent',
  guardrails: 'guardrail',
  teams: 'team',
  'object_permission.mcp_servers': 'mcp_server',
  'object_permission.agents': 'agent',
  'object_permission.mcp_toolsets': 'toolset',
  'object_permission.models': 'model',
};

/** Links to the records that a field names, as far as there are such records. */
function linksOf({ name, options }: FormField, value: unknown): TemplateResult | undefined {
  const kind = linked[name];
  const values = [value].flat().filter((it): it is string => typeof it === 'string' && it !== '');
  if (kind === undefined || values.length === 0) return undefined;
  const links = values.map((it) => {
    // Agents are granted by name as well.
    const found = options?.find((option) => option.value === it) ?? options?.find((option) => option.label === it);
    const isRecord = found && !words.has(it);
    return isRecord ? recordLink(kind, found.value, found.label) : html`${found?.label ?? it}`;
  });
  return html`${links.map((it, at) => html`${at === 0 ? '' : ', '}${it}`)}`;
}

/** Options that stand for no record. */
const words: ReadonlySet<string> = new Set([modelWords.all, modelWords.none, allCloudAgents]);
