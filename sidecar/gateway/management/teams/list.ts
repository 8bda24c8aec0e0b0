import * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import type { TeamRecord } from '../../../protocol/gateway/people.ts';
import { Id } from '../../../protocol/gateway/stamps.ts';
import { notFound } from '../../storage/records.ts';
import { KeyView } from '../keys/generate.ts';
import { keyViews } from '../keys/view.ts';
import type { ManagementDeps } from '../managementDeps.ts';
import { badField } from '../read.ts';
import { type Call, ok, type Route, route } from '../route.ts';
import { isMember, leadsTeam, seesAll } from '../standing.ts';
import { TeamView, tag, teamView, teamViews } from './teams.ts';

async function sees(
  { caller }: Call,
  { store }: ManagementDeps,
  team: TeamRecord,
): Promise<'all' | 'some' | undefined> {
  if (seesAll(caller)) return 'all';
  const organization = team.organization_id ? await store.organization.get(team.organization_id) : undefined;
  if (leadsTeam(caller, team, organization)) return 'all';
  return isMember(caller, team) || caller.key.team_id === team.team_id ? 'some' : undefined;
}

const teamInfo = route({
  method: 'GET',
  path: '/team/info',
  who: 'any',
  tag,
  summary: 'Returns a team. Team admins also see its keys',
  query: z.object({ team_id: Id.optional() }),
  answer: z.object({ team_id: z.string(), team_info: TeamView, keys: z.array(KeyView) }),
  async handle(call, deps) {
    const team_id = call.query.team_id ?? call.caller.key.team_id;
    if (!team_id) throw badField('team_id', 'is required because this key does not belong to a team');
    const team = await deps.store.team.get(team_id);
    const seen = team && (await sees(call, deps, team));
    if (!seen) throw notFound('team', team_id);
    const { items } = await deps.store.key.list({ team_id });
    const keys = items.filter((it) => seen === 'all' || it.token === call.caller.key.token);
    return ok({ team_id, team_info: await teamView(deps, team), keys: await keyViews(deps, keys) });
  },
});

const listTeams = route({
  method: 'GET',
  path: '/team/list',
  who: 'any',
  tag,
  summary: 'Lists teams. Administrators see all of them; others see those that they belong to or administer',
  query: z.object({ user_id: Id.optional(), organization_id: Id.optional() }),
  answer: z.array(TeamView),
  async handle(call, deps) {
    const { user_id, organization_id } = call.query;
    if (user_id && user_id !== call.caller.key.user_id && !seesAll(call.caller))
      throw new Fault('forbidden', 'You can see only your own teams.', { data: { field: 'user_id' } });
    const found: TeamRecord[] = [];
    for (const it of (await deps.store.team.list({ organization_id })).items) {
      const isOwn = user_id === call.caller.key.user_id && isMember(call.caller, it);
      const isOf = !user_id || isOwn || it.members_with_roles?.some((member) => member.user_id === user_id);
      if (isOf && (await sees(call, deps, it))) found.push(it);
    }
    return ok(await teamViews(deps, found));
  },
});

export const teamReadRoutes: readonly Route[] = [teamInfo, listTeams];
