import { html, type PropertyValues, type TemplateResult } from 'lit';
import type { DailyActivityAnswer } from '../../../../sidecar/protocol/gateway/answers.ts';
import { icon } from '../../../shared/icon.ts';
import { t } from '../../../shared/l10n.ts';
import { AdminElement } from '../../kit/adminElement.ts';
import { toCsv } from '../../kit/csv.ts';
import { count, money, percent, shortHash } from '../../kit/format.ts';
import { Loader } from '../../kit/loader.ts';
import { emptyState, failure } from '../../kit/notice.ts';
import { dataTable } from '../../kit/table.ts';
import { bars } from './bars.ts';
import type { UsageFilter } from './filters.ts';
import { type Breakdown, type SumRow, sumDays } from './sums.ts';

interface Side {
  readonly entity: 'user' | 'team' | 'agent' | 'tag';
  readonly breakdown: Breakdown;
  readonly column: () => string;
}
const sides: Readonly<Record<string, Side>> = {
  servers: { entity: 'user', breakdown: 'mcp_servers', column: () => t('Server and tool') },
  agents: { entity: 'agent', breakdown: 'entities', column: () => t('Agent') },
  keys: { entity: 'user', breakdown: 'api_keys', column: () => t('Key') },
  teams: { entity: 'team', breakdown: 'entities', column: () => t('Team') },
  tags: { entity: 'tag', breakdown: 'entities', column: () => t('Tag') },
};
const hash = /^[0-9a-f]{64}$/;

/** The same days by server and tool, agent, key, team or tag. */
class BreakdownElement extends AdminElement {
  static override properties = {
    ...AdminElement.properties,
    filter: { attribute: false, hasChanged: (a: unknown, b: unknown) => JSON.stringify(a) !== JSON.stringify(b) },
    side: { attribute: false },
  };
  declare filter: UsageFilter;
  declare side: string;
  readonly #sums = new Loader(this, (signal) => this.#load(signal));

  protected override willUpdate(changed: PropertyValues): void {
    if (!changed.has('filter') && !changed.has('side')) return;
    if (changed.has('side')) this.#sums.value = undefined;
    void this.#sums.run();
  }

  async #load(signal: AbortSignal): Promise<SumRow[]> {
    const { entity, breakdown } = sides[this.side]!;
    const { start_date, end_date, api_key } = this.filter;
    const results: DailyActivityAnswer['results'] = [];
    for (let page = 1; ; page++) {
      const query = { start_date, end_date, api_key, page, page_size: 1_000 };
      const answer = await this.session.routes.daily(entity, query, signal);
      results.push(...answer.results);
      if (!answer.metadata.has_more) return sumDays(results, breakdown);
    }
  }

  protected override render(): TemplateResult {
    const { value, error, isLoading } = this.#sums;
    const column = sides[this.side]!.column();
    const nameOf = (it: SumRow) => (hash.test(it.name) ? shortHash(it.name) : it.name);
    return html`${failure(error, () => void this.#sums.run())}
      <section class="card">
        <header class="card-head"><h2>${column}</h2>
          <button type="button" class="button" ?disabled=${!value?.length} @click=${() => this.#download()}>${icon('desktop-download')} ${t('Download CSV')}</button>
        </header>
        ${value && value.length > 1 ? bars(value.map((it) => ({ ...it, name: nameOf(it) }))) : ''}
        ${dataTable<SumRow>({
          label: t('Activity by {0}', column.toLowerCase()),
          rows: value,
          idOf: (it) => it.id,
          isLoading,
          empty: emptyState('graph', t('No calls'), t('Nothing was counted here in these days.')),
          columns: [
            { name: column, isWide: true, cell: (it) => html`<span title=${it.id}>${nameOf(it)}</span>` },
            { name: t('Successful Requests'), isNumber: true, cell: (it) => count(it.successful) },
            { name: t('Failed Requests'), isNumber: true, cell: (it) => count(it.failed) },
            { name: t('Total Requests'), isNumber: true, cell: (it) => count(it.total) },
            { name: t('Success Rate'), isNumber: true, cell: (it) => percent(rateOf(it)) },
            { name: t('Total Tokens'), isNumber: true, cell: (it) => count(it.tokens) },
            { name: t('Spend'), isNumber: true, cell: (it) => money(it.spend) },
          ],
        })}
      </section>`;
  }

  #download(): void {
    const { start_date, end_date } = this.filter;
    const rows = (this.#sums.value ?? []).map((it) => [
      it.id,
      it.name,
      it.successful,
      it.failed,
      it.total,
      rateOf(it),
      it.tokens,
      it.spend,
    ]);
    const head = [
      'id',
      'name',
      'successful_requests',
      'failed_requests',
      'total_requests',
      'success_rate',
      'total_tokens',
      'spend',
    ];
    this.session.place.save(`activity-by-${this.side}-${start_date}-${end_date}.csv`, toCsv([head, ...rows]));
    this.tell(t('The table was downloaded'));
  }
}
customElements.define('admin-breakdown', BreakdownElement);

const rateOf = ({ successful, total }: SumRow): number | null => (total === 0 ? null : (successful / total) * 100);
