import * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import { TeamRecord, UserRecord, userShape } from '../../../protocol/gateway/people.ts';
import { Id } from '../../../protocol/gateway/stamps.ts';
import { KeyView } from '../keys/generate.ts';
import { endKey } from '../keys/state.ts';
import { keyViews } from '../keys/view.ts';
import type { ManagementDeps } from '../managementDeps.ts';
import { pageOf, pagesOf } from '../paging.ts';
import { badField, Names, whole } from '../read.ts';
import { type Call, ok, type Route, route } from '../route.ts';
import { seesAll } from '../standing.ts';
import { change, create, created, existing, named, remove } from '../writes.ts';
import { withMembers } from './names.ts';

const tag = 'users';
const { teams: _teams, ...ownShape } = userShape;
const View = UserRecord.extend({
  /** By their own keys: what counts against their budget. */
  spend: z.number(),
  /** By keys of teams that name them: it counts against the budgets of the teams (gateway.user.team-spend). */
  team_spend: z.number(),
});

async function views({ spending, store }: ManagementDeps, users: readonly UserRecord[]) {
  const spent = await spending.of('user', users);
  const { items } = await store.key.list({ among: { user_ids: users.map((it) => it.user_id) } });
  const keys = items.filter((it) => it.team_id);
  const ofKeys = await spending.of('key', keys);
  const byTeams = new Map<string, number>();
  for (const [at, { user_id }] of keys.entries())
    byTeams.set(user_id!, (byTeams.get(user_id!) ?? 0) + (ofKeys[at]?.spend ?? 0));
  return users.map((it, at) => ({
    ...it,
    spend: spent[at]?.spend ?? 0,
    team_spend: byTeams.get(it.user_id) ?? 0,
  }));
}

const teamsWith = async ({ store }: ManagementDeps, userId: string) =>
  (await store.team.all()).filter((it) => it.members_with_roles?.some((member) => member.user_id === userId));

const newUser = route({
  method: 'POST',
  path: '/user/new',
  who: 'admin',
  tag,
  summary: 'Registers a user',
  body: z.strictObject({ user_id: Id.nullish(), ...userShape }),
  answer: View,
  async handle(call, deps) {
    const { user_id, teams, ...fields } = call.body;
    const id = user_id ?? deps.newId();
    for (const it of teams ?? [])
      if (!(await deps.store.team.get(it))) throw badField('teams', 'refers to a team that does not exist');
    const record = await create(call, deps, 'user', id, { user_id: id, ...named(fields), ...created(call, deps) });
    const member = { role: 'user' as const, user_id: id };
    for (const it of teams ?? []) {
      await change(call, deps, 'team', it, (team) => ({
        ...team,
        members_with_roles: withMembers(team.members_with_roles, [member]),
      }));
    }
    const [view] = await views(deps, [record]);
    return ok(view);
  },
});

const updateUser = route({
  method: 'POST',
  path: '/user/update',
  who: 'admin',
  tag,
  summary: "Updates the given fields. A null value clears a field. To change a user's teams, change the team members",
  body: z.strictObject({ user_id: Id, ...ownShape }),
  answer: View,
  async handle(call, deps) {
    const { user_id, ...fields } = call.body;
    const action = fields.blocked == null ? 'updated' : fields.blocked ? 'blocked' : 'unblocked';
    const record = await change(call, deps, 'user', user_id, (it) => ({ ...it, ...named(fields) }), action);
    const [view] = await views(deps, [record]);
    return ok(view);
  },
});

const deleteUsers = route({
  method: 'POST',
  path: '/user/delete',
  who: 'admin',
  tag,
  summary: 'Deletes users along with their keys and memberships',
  body: z.strictObject({ user_ids: z.array(Id).min(1).max(1_000) }),
  answer: z.object({ deleted_users: z.array(z.string()) }),
  async handle(call, deps) {
    for (const it of call.body.user_ids) await existing(deps, 'user', it);
    for (const it of call.body.user_ids) await forgetUser(call, deps, it);
    return ok({ deleted_users: call.body.user_ids });
  },
});

