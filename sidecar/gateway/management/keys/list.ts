import * as z from 'zod';
import type { KeyRecord } from '../../../protocol/gateway/key.ts';
import type { Among } from '../../storage/recordList.ts';
import type { ManagementDeps } from '../managementDeps.ts';
import { pageOf, pagesOf } from '../paging.ts';
import { Flag, Order, whole } from '../read.ts';
import { type Call, ok, route } from '../route.ts';
import { seesAll } from '../standing.ts';
import { KeyView } from './generate.ts';
import { findKey, teamsInSight, tokenOf } from './place.ts';
import { keyView, keyViews } from './view.ts';

const sortable = ['created_at', 'updated_at', 'key_alias', 'max_budget', 'expires'] as const;
const ListQuery = z.object({
  page: whole(1, 1e9).default(1),
  size: whole(1, 100).default(10),
  user_id: z.string().optional(),
  team_id: z.string().optional(),
  organization_id: z.string().optional(),
  agent_id: z.string().optional(),
  access_group_id: z.string().optional(),
  key_hash: z.string().optional(),
  key_alias: z.string().optional(),
  /** Begins the hash or is part of the alias. */
  search: z.string().optional(),
  return_full_object: Flag.default(false),
  include_team_keys: Flag.default(true),
  include_created_by_keys: Flag.default(false),
  sort_by: z.enum(sortable).default('created_at'),
  sort_order: Order.default('desc'),
  /** Only service accounts, or none of them. */
  service_accounts: Flag.optional(),
  expand: z.literal('user').optional(),
  status: z.literal('deleted').optional(),
  /** Keys that end before this; RFC 3339. */
  expires: z.iso.datetime({ offset: true }).optional(),
});
type ListQuery = z.infer<typeof ListQuery>;

/** Keys that the caller may see and that the filters name; the database does what it can. */
async function find(call: Call, deps: ManagementDeps, query: ListQuery) {
  const { user_id, team_id, organization_id, agent_id, search, key_hash, key_alias, service_accounts } = query;
  const records = query.status === 'deleted' ? deps.store.deleted_key : deps.store.key;
  const { page, size, sort_by, sort_order } = query;
  const filter = {
    ...{ user_id, team_id, organization_id, agent_id, search },
    id: key_hash === undefined ? undefined : tokenOf(key_hash),
    alias: key_alias,
    isOfTeamAlone: service_accounts,
    among: await visibleTo(call, deps, query),
    sort_by: sort_by === 'key_alias' ? ('alias' as const) : sort_by,
    descending: sort_order === 'desc',
  };
  if (!(query.access_group_id || query.expires))
    return records.list({ ...filter, limit: size, offset: (page - 1) * size });
  const all = (await records.list(filter)).items.filter((it) => isNamed(it, query));
  return { items: pageOf(all, { page, size }), total: all.length };
}

/** Which keys the caller may see; `undefined` for all of them. */
async function visibleTo(
  call: Call,
  deps: ManagementDeps,
  query: Pick<ListQuery, 'include_team_keys' | 'include_created_by_keys'>,
): Promise<Among | undefined> {
  if (seesAll(call.caller)) return undefined;
  const { user_id, token } = call.caller.key;
  const led = query.include_team_keys ? (await teamsInSight(call, deps)).map((it) => it.team_id) : [];
  return {
    id: token,
    user_ids: user_id ? [user_id] : [],
    team_ids: led,
    created_by: query.include_created_by_keys && user_id ? user_id : undefined,
  };
}

const isNamed = (key: KeyRecord, { expires, access_group_id }: ListQuery) =>
  (access_group_id === undefined || (key.access_group_ids?.includes(access_group_id) ?? false)) &&
  (expires === undefined || (Boolean(key.expires) && Date.parse(key.expires!) <= Date.parse(expires)));

export const keyInfo = route({
  method: 'GET',
  path: '/key/info',
  who: 'any',
  tag: 'keys',
  summary: 'Returns a key by its hash. Without a hash, returns the key used for the request',
  query: z.object({ key: z.string().min(1).optional() }),
  answer: z.object({ key: z.string(), info: KeyView }),
  async handle(call, deps) {
    const { caller, query } = call;
    const isOwn = query.key === undefined && caller.groupRights !== undefined;
    const key = isOwn ? caller.key : await findKey(call, deps, query.key ?? caller.key.token, '/key/info');
    return ok({ key: key.token, info: await keyView(deps, key) });
  },
});

export const listKeys = route({
  method: 'GET',
  path: '/key/list',
  who: 'any',
  tag: 'keys',
  summary:
    'Lists keys, one page at a time. Administrators see all keys; others see their own keys and those of teams that they administer or that let members list keys',
  query: ListQuery,
  answer: z.object({
    keys: z.array(z.union([z.string(), KeyView])),
    total_count: z.int(),
    current_page: z.int(),
    total_pages: z.int(),
  }),
  async handle(call, deps) {
    const { query } = call;
    const { items, total } = await find(call, deps, query);
    const isFull = query.return_full_object || query.expand === 'user';
    const views = isFull ? await keyViews(deps, items) : items.map((it) => it.token);
    const keys = query.expand === 'user' && isFull ? await withUsers(deps, items, views) : views;
    return ok({ keys, total_count: total, current_page: query.page, total_pages: pagesOf(total, query.size) });
  },
});

async function withUsers({ store }: ManagementDeps, keys: readonly KeyRecord[], views: readonly unknown[]) {
  const users = await Promise.all(
    keys.map((it) => (it.user_id ? store.user.get(it.user_id) : Promise.resolve(undefined))),
  );
  return views.map((view, at) => ({ ...(view as object), user: users[at] ?? null }));
}

export const listAliases = route({
  method: 'GET',
  path: '/key/aliases',
  who: 'any',
  tag: 'keys',
  summary: 'Lists the names of the keys that you can see',
  query: z.object({
    page: whole(1, 1e9).default(1),
    size: whole(1, 100).default(50),
    search: z.string().optional(),
    team_id: z.string().optional(),
  }),
  answer: z.object({
    aliases: z.array(z.string()),
    total_count: z.int(),
    current_page: z.int(),
    total_pages: z.int(),
  }),
  async handle(call, deps) {
    const { page, size, search, team_id } = call.query;
    const among = await visibleTo(call, deps, ListQuery.parse({}));
    const { items, total } = await deps.store.key.aliases({
      ...{ team_id, search, among },
      limit: size,
      offset: (page - 1) * size,
    });
    const total_pages = pagesOf(total, size);
    return ok({ aliases: items, total_count: total, current_page: page, total_pages });
  },
});
