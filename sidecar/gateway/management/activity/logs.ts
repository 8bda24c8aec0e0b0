import * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import { type SpendLog, SpendLog as SpendLogSchema } from '../../../protocol/gateway/activity.ts';
import {
  DailyActivityQuery,
  Day,
  EndpointActivityQuery,
  SpendLogsQuery,
} from '../../../protocol/gateway/activityQueries.ts';
import { DAY_MS } from '../../../protocol/gateway/duration.ts';
import { endpointActivityCsv } from '../../activity/endpointActivity.ts';
import { exported, file, ListFormat } from '../exported.ts';
import type { ManagementDeps } from '../managementDeps.ts';
import { Flag } from '../read.ts';
import { type Call, ok, type Route, route } from '../route.ts';
import { seesAll } from '../standing.ts';
import { checkExport, contentRoutes } from './content.ts';
import { scopeOf } from './scope.ts';

const tag = 'activity';
const Format = z.enum(['json', 'csv']).default('json');

/** @throws {Fault} `forbidden` where the filters name calls of others */
async function scoped(call: Call, deps: ManagementDeps, query: SpendLogsQuery): Promise<SpendLogsQuery> {
  const isForeign = query.user_id?.some((it) => it !== call.caller.key.user_id);
  if (isForeign && !seesAll(call.caller) && !query.team_id)
    throw new Fault('forbidden', 'You can see only your own calls.', { data: { field: 'user_id' } });
  return { ...query, ...(await scopeOf(call, deps, query)) };
}

const spendLogsV2 = route({
  method: 'GET',
  path: '/spend/logs/v2',
  who: 'any',
  tag,
  summary: 'Lists calls, newest first. Unless you are an administrator, you see only your own calls',
  query: SpendLogsQuery.extend({
    format: ListFormat,
    content: Flag.default(false).describe('With jsonl: add the stored requests and responses'),
  }),
  answer: z.object({
    data: z.array(SpendLogSchema),
    total: z.int(),
    page: z.int(),
    page_size: z.int(),
    total_pages: z.int(),
    total_is_more: z.boolean().optional().describe('There are more calls than total. Only with bounded'),
    looked_at_since: z
      .string()
      .optional()
      .describe('Earlier calls were not searched or sorted, except by ID. Only with bounded'),
  }),
  async handle(call, deps) {
    const { format, content, ...query } = call.query;
    const wanted = await scoped(call, deps, query);
    if (content && format !== 'jsonl') throw onlyInLines();
    if (content) await checkExport(call, deps, wanted);
    if (format === 'json') return ok(await deps.activity.spendLogs(wanted));
    return exported(deps.activity.exportedSpendLogs(wanted, format, content), format, 'spend-logs');
  },
});

const onlyInLines = () =>
  new Fault('invalid_params', "'content' is available only with the format jsonl.", { data: { field: 'content' } });

/** Most lines of the older route. */
const MAX_LINES = 10_000;
const PAGE = 1_000;
const DEFAULT_DAYS = 30;

const spendLogs = route({
  method: 'GET',
  path: '/spend/logs',
  who: 'any',
  tag,
  summary: 'Returns spend by day, or up to 10,000 calls. For paging, use /spend/logs/v2',
  query: z.object({
    summarize: Flag.default(true),
    start_date: Day.optional(),
    end_date: Day.optional(),
    api_key: z.string().optional(),
    user_id: z.string().optional(),
    request_id: z.string().optional(),
  }),
  answer: z.array(z.unknown()),
  async handle(call, deps) {
    const { summarize, ...filter } = call.query;
    const query = await scoped(call, deps, SpendLogsQuery.parse(filter));
    return ok(summarize && !filter.request_id ? await byDay(deps, query) : await lines(deps, query));
  },
});

async function byDay({ activity, clock }: ManagementDeps, { start_date, end_date, api_key, user_id }: SpendLogsQuery) {
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const range = {
    start_date: start_date ?? day(clock.nowMs() - DEFAULT_DAYS * DAY_MS),
    end_date: end_date ?? day(clock.nowMs()),
  };
  const query = DailyActivityQuery.parse({ ...range, api_key, entity_ids: user_id });
  const { results } = await activity.wholeDaily('user', { ...query, breakdown: ['entities', 'models'] });
  return results.map(({ date, metrics, breakdown }) => {
    const spendOf = (groups: (typeof breakdown)['models']) =>
      Object.fromEntries(Object.entries(groups).map(([name, it]) => [name, it.metrics.spend]));
    return {
      startTime: date,
      spend: metrics.spend,
      users: spendOf(breakdown.entities),
      models: spendOf(breakdown.models),
    };
  });
}

async function lines({ activity }: ManagementDeps, query: SpendLogsQuery): Promise<readonly SpendLog[]> {
  const found: SpendLog[] = [];
  for (let page = 1; found.length < MAX_LINES; page += 1) {
    const { data, total_pages } = await activity.spendLogs({ ...query, page, page_size: PAGE });
    found.push(...data);
    if (page >= total_pages) break;
  }
  return found;
}

const Sums = {
  successful_requests: z.int(),
  failed_requests: z.int(),
  total_requests: z.int(),
  /** Percent; null where there was no request. */
  success_rate: z.number().nullable(),
  total_tokens: z.int(),
  spend: z.number(),
};
const Days = z.array(z.object({ date: z.string(), ...Sums }));

const endpoints = route({
  method: 'GET',
  path: '/activity/endpoints',
  who: 'any',
  tag,
  summary:
    'Returns the seven metrics for each endpoint. Unless you are an administrator, they cover only your own calls',
  query: EndpointActivityQuery.safeExtend({ format: Format }),
  answer: z.object({
    endpoints: z.array(z.object({ endpoint: z.string(), ...Sums, daily: Days })),
    totals: z.object(Sums),
    daily: Days,
  }),
  async handle(call, deps) {
    const { format, ...query } = call.query;
    const answer = await deps.activity.endpoints({ ...query, ...(await scopeOf(call, deps, query)) });
    return format === 'csv' ? file(endpointActivityCsv(answer), 'csv', 'endpoint-activity') : ok(answer);
  },
});

export const logRoutes: readonly Route[] = [spendLogs, spendLogsV2, ...contentRoutes, endpoints];