/** A user goes with their keys, memberships and sessions: the ID may be that of somebody else later. @throws {Fault} `not_found` */
export async function forgetUser(call: Pick<Call, 'actor'>, deps: ManagementDeps, userId: string): Promise<void> {
  for (const it of (await deps.store.key.list({ user_id: userId })).items) await endKey(call, deps, it.token);
  for (const { team_id } of await teamsWith(deps, userId)) {
    await change(call, deps, 'team', team_id, (it) => ({
      ...it,
      members_with_roles: it.members_with_roles?.filter((member) => member.user_id !== userId),
      scim: it.scim && { ...it.scim, members: [it.scim['members'] ?? []].flat().filter((id) => id !== userId) },
    }));
  }
  for (const { organization_id, members } of await deps.store.organization.all()) {
    if (!members?.some((it) => it.user_id === userId)) continue;
    await change(call, deps, 'organization', organization_id, (it) => ({
      ...it,
      members: it.members?.filter((member) => member.user_id !== userId),
    }));
  }
  await deps.store.pageSessions.removeOfUser(userId);
  await remove(call, deps, 'user', userId);
}

const userInfo = route({
  method: 'GET',
  path: '/user/info',
  who: 'any',
  tag,
  summary: 'Returns a user with their keys and teams. Without an ID, returns the user who sent the request',
  query: z.object({ user_id: Id.optional() }),
  answer: z.object({
    user_id: z.string(),
    user_info: View.nullable(),
    keys: z.array(KeyView),
    teams: z.array(TeamRecord),
  }),
  async handle(call, deps) {
    const own = call.caller.key.user_id;
    const user_id = call.query.user_id ?? own;
    if (!user_id) throw badField('user_id', 'is required because this key does not belong to a user');
    if (!seesAll(call.caller) && user_id !== own)
      throw new Fault('forbidden', 'You can see only your own user record.', { data: { field: 'user_id' } });
    const user = await deps.store.user.get(user_id);
    const keys = await keyViews(deps, (await deps.store.key.list({ user_id })).items);
    const [view] = user ? await views(deps, [user]) : [];
    return ok({ user_id, user_info: view ?? null, keys, teams: await teamsWith(deps, user_id) });
  },
});

const listUsers = route({
  method: 'GET',
  path: '/user/list',
  who: 'viewer',
  tag,
  summary: 'Lists users, one page at a time',
  query: z.object({
    page: whole(1, 1e9).default(1),
    page_size: whole(1, 1_000).default(25),
    role: userShape.user_role,
    user_ids: Names.optional(),
    /** Part of the address. */
    user_email: z.string().optional(),
    /** Part of the id, the name or the address. */
    search: z.string().optional(),
  }),
  answer: z.object({
    users: z.array(View),
    total: z.int(),
    page: z.int(),
    page_size: z.int(),
    total_pages: z.int(),
  }),
  async handle({ query }, deps) {
    const { page, page_size, role, user_ids, user_email, search } = query;
    const words = user_email?.toLowerCase();
    const isFound = ({ user_id, user_alias, user_email: address }: UserRecord) =>
      !search || [user_id, user_alias, address].some((it) => it?.toLowerCase().includes(search.toLowerCase()));
    const found = (await deps.store.user.all()).filter(
      (it) =>
        (!role || it.user_role === role) &&
        (!user_ids || user_ids.includes(it.user_id)) &&
        isFound(it) &&
        (!words || it.user_email?.toLowerCase().includes(words)),
    );
    const users = await views(deps, pageOf(found, { page, size: page_size }));
    return ok({ users, total: found.length, page, page_size, total_pages: pagesOf(found.length, page_size) });
  },
});

export const userRoutes: readonly Route[] = [newUser, updateUser, deleteUsers, userInfo, listUsers];
