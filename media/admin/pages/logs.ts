import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { SpendLog } from '../../../sidecar/protocol/gateway/activity.ts';
import { t } from '../../shared/l10n.ts';
import { AdminElement } from '../kit/adminElement.ts';
import { exportLinks } from '../kit/exports.ts';
import { addDays, count, duration, moment, money } from '../kit/format.ts';
import { Loader } from '../kit/loader.ts';
import { emptyState, failure } from '../kit/notice.ts';
import { pager } from '../kit/pager.ts';
import { input, select } from '../kit/select.ts';
import { type Column, dataTable } from '../kit/table.ts';
import { badge } from '../records/cells.ts';
import { KeyNames } from '../records/keyNames.ts';
import { visible } from '../records/lookups.ts';
import { pageNumber } from '../records/recordsElement.ts';
import { openLog } from './logs/detail.ts';

const pageSize = 50;
const usualDays = 7;
const filters = ['key_alias', 'team_id', 'end_user', 'model', 'session_id', 'status_filter', 'search'] as const;

/** Every call, newest first. The gateway filters, sorts and pages; the page holds one page. */
class LogsElement extends AdminElement {
  readonly #names = new KeyNames(this, () => this.session.routes);
  readonly #teams = new Loader(this, async (signal) =>
    (await visible(this.session.routes.teams(signal))).map((it) => ({
      value: it.team_id,
      label: it.team_alias || it.team_id,
    })),
  );
  readonly #list = new Loader(this, async (signal) => {
    const { sort = 'startTime', order = 'desc' } = this.query;
    const query = {
      ...this.#matching(),
      sort_by: sort,
      sort_order: order,
      page: pageNumber(this.query),
      page_size: pageSize,
    };
    const found = await this.session.routes.logs(query, signal);
    void this.#names.learn(found.rows.map((it) => it.api_key));
    return found;
  });

  protected override firstUpdated(_changed: PropertyValues): void {
    void this.#teams.run();
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (changed.has('query')) void this.#list.run();
  }

  #matching() {
    return { ...this.#range(), ...Object.fromEntries(filters.map((it) => [it, this.query[it]])) };
  }

  #range() {
    const { start_date, end_date } = this.query;
    const end = end_date || this.session.api.today;
    return { end_date: end, start_date: start_date || addDays(end, 1 - usualDays) };
  }

  protected override render(): TemplateResult {
    const { value, error, isLoading } = this.#list;
    const { sort = 'startTime', order = 'desc' } = this.query;
    return html`<header class="page-head"><div><h1>${t('Logs')}</h1>
        <p class="muted">${t('One entry per call. Content and secrets are not recorded. Times are in UTC.')}</p></div>
        ${exportLinks(this.session.place, '/spend/logs/v2', this.#matching())}</header>
      ${this.#filters()}
      ${failure(error, () => void this.#list.run())}
      ${dataTable<SpendLog>({
        label: t('Calls'),
        rows: value?.rows,
        idOf: (it) => it.request_id,
        isLoading,
        columns: this.#columns(),
        empty: emptyState('list-flat', t('No calls'), t('No calls in this period match the filters.')),
        sorted: {
          by: sort,
          isDescending: order === 'desc',
          sort: (by) => this.ask({ sort: by, order: by === sort && order === 'desc' ? 'asc' : 'desc', p: '' }),
        },
      })}
      ${value ? pager({ ...value, pageSize, go: (p) => this.ask({ p }) }) : nothing}`;
  }

  #columns(): readonly Column<SpendLog>[] {
    const teamOf = (id: string) => this.#teams.value?.find((it) => it.value === id)?.label ?? id;
    const open = (it: SpendLog) => () =>
      openLog(this.session, it, { key: this.#names.of(it.api_key), team: teamOf(it.team_id ?? '') });
    return [
      {
        name: t('Time'),
        sort: 'startTime',
        cell: (it) =>
          html`<button type="button" class="link" aria-label=${t('Details for the call at {0}', moment(it.startTime))} @click=${open(it)}>${moment(it.startTime)}</button>`,
      },
      { name: t('Status'), cell: statusCell },
      {
        name: t('Call'),
        isWide: true,
        sort: 'model',
        cell: (it) =>
          html`<span class="named"><span>${it.model || it.call_type}</span><small class="muted">${it.endpoint}</small></span>`,
      },
      { name: t('Key'), cell: (it) => (it.api_key ? this.#names.of(it.api_key) : t('No key')) },
      { name: t('Tokens'), isNumber: true, sort: 'total_tokens', cell: (it) => count(it.total_tokens) },
      { name: t('Spend'), isNumber: true, sort: 'spend', cell: (it) => money(it.spend) },
      {
        name: t('Duration'),
        isNumber: true,
        sort: 'request_duration_ms',
        cell: (it) => duration(it.request_duration_ms),
      },
    ];
  }

  #filters(): TemplateResult {
    const { start_date, end_date } = this.#range();
    const change = (name: string) => (value: string) => this.ask({ [name]: value, p: '' });
    const text = (label: string, name: (typeof filters)[number]) => input(label, this.query[name] ?? '', change(name));
    const statuses = [
      { value: '', label: t('Any') },
      { value: 'success', label: t('Successful') },
      { value: 'failure', label: t('Failed') },
    ];
    return html`<div class="filters" role="search" aria-label=${t('Filters')}>
      ${input(t('From'), start_date, change('start_date'), { type: 'date' })}
      ${input(t('To'), end_date, change('end_date'), { type: 'date' })}
      ${select(t('Status'), this.query['status_filter'] ?? '', statuses, change('status_filter'))}
      ${text(t('Key'), 'key_alias')}
      ${select(t('Team'), this.query['team_id'] ?? '', [{ value: '', label: t('All teams') }, ...(this.#teams.value ?? [])], change('team_id'))}
      ${text(t('End user'), 'end_user')}
      ${text(t('Model or tool'), 'model')}
      ${text(t('Session'), 'session_id')}
      ${input(t('Search'), this.query['search'] ?? '', change('search'), { type: 'search' })}
    </div>`;
  }
}
customElements.define('admin-logs', LogsElement);

function statusCell({ status }: SpendLog): TemplateResult {
  return status === 'success' ? badge('good', 'pass', t('Success')) : badge('bad', 'error', t('Failed'));
}
