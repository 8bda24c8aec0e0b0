import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { EndpointAnswer } from '../../../../sidecar/protocol/gateway/answers.ts';
import { toCsv } from '../../../../sidecar/protocol/gateway/csv.ts';
import { icon } from '../../../shared/icon.ts';
import { t } from '../../../shared/l10n.ts';
import { AdminElement } from '../../kit/adminElement.ts';
import { count, money, percent } from '../../kit/format.ts';
import { Loader } from '../../kit/loader.ts';
import { failure } from '../../kit/notice.ts';
import { dataTable } from '../../kit/table.ts';
import { tiles } from '../../kit/tiles.ts';
import { bars } from './bars.ts';
import type { UsageFilter } from './filters.ts';
import { firstCall } from './firstCall.ts';
import { type EndpointSums, sumEndpoints } from './sums.ts';
import './trend.ts';

/** Endpoint Activity: the specification's metrics for each endpoint, successful against failed, and the daily trend. */
class EndpointsElement extends AdminElement {
  static override properties = { ...AdminElement.properties, filter: { attribute: false, hasChanged: differs } };
  declare filter: UsageFilter;
  readonly #activity = new Loader(this, async (signal) => {
    const { key_alias: _, ...query } = this.filter;
    return sumEndpoints(await this.session.routes.endpoints(query, signal));
  });

  protected override willUpdate(changed: PropertyValues): void {
    if (changed.has('filter')) void this.#activity.run();
  }

  protected override render(): TemplateResult {
    const { value, error, isLoading } = this.#activity;
    const isEmpty = value?.totals.total_requests === 0;
    const failed = failure(error, () => void this.#activity.run());
    // Charts without numbers would look like numbers.
    if (!value && error !== undefined) return html`${failed}`;
    return html`${failed}
      ${tiles(t('Totals'), totalTiles(value))}
      ${isEmpty ? firstCall(this.session, this.#isFiltered()) : this.#charts(value)}
      ${
        isEmpty
          ? nothing
          : html`<section class="card">
            <header class="card-head"><h2>${t('Endpoints')}</h2>
              <button type="button" class="button" ?disabled=${!value} @click=${() => this.#download()}>${icon('desktop-download')} ${t('Download CSV')}</button>
            </header>
            ${dataTable<EndpointAnswer>({
              label: t('Endpoint activity'),
              rows: value?.endpoints,
              idOf: (it) => it.endpoint,
              isLoading,
              empty: html``,
              columns: [
                { name: t('Endpoint'), isWide: true, cell: (it) => html`<code>${it.endpoint}</code>` },
                { name: t('Successful Requests'), isNumber: true, cell: (it) => count(it.successful_requests) },
                { name: t('Failed Requests'), isNumber: true, cell: (it) => count(it.failed_requests) },
                { name: t('Total Requests'), isNumber: true, cell: (it) => count(it.total_requests) },
                { name: t('Success Rate'), isNumber: true, cell: (it) => percent(it.success_rate) },
                { name: t('Total Tokens'), isNumber: true, cell: (it) => count(it.total_tokens) },
                { name: t('Spend'), isNumber: true, cell: (it) => money(it.spend) },
              ],
            })}
          </section>`
      }`;
  }

  #charts(value: EndpointSums | undefined): TemplateResult {
    const rows = (value?.endpoints ?? []).map((it) => ({
      name: it.endpoint,
      successful: it.successful_requests,
      failed: it.failed_requests,
    }));
    return html`<div class="charts">
      <section class="card"><h2>${t('Daily trend')}</h2><admin-trend .days=${value?.daily ?? []}></admin-trend></section>
      <section class="card"><h2>${t('Successful and failed requests by endpoint')}</h2>${bars(rows)}</section>
    </div>`;
  }

  #isFiltered(): boolean {
    const { api_key, team_id, tag, end_date } = this.filter;
    return api_key !== '' || team_id !== '' || tag !== '' || end_date !== this.session.api.today;
  }

  #download(): void {
    const { start_date, end_date } = this.filter;
    const rows = (this.#activity.value?.endpoints ?? []).flatMap((it) =>
      it.daily.map((day) => csvRow(it.endpoint, day)),
    );
    this.session.place.save(`endpoint-activity-${start_date}-${end_date}.csv`, toCsv([csvHead, ...rows]));
    this.notify(t('The table was downloaded'));
  }
}
customElements.define('admin-endpoints', EndpointsElement);

function differs(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) !== JSON.stringify(other);
}

const csvHead = [
  'date',
  'endpoint',
  'successful_requests',
  'failed_requests',
  'total_requests',
  'success_rate',
  'total_tokens',
  'spend',
] as const;

const csvRow = (endpoint: string, it: EndpointAnswer['daily'][number]) => [
  it.date,
  endpoint,
  it.successful_requests,
  it.failed_requests,
  it.total_requests,
  it.success_rate,
  it.total_tokens,
  it.spend,
];

function totalTiles(value: EndpointSums | undefined) {
  const { totals } = value ?? {};
  const number = (it: number | undefined) => (it === undefined ? '…' : count(it));
  return [
    { label: t('Total Requests'), value: number(totals?.total_requests) },
    { label: t('Successful Requests'), value: number(totals?.successful_requests) },
    { label: t('Failed Requests'), value: number(totals?.failed_requests) },
    { label: t('Success Rate'), value: totals ? percent(totals.success_rate) : '…' },
    { label: t('Total Tokens'), value: number(totals?.total_tokens) },
    { label: t('Spend'), value: totals ? money(totals.spend) : '…' },
  ];
}
