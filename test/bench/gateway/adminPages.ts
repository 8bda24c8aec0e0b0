import { DAY_MS } from '../../../sidecar/protocol/gateway/duration.ts';
import { managementRows } from '../../support/gateway/managed.ts';
import { median, RUNS } from '../measure.ts';
import type { BenchGateway } from './benchGateway.ts';

export interface PageTime {
  readonly path: string;
  readonly firstMs: number;
  /** Of the times after the first; not a number where the gateway refused one. */
  readonly medianMs: number;
  /** What it said then. */
  readonly failure?: string;
}

const day = (ago: number) => new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10);
const month = `start_date=${day(30)}&end_date=${day(0)}`;
const week = `start_date=${day(7)}&end_date=${day(0)}`;

/** A page asks for its own breakdowns, of a week at once. */
const daily = (...breakdowns: readonly string[]) => breakdowns.map((it) => `${month}&page_size=7&breakdown=${it}`);

/** IDs of records, each of which has calls. */
export interface PageSubjects {
  /** Hash of a key. */
  readonly key: string;
  readonly key_alias: string;
  readonly team: string;
  readonly user: string;
  readonly organization: string;
  readonly end_user: string;
  readonly budget: string;
  readonly server: string;
}

/** What pages ask when they are opened, and by the filters that name a record. Other routes are asked without a query. */
const queriesOf = (it: PageSubjects): Readonly<Record<string, readonly string[]>> => ({
  '/key/list': [
    'return_full_object=true',
    'return_full_object=true&search=key-7',
    'return_full_object=true&search=absent',
    'return_full_object=true&sort_by=key_alias&sort_order=asc',
    'return_full_object=true&sort_by=max_budget',
    'return_full_object=true&sort_by=expires',
    `return_full_object=true&team_id=${it.team}`,
    'return_full_object=true&service_accounts=true',
    `return_full_object=true&key_alias=${it.key_alias}`,
  ],
  '/key/info': ['', `key=${it.key}`],
  '/key/aliases': ['', 'search=key-7'],
  '/team/info': [`team_id=${it.team}`],
  '/organization/info': [`organization_id=${it.organization}`],
  // Usage and pickers hold all of them.
  '/user/list': ['', 'search=absent', 'page_size=1000'],
  '/user/info': [`user_id=${it.user}`],
  '/customer/info': [`end_user_id=${it.end_user}`],
  '/budget/info': [`budget_id=${it.budget}`],
  '/user/daily/activity': [
    ...daily('mcp_servers,models', 'model_groups,providers', 'api_keys', 'entities'),
    `${week}&api_key=${it.key}`,
  ],
  '/user/daily/activity/aggregated': [`${week}&api_key=${it.key}`],
  '/team/daily/activity': [...daily('entities'), `${month}&team_ids=${it.team}`],
  '/agent/daily/activity': daily('entities'),
  '/customer/daily/activity': daily('entities'),
  '/organization/daily/activity': daily('entities'),
  '/tag/daily/activity': daily('entities'),
  '/gateway/daily/activity': [month],
  '/activity/endpoints': [month, `${month}&team_id=${it.team}`, `${month}&api_key=${it.key}`],
  '/activity/record': [
    `kind=key&id=${it.key}`,
    `kind=team&id=${it.team}`,
    `kind=user&id=${it.user}`,
    `kind=organization&id=${it.organization}`,
    `kind=end_user&id=${it.end_user}`,
    `kind=mcp_server&id=${it.server}`,
    `kind=budget&id=${it.budget}`,
  ].map((of) => `${of}&${month}`),
  '/spend/logs': [week],
  '/spend/logs/v2': [
    'page_size=50',
    `${week}&page_size=50`,
    ...[
      '',
      '&model=MCP:+tool-3',
      '&search=tool-3',
      '&search=absent',
      '&search=failed',
      '&search=session-777',
      ...['spend', 'request_duration_ms', 'total_tokens', 'model'].flatMap((it) => [
        `&sort_by=${it}`,
        `&sort_by=${it}&sort_order=asc`,
      ]),
      `&sort_by=spend&team_id=${it.team}`,
      `&sort_by=spend&status_filter=failure`,
      `&sort_by=spend&search=tool-3`,
      `&api_key=${it.key}`,
      `&key_alias=${it.key_alias}`,
      `&team_id=${it.team}`,
      `&user_id=${it.user}`,
      `&end_user=${it.end_user}`,
      '&session_id=session-77777',
      '&trace_id=absent',
      '&status_filter=failure',
      '&status_filter=success',
    ].flatMap((filter) => [week, month].map((range) => `${range}&bounded=true&page_size=50${filter}`)),
  ],
  '/alert/delivery/list': ['', 'state=dead', 'target=absent'],
  '/audit': ['', 'table_name=key', 'action=deleted', `start_date=${day(7)}&end_date=${day(0)}`],
});

/** Not there without a setting. */
const absent: ReadonlySet<string> = new Set(['/v1/mcp/registry.json', '/spend/logs/content']);

/** How long the first page of every list, log, record, and sum takes. */
export async function timePages(gateway: BenchGateway, subjects: PageSubjects): Promise<readonly PageTime[]> {
  const queries = queriesOf(subjects);
  const paths = (await managementRows())
    .filter((it) => it.method === 'GET' && !it.path.includes('{') && !absent.has(it.path))
    .flatMap(({ path }) => (queries[path] ?? ['']).map((query) => (query === '' ? path : `${path}?${query}`)));
  return timesOf(gateway, paths);
}

async function timesOf(gateway: BenchGateway, paths: readonly string[]): Promise<readonly PageTime[]> {
  const times: PageTime[] = [];
  for (const path of paths) {
    const tookMs: number[] = [];
    let failure: string | undefined;
    for (let run = 0; run <= RUNS && failure === undefined; run += 1) {
      const started = performance.now();
      await gateway.ask('GET', path).catch((thrown: unknown) => (failure = String(thrown)));
      tookMs.push(performance.now() - started);
    }
    const [firstMs = Number.NaN, ...later] = tookMs;
    times.push({
      path: path
        .replace(month, '30 days')
        .replace(week, '7 days')
        .replaceAll(/[0-9a-f]{64}/g, '(key)'),
      firstMs,
      ...(failure === undefined ? { medianMs: median(later) } : { medianMs: Number.NaN, failure }),
    });
  }
  return times;
}
