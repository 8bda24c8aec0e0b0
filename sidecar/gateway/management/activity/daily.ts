import * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import { breakdowns, type DailyActivity, Metrics } from '../../../protocol/gateway/activity.ts';
import { DailyActivityQuery, type EntityKind, GatewayDailyQuery } from '../../../protocol/gateway/activityQueries.ts';
import { tokenOf } from '../keys/place.ts';
import type { ManagementDeps } from '../managementDeps.ts';
import { Names, whole } from '../read.ts';
import { type Call, ok, type Route, type Answer as RouteAnswer, route } from '../route.ts';
import { seesAll } from '../standing.ts';
import { organizationScope, teamScope } from './scope.ts';

const tag = 'activity';
const Answer = z.object({
  results: z.array(
    z.object({
      date: z.string(),
      metrics: Metrics,
      breakdown: z.record(z.string(), z.record(z.string(), z.unknown())),
    }),
  ),
  metadata: z.record(z.string(), z.unknown()),
});
/** Tens of megabytes of a busy month: each day becomes text when the one before it is on its way, and calls come between. */
function inPieces({ results, metadata }: DailyActivity): RouteAnswer {
  const encoder = new TextEncoder();
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at < results.length) {
        controller.enqueue(encoder.encode(`${at === 0 ? '{"results":[' : ','}${JSON.stringify(results[at])}`));
        at += 1;
        return;
      }
      const begin = results.length === 0 ? '{"results":[' : '';
      controller.enqueue(encoder.encode(`${begin}],"metadata":${JSON.stringify(metadata)}}`));
      controller.close();
    },
  });
  return { status: 200, body, headers: { 'content-type': 'application/json' } };
}

/** Only these, and in them no keys of a group. */
const breakdown = Names.pipe(z.array(z.enum([...breakdowns, 'api_keys']))).optional();
const ofUser = { user_id: Names.optional(), breakdown };
const ofOthers = {
  breakdown,
  team_ids: Names.optional(),
  agent_ids: Names.optional(),
  exclude_agent_ids: Names.optional(),
  end_user_ids: Names.optional(),
  organization_ids: Names.optional(),
  tags: Names.optional(),
  page_size: whole(1, 1_000).default(10),
};
const UserQuery = DailyActivityQuery.safeExtend(ofUser);
const OthersQuery = DailyActivityQuery.safeExtend(ofOthers);
type Others = z.infer<typeof OthersQuery>;

const userDaily = (path: '/user/daily/activity' | '/user/daily/activity/aggregated') =>
  route({
    method: 'GET',
    path,
    who: 'any',
    tag,
    summary: 'Returns call totals by day. Unless you are an administrator, they include only your own calls',
    query: UserQuery,
    answer: Answer,
    async handle(call, { activity }) {
      const { user_id, ...query } = call.query;
      const ids = user_id ?? query.entity_ids;
      const own = call.caller.key.user_id;
      const isOwn = own && ids?.length === 1 && ids[0] === own;
      if (!seesAll(call.caller) && !isOwn)
        throw new Fault('forbidden', 'Set user_id to your own ID. You can see only your own calls.', {
          data: { field: 'user_id' },
        });
      const asked = { ...query, entity_ids: ids, api_key: query.api_key?.map(tokenOf) };
      return inPieces(await (path.endsWith('aggregated') ? activity.wholeDaily : activity.daily)('user', asked));
    },
  });

/** Which ids each family asks by, and who may see them. */
const scopes: Readonly<
  Record<
    Exclude<EntityKind, 'user'>,
    (call: Call, deps: ManagementDeps, query: Others) => Promise<{ ids: readonly string[] | undefined; keys?: unknown }>
  >
> = {
  team: (call, deps, query) => teamScope(call, deps, query.team_ids ?? query.entity_ids, query.api_key),
  organization: async (call, deps, query) => ({
    ids: await organizationScope(call, deps, query.organization_ids ?? query.entity_ids),
  }),
  agent: async (call, deps, query) => {
    onlyViewers(call);
    const ids = query.agent_ids ?? query.entity_ids;
    const excluded = query.exclude_agent_ids;
    if (!excluded) return { ids };
    const all = ids ?? (await deps.store.agent.all()).map((it) => it.agent_id);
    return { ids: all.filter((it) => !excluded.includes(it)) };
  },
  customer: (call, _deps, query) => viewersOnly(call, query.end_user_ids ?? query.entity_ids),
  tag: (call, _deps, query) => viewersOnly(call, query.tags ?? query.entity_ids),
};

async function viewersOnly(call: Call, ids: readonly string[] | undefined) {
  onlyViewers(call);
  return Promise.resolve({ ids });
}
function onlyViewers({ caller }: Call): void {
  if (!seesAll(caller)) throw new Fault('forbidden', 'Only administrators and viewers can see these calls.');
}

const otherDaily = (entity: Exclude<EntityKind, 'user'>) =>
  route({
    method: 'GET',
    path: `/${entity}/daily/activity`,
    who: 'any',
    tag,
    summary: `Returns call totals by day and ${entity}`,
    query: OthersQuery,
    answer: Answer,
    async handle(call, deps) {
      const { query } = call;
      const keys = query.api_key?.map(tokenOf);
      const scope = await scopes[entity](call, deps, { ...query, api_key: keys });
      const api_key = Array.isArray(scope.keys) ? scope.keys.map(String) : keys;
      const entity_ids = scope.ids && [...scope.ids];
      return inPieces(await deps.activity.daily(entity, { ...query, entity_ids, api_key }));
    },
  });

const gatewayDaily = route({
  method: 'GET',
  path: '/gateway/daily/activity',
  who: 'viewer',
  tag,
  summary: 'Returns all requests by day and route, including requests from unknown callers',
  query: GatewayDailyQuery,
  answer: z.object({
    total_successful_requests: z.int(),
    total_failed_requests: z.int(),
    by_date: z.array(z.object({ date: z.string(), successful_requests: z.int(), failed_requests: z.int() })),
    by_route: z.array(
      z.object({ category: z.string(), route: z.string(), successful_requests: z.int(), failed_requests: z.int() }),
    ),
  }),
  handle: async (call, { activity }) => ok(await activity.gatewayDaily(call.query)),
});

export const dailyRoutes: readonly Route[] = [
  userDaily('/user/daily/activity'),
  userDaily('/user/daily/activity/aggregated'),
  ...(['team', 'agent', 'customer', 'organization', 'tag'] as const).map(otherDaily),
  gatewayDaily,
];
