import * as z from 'zod';
import { memberLimitShape, TeamMember } from '../../../protocol/gateway/people.ts';
import { Id } from '../../../protocol/gateway/stamps.ts';
import { isSameMember, memberNames, mustBeMember, TeamMembers, withMembers } from '../people/names.ts';
import { ok, type Route, route } from '../route.ts';
import { change, named } from '../writes.ts';
import { checkMemberBudgets } from './memberBudgets.ts';
import { ledTeam } from './rules.ts';
import { TeamView, tag, teamView } from './teams.ts';

const addMembers = route({
  method: 'POST',
  path: '/team/member_add',
  who: 'any',
  tag,
  summary: 'Adds members to a team or changes their roles',
  body: z.strictObject({ team_id: Id, member: TeamMembers, ...memberLimitShape }),
  answer: TeamView,
  async handle(call, deps) {
    const { team_id, member, ...limits } = call.body;
    const { team, standing } = await ledTeam(call, deps, team_id);
    const added = [member].flat().map((it) => ({ ...it, ...named(limits) }));
    checkMemberBudgets(standing, team, added);
    const record = await change(call, deps, 'team', team_id, (it) => ({
      ...it,
      members_with_roles: withMembers(it.members_with_roles, added),
    }));
    return ok(await teamView(deps, record));
  },
});

const updateMember = route({
  method: 'POST',
  path: '/team/member_update',
  who: 'any',
  tag,
  summary: "Changes a member's role or team budget. A null value removes the budget",
  body: z.strictObject({ team_id: Id, ...memberNames, role: TeamMember.shape.role.optional(), ...memberLimitShape }),
  answer: TeamView,
  async handle(call, deps) {
    const { team_id, user_id, user_email, ...fields } = call.body;
    const { team, standing } = await ledTeam(call, deps, team_id);
    const wanted = { ...mustBeMember(team.members_with_roles, { user_id, user_email }), ...named(fields) };
    checkMemberBudgets(standing, team, [wanted]);
    const record = await change(call, deps, 'team', team_id, (it) => ({
      ...it,
      members_with_roles: withMembers(it.members_with_roles, [wanted]),
    }));
    return ok(await teamView(deps, record));
  },
});

const deleteMember = route({
  method: 'POST',
  path: '/team/member_delete',
  who: 'any',
  tag,
  summary: 'Removes a member from a team. Keys do not change',
  body: z.strictObject({ team_id: Id, ...memberNames }),
  answer: TeamView,
  async handle(call, deps) {
    const { team_id, ...name } = call.body;
    mustBeMember((await ledTeam(call, deps, team_id)).team.members_with_roles, name);
    const record = await change(call, deps, 'team', team_id, (it) => ({
      ...it,
      members_with_roles: it.members_with_roles?.filter((member) => !isSameMember(name, member)),
    }));
    return ok(await teamView(deps, record));
  },
});

export const teamMemberRoutes: readonly Route[] = [addMembers, updateMember, deleteMember];
