import * as z from 'zod';
import { TeamMember } from '../../../protocol/gateway/people.ts';
import { Id } from '../../../protocol/gateway/stamps.ts';
import { isSameMember, memberNames, mustBeMember, TeamMembers, withMembers } from '../people/names.ts';
import { ok, type Route, route } from '../route.ts';
import { change } from '../writes.ts';
import { ledTeam } from './rules.ts';
import { TeamView, tag, teamView } from './teams.ts';

const addMembers = route({
  method: 'POST',
  path: '/team/member_add',
  who: 'any',
  tag,
  summary: 'Adds people to a team, or gives them another role',
  body: z.strictObject({ team_id: Id, member: TeamMembers }),
  answer: TeamView,
  async handle(call, deps) {
    const { team_id, member } = call.body;
    await ledTeam(call, deps, team_id);
    const record = await change(call, deps, 'team', team_id, (it) => ({
      ...it,
      members_with_roles: withMembers(it.members_with_roles, [member].flat()),
    }));
    return ok(await teamView(deps, record));
  },
});

const updateMember = route({
  method: 'POST',
  path: '/team/member_update',
  who: 'any',
  tag,
  summary: 'Gives a member another role',
  body: z.strictObject({ team_id: Id, ...memberNames, role: TeamMember.shape.role }),
  answer: TeamView,
  async handle(call, deps) {
    const { team_id, role, ...name } = call.body;
    const found = mustBeMember((await ledTeam(call, deps, team_id)).team.members_with_roles, name);
    const record = await change(call, deps, 'team', team_id, (it) => ({
      ...it,
      members_with_roles: withMembers(it.members_with_roles, [{ ...found, role }]),
    }));
    return ok(await teamView(deps, record));
  },
});

const deleteMember = route({
  method: 'POST',
  path: '/team/member_delete',
  who: 'any',
  tag,
  summary: 'Takes a person out of a team; keys stay as they are',
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
