import { html, nothing, type TemplateResult } from 'lit';
import type { DetailKind, RecordCalls, RecordUse, Share } from '../../../sidecar/protocol/gateway/pages/recordUse.ts';
import { t } from '../../shared/l10n.ts';
import { count, escaped, moment, money, none, percent, period, shortHash } from '../kit/format.ts';
import { recordLink } from '../kit/links.ts';
import { emptyState } from '../kit/notice.ts';
import { type Column, dataTable } from '../kit/table.ts';
import { type Tile, tiles } from '../kit/tiles.ts';

/** Days that the page of a record looks back. */
export const USE_DAYS = 30;

/** What counts against a budget. */
export interface Allowance {
  readonly spend?: number | null | undefined;
  readonly max_budget?: number | null | undefined;
  readonly budget_reset_at?: string | null | undefined;
  readonly budget_duration?: string | null | undefined;
}

/** Calls, errors, last use, spend, and what is left of the budget. @param calls absent while they are read */
export function useTiles(calls: RecordCalls | null | undefined, allowance: Allowance): TemplateResult {
  const { spend, max_budget } = allowance;
  const all: Tile[] = [];
  if (calls !== null) {
    const total = calls && calls.successful_requests + calls.failed_requests;
    const rate = calls && total ? percent((calls.failed_requests / total) * 100) : undefined;
    all.push(
      { label: t('Calls, {0} days', USE_DAYS), value: total === undefined ? '…' : count(total) },
      {
        label: t('Errors, {0} days', USE_DAYS),
        value: calls ? count(calls.failed_requests) : '…',
        ...(rate !== undefined && { note: t('{0} of the calls', rate) }),
      },
      { label: t('Last used'), value: calls ? lastWords(calls.last_used) : '…' },
      { label: t('Spend, {0} days', USE_DAYS), value: calls ? money(calls.spend) : '…' },
    );
  }
  if (max_budget != null) {
    const left = Math.max(0, max_budget - (spend ?? 0));
    all.push({
      label: t('Budget left'),
      value: money(left),
      note: `${t('{0} of {1} spent', money(spend ?? 0), money(max_budget))}. ${resetWords(allowance)}`,
    });
  }
  return all.length === 0 ? html`` : tiles(t('Usage'), all);
}

/** The time is known once something was spent. */
function resetWords({ budget_reset_at, budget_duration }: Allowance): string {
  if (budget_reset_at) return t('Resets {0}', moment(budget_reset_at));
  return budget_duration ? t('Resets every {0}', period(budget_duration)) : t('Never resets');
}

const lastWords = (last: string | null): string =>
  last === null ? t('Not in {0} days', USE_DAYS) : last.length === 10 ? last : moment(last);

/** Who called it or what it called, by key, tool and model. */
export function drawShares({ keys, tools, models }: RecordCalls, kind: DetailKind): TemplateResult {
  const isNone = keys.length + tools.length + models.length === 0;
  if (isNone)
    return html`<section class="card">${emptyState('graph', t('No calls'), t('No calls in this period.'))}</section>`;
  return html`${kind === 'key' ? nothing : shareTable(t('Calls by key'), t('Key'), keys, (it) => recordLink('key', it.id, keyWords(it)))}
    ${shareTable(t('Calls by tool'), t('Tool'), tools, (it) => html`${escaped(it.name)}`)}
    ${kind === 'model' ? nothing : shareTable(t('Calls by model'), t('Model'), models, (it) => recordLink('model', it.id, escaped(it.name)))}`;
}

/** A key without a name has its hash. */
const keyWords = ({ id, name }: Share): string => (name === id ? shortHash(id) : name);

function shareTable(
  label: string,
  column: string,
  rows: readonly Share[],
  name: (row: Share) => TemplateResult,
): TemplateResult | typeof nothing {
  if (rows.length === 0) return nothing;
  const columns: readonly Column<Share>[] = [
    { name: column, isWide: true, cell: name },
    { name: t('Calls'), isNumber: true, cell: (it) => count(it.successful_requests + it.failed_requests) },
    { name: t('Errors'), isNumber: true, cell: (it) => count(it.failed_requests) },
    { name: t('Tokens'), isNumber: true, cell: (it) => (it.total_tokens === 0 ? none : count(it.total_tokens)) },
    { name: t('Spend'), isNumber: true, cell: (it) => money(it.spend) },
  ];
  return html`<section class="card"><h2>${label}</h2>
    ${dataTable({ label, columns, rows, idOf: (it) => it.id, isLoading: false, empty: html`` })}
  </section>`;
}

/** What several records of a kind are called. */
export const headings: Readonly<Record<DetailKind, () => string>> = {
  key: () => t('Virtual keys'),
  team: () => t('Teams'),
  organization: () => t('Organizations'),
  user: () => t('Users'),
  end_user: () => t('End users'),
  budget: () => t('Budgets'),
  mcp_server: () => t('MCP servers'),
  toolset: () => t('Toolsets'),
  agent: () => t('Agents'),
  model: () => t('Models'),
  guardrail: () => t('Guardrails'),
};

/** The records that name this one, such as the keys of a team. */
export function drawNamedBy(all: RecordUse['named_by']): TemplateResult | typeof nothing {
  if (all.length === 0) return nothing;
  return html`<section class="card"><h2>${t('Used by')}</h2>
    <dl class="facts">
      ${all.map(({ kind, total, has_more, records }) => {
        const rest = total - records.length;
        const more = has_more ? t('and more') : rest > 0 ? t('and {0} more', count(rest)) : '';
        return html`<dt>${headings[kind]()}</dt><dd>
          ${records.map((it, at) => html`${at === 0 ? '' : ', '}${recordLink(kind, it.id, it.name)}`)} ${more}</dd>`;
      })}
    </dl>
  </section>`;
}
