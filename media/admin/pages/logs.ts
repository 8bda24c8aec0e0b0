import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { SpendLog } from '../../../sidecar/protocol/gateway/activity.ts';
import { icon } from '../../shared/icon.ts';
import { t } from '../../shared/l10n.ts';
import { AdminElement } from '../kit/adminElement.ts';
import { exportLinks } from '../kit/exports.ts';
import { filters, noRows } from '../kit/filters.ts';
import { addDays, count, duration, escaped, moment, money, none } from '../kit/format.ts';
import { pageLink, recordLink } from '../kit/links.ts';
import { Loader } from '../kit/loader.ts';
import { failure, hint } from '../kit/notice.ts';
import { pager } from '../kit/pager.ts';
import { input, select } from '../kit/select.ts';
import { suggest } from '../kit/suggest.ts';
import { type Column, dataTable } from '../kit/table.ts';
import { badge } from '../records/cells.ts';
import { endUserFinder, keyFinder } from '../records/finders.ts';
import { KeyNames } from '../records/keyNames.ts';
import { pageNumber } from '../records/localList.ts';
import { visible } from '../records/lookups.ts';
import { callName, openLog } from './logs/detail.ts';
import { Tail } from './logs/tail.ts';

const pageSize = 50;
const usualDays = 7;
/** Calls that a followed log takes at once. */
const TAILED = 100;
const filtered = [
  'key_alias',
  'api_key',
  'team_id',
  'user_id',
  'end_user',
  'model',
  'model_group',
  'session_id',
  'trace_id',
  'status_filter',
  'search',
] as const;

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
    const { until } = this.query;
    const query = {
      ...this.#matching(),
      ...(until && { end_date: until }),
      bounded: 'true',
      sort_by: sort,
      sort_order: order,
      page: pageNumber(this.query),
      page_size: pageSize,
    };
    const found = await this.session.routes.logs(query, signal);
    const { api_key } = this.query;
    this.#learn(found.rows);
    if (api_key) void this.#names.learn([api_key]);
    return found;
  });

  /** Names of end users, once a call has one. */
  readonly #named = new Loader(this, async (signal) => {
    const known = await visible(this.session.routes.endUsers(signal));
    return new Map(known.map((it) => [it.user_id, it.alias]));
  });
  readonly #findEndUser = (text: string) => (this.#endUsers ??= endUserFinder(this.session.routes))(text);
  #endUsers: ReturnType<typeof endUserFinder> | undefined;
  readonly #tail = new Tail(this, async (ended_after, signal) => {
    const { start_date: _from, end_date: _to, ...matching } = this.#matching();
    const query = { ...matching, ended_after, sort_by: 'endTime', page_size: TAILED };
    const { rows } = await this.session.routes.logs(query, signal);
    this.#learn(rows);
    return rows;
  });

  protected override firstUpdated(_changed: PropertyValues): void {
    void this.#teams.run();
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (!changed.has('query')) return;
    this.#tail.stop();
    void this.#list.run();
  }

  #matching() {
    return { ...this.#range(), ...Object.fromEntries(filtered.map((it) => [it, this.query[it]])) };
  }

  #range() {
    const { start_date, end_date } = this.query;
    const end = end_date || this.session.api.today;
    return { end_date: end, start_date: start_date || addDays(end, 1 - usualDays) };
  }

  protected override render(): TemplateResult {
    const { value, error, isLoading } = this.#list;
    const { sort = 'startTime', order = 'desc' } = this.query;
    const isLive = this.#tail.isOn;
    return html`<header class="page-head"><div><h1>${t('Logs')}</h1>
        <p class="muted">${t('One entry per call, without secrets. Times are in UTC.')}</p></div>
        <div class="exports">${this.#liveButton()}${exportLinks(this.session.place, '/spend/logs/v2', this.#matching())}</div></header>
      ${this.#filters()}
      ${failure(error ?? this.#tail.error, () => void this.#list.run())}
      ${isLive ? nothing : this.#lookedAt(value?.since)}
      <div role="status">${isLive ? hint(t('New calls that match the filters appear at the top, at most {0} at a time.', TAILED)) : nothing}</div>
      ${dataTable<SpendLog>({
        label: t('Calls'),
        rows: isLive ? this.#tail.rows : value?.rows,
        idOf: (it) => it.request_id,
        isLoading,
        columns: this.#columns(),
        empty: this.#empty(),
        sorted: isLive
          ? undefined
          : {
              by: sort,
              isDescending: order === 'desc',
              sort: (by) => this.#change({ sort: by, order: by === sort && order === 'desc' ? 'asc' : 'desc' }),
            },
      })}
      ${value && !isLive ? pager({ ...value, pageSize, go: (p) => this.ask({ p }) }) : nothing}`;
  }

  #empty(): TemplateResult {
    const used = filtered.filter((it) => this.query[it]);
    const clear = () => this.#change(Object.fromEntries(used.map((it) => [it, ''])));
    return noRows(
      'list-flat',
      t('No calls'),
      {
        filtered: t('No calls in this period match the filters.'),
        unfiltered: t('No calls in this period. Choose an earlier start, or make a call.'),
      },
      used.length > 0 ? clear : undefined,
      pageLink({ page: 'help' }, t('Connect a client')),
    );
  }

  /** From the first page on, and from the end of the period. */
  #change(query: Readonly<Record<string, string>>): void {
    this.ask({ ...query, p: '', until: '' });
  }

  /** Which part of the period is shown, where it has too many calls for one answer, with the way to the other parts. */
  #lookedAt(since: string | undefined): TemplateResult | typeof nothing {
    const { until } = this.query;
    if (since === undefined && !until) return nothing;
    const button = (words: string, to: string) =>
      html`<button type="button" class="button" @click=${() => this.ask({ until: to, p: '' })}>${words}</button>`;
    const words =
      since === undefined
        ? t('These are the calls until {0}.', moment(until ?? ''))
        : until
          ? t('The period has many calls. These are from {0} to {1}.', moment(since), moment(until))
          : t('The period has many calls. These are from {0} on.', moment(since));
    return html`<div class="banner" role="status">${icon('info')}<div class="banner-words">${words}</div>
      ${since === undefined ? nothing : button(t('Earlier calls'), before(since))}
      ${until ? button(t('Latest calls'), '') : nothing}</div>`;
  }

  /** Follows the log from now on; pressed again, the list as it is then. */
  #liveButton(): TemplateResult {
    const isLive = this.#tail.isOn;
    const press = () => {
      if (!isLive) return this.#tail.start(this.#list.value?.rows ?? [], this.session.api.now);
      this.#tail.stop();
      void this.#list.run();
    };
    return html`<button type="button" class="button" aria-pressed=${String(isLive)} @click=${press}>
      ${icon(isLive ? 'debug-pause' : 'play')} ${t('Live')}</button>`;
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
          html`<span class="named"><span>${callName(it)}</span><small class="muted">${it.endpoint}</small>${traceNote(it)}</span>`,
      },
      {
        name: t('Key'),
        isText: true,
        cell: (it) => {
          const key = it.api_key ? recordLink('key', it.api_key, this.#names.of(it.api_key)) : t('No key');
          const team = it.team_id ? html`<small class="muted">${teamOf(it.team_id)}</small>` : nothing;
          return html`<span class="named"><span>${key}</span>${team}</span>`;
        },
      },
      {
        name: t('End user'),
        isText: true,
        cell: (it) => (it.end_user ? recordLink('end_user', it.end_user, this.#endUserName(it.end_user)) : none),
      },
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

  #learn(rows: readonly SpendLog[]): void {
    void this.#names.learn(rows.map((it) => it.api_key));
    if (!this.#named.value && rows.some((it) => it.end_user)) void this.#named.run();
  }

  #endUserName(id: string): string {
    return escaped(this.#named.value?.get(id) || id);
  }

  /** What other pages filter by, with the way to take it away. */
  #chosen(): readonly TemplateResult[] {
    const { api_key, user_id, model_group } = this.query;
    const all = [
      { name: 'api_key', label: t('Key'), value: api_key && this.#names.of(api_key) },
      { name: 'user_id', label: t('User'), value: user_id },
      { name: 'model_group', label: t('Model'), value: model_group },
    ];
    return all
      .filter((it) => it.value)
      .map(
        ({
          name,
          label,
          value,
        }) => html`<button type="button" class="button" aria-label=${t('Stop filtering by {0}', label)}
          @click=${() => this.#change({ [name]: '' })}>${label}: ${value} ${icon('close')}</button>`,
      );
  }

  #filters(): TemplateResult {
    const { start_date, end_date } = this.#range();
    const change = (name: string) => (value: string) => this.#change({ [name]: value });
    const text = (label: string, name: (typeof filtered)[number]) => input(label, this.query[name] ?? '', change(name));
    const statuses = [
      { value: '', label: t('Any') },
      { value: 'success', label: t('Successful') },
      { value: 'failure', label: t('Failed') },
    ];
    const fields = html`
      ${input(t('From'), start_date, change('start_date'), { type: 'date' })}
      ${input(t('To'), end_date, change('end_date'), { type: 'date' })}
      ${select(t('Status'), this.query['status_filter'] ?? '', statuses, change('status_filter'))}
      ${suggest({ label: t('Key'), value: this.query['key_alias'] ?? '', find: keyFinder(this.session.routes), change: change('key_alias') })}
      ${select(t('Team'), this.query['team_id'] ?? '', [{ value: '', label: t('All teams') }, ...(this.#teams.value ?? [])], change('team_id'))}
      ${suggest({ label: t('End user'), value: this.query['end_user'] ?? '', find: this.#findEndUser, change: change('end_user') })}
      ${text(t('Model or tool'), 'model')}
      ${text(t('Session'), 'session_id')}
      ${text(t('Trace ID'), 'trace_id')}
      ${this.#chosen()}
      ${input(t('Search'), this.query['search'] ?? '', change('search'), { type: 'search' })}`;
    return filters(this.query, ['start_date', 'end_date', ...filtered], fields);
  }
}
customElements.define('admin-logs', LogsElement);

/** The moment before: what is not shown yet ends there. */
const before = (time: string): string => new Date(Date.parse(time) - 1).toISOString();

/** Below the call: most calls have no trace, and the table has little room. */
function traceNote({ trace_id: id }: SpendLog): TemplateResult | typeof nothing {
  if (!id) return nothing;
  const link = pageLink({ page: 'logs', trace_id: id }, html`<span title=${id}>${id.slice(0, 8)}</span>`);
  return html`<small class="muted">${t('Trace')} ${link}</small>`;
}

function statusCell({ status }: SpendLog): TemplateResult {
  return status === 'success' ? badge('good', 'pass', t('Success')) : badge('bad', 'error', t('Failed'));
}
