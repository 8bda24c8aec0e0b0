import * as z from 'zod';
import { TeamMemberPermissions, TeamRecord, teamShape } from '../../../protocol/gateway/people.ts';
import { Id } from '../../../protocol/gateway/stamps.ts';
import { endKey } from '../keys/state.ts';
import type { ManagementDeps } from '../managementDeps.ts';
import { ok, type Route, route } from '../route.ts';
import { change, checkOurs, create, created, named, remove } from '../writes.ts';
import { checkPlace, checkTeamBudget, checkTeamGrant, checkTeamGroups, ledTeam } from './rules.ts';

export const tag = 'teams';
export const TeamView = TeamRecord.extend({ spend: z.number() });

export async function teamViews({ spending }: ManagementDeps, teams: readonly TeamRecord[]) {
  const spent = await spending.of('team', teams);
  return teams.map((it, at) => ({ ...it, spend: spent[at]?.spend ?? 0 }));
}
export async function teamView(deps: ManagementDeps, team: TeamRecord) {
  const [view] = await teamViews(deps, [team]);
  return view!;
}

const newTeam = route({
  method: 'POST',
  path: '/team/new',
  who: 'any',
  tag,
  summary: "Creates a team. Requires an administrator or an admin of the team's organization",
  body: z.strictObject({ team_id: Id.nullish(), ...teamShape }),
  answer: TeamView,
  async handle(call, deps) {
    const { team_id, ...fields } = call.body;
    const id = team_id ?? deps.newId();
    const record: TeamRecord = { team_id: id, ...named(fields), ...created(call, deps) };
    await checkPlace(call, deps, record);
    await checkTeamBudget(deps, record.budget_id);
    await checkTeamGroups(deps, record.access_group_ids);
    const standing = call.caller.isAdmin ? 'administrator' : 'organization';
    await checkTeamGrant(call, deps, standing, undefined, record);
    return ok(await teamView(deps, await create(call, deps, 'team', id, record)));
  },
});

const updateTeam = route({
  method: 'POST',
  path: '/team/update',
  who: 'any',
  tag,
  summary: "Updates the given fields. A null value clears a field. Team admins cannot raise their team's limits",
  body: z.strictObject({ team_id: Id, ...teamShape }),
  answer: z.object({ team_id: z.string(), data: TeamView }),
  async handle(call, deps) {
    const { team_id, ...fields } = call.body;
    const { team, standing } = await ledTeam(call, deps, team_id);
    const next = (it: TeamRecord): TeamRecord => ({ ...it, ...named(fields) });
    const wanted = next(team);
    if (wanted.organization_id !== team.organization_id) await checkPlace(call, deps, wanted);
    await checkTeamBudget(deps, fields.budget_id);
    await checkTeamGroups(deps, fields.access_group_ids);
    await checkTeamGrant(call, deps, standing, team, wanted);
    return ok({ team_id, data: await teamView(deps, await change(call, deps, 'team', team_id, next)) });
  },
});

const updatePermissions = route({
  method: 'POST',
  path: '/team/permissions_update',
  who: 'any',
  tag,
  summary: "Sets what members who are not team admins can do with the team's keys",
  body: z.strictObject({ team_id: Id, team_member_permissions: TeamMemberPermissions }),
  answer: TeamView,
  async handle(call, deps) {
    const { team_id, team_member_permissions } = call.body;
    await ledTeam(call, deps, team_id);
    const wanted = [...new Set(team_member_permissions)];
    const next = (it: TeamRecord) => ({ ...it, team_member_permissions: wanted });
    return ok(await teamView(deps, await change(call, deps, 'team', team_id, next)));
  },
});

const deleteTeams = route({
  method: 'POST',
  path: '/team/delete',
  who: 'any',
  tag,
  summary: 'Deletes teams along with their keys',
  body: z.strictObject({ team_ids: z.array(Id).min(1).max(100) }),
  answer: z.object({ deleted_teams: z.array(z.string()) }),
  async handle(call, deps) {
    const ids = [...new Set(call.body.team_ids)];
    for (const it of ids) {
      const { team } = await ledTeam(call, deps, it);
      checkOurs(team);
      await checkPlace(call, deps, team);
    }
    for (const team_id of ids) {
      for (const it of (await deps.store.key.list({ team_id })).items) await endKey(call, deps, it.token);
      await remove(call, deps, 'team', team_id);
    }
    return ok({ deleted_teams: ids });
  },
});

const switching = (path: '/team/block' | '/team/unblock', blocked: boolean, summary: string) =>
  route({
    method: 'POST',
    path,
    who: 'any',
    tag,
    summary,
    body: z.strictObject({ team_id: Id }),
    answer: TeamView,
    async handle(call, deps) {
      const { team_id } = call.body;
      const { team, standing } = await ledTeam(call, deps, team_id);
      await checkTeamGrant(call, deps, standing, team, { ...team, blocked });
      const action = blocked ? 'blocked' : 'unblocked';
      return ok(await teamView(deps, await change(call, deps, 'team', team_id, (it) => ({ ...it, blocked }), action)));
    },
  });

export const teamRecordRoutes: readonly Route[] = [
  newTeam,
  updateTeam,
  updatePermissions,
  deleteTeams,
  switching('/team/block', true, 'Blocks a team so that all its keys are refused'),
  switching('/team/unblock', false, 'Unblocks a team'),
];
