import type { TeamMember, TeamRecord } from '../../../protocol/gateway/people.ts';
import { exceeds } from '../grants/exceeds.ts';
import type { Standing } from './rules.ts';

const ofEach = ['team_member_budget', 'team_member_rpm_limit', 'team_member_tpm_limit'] as const;

/**
 * Those who lead a team share out what it has: to one member no more than is meant for each.
 * @throws {Fault} `forbidden` naming `max_budget_in_team`
 */
export function checkMemberBudgets(standing: Standing, team: TeamRecord, members: readonly TeamMember[]): void {
  const { team_member_budget: most, team_member_budget_duration: duration } = team;
  if (standing !== 'team' || typeof most !== 'number') return;
  for (const { max_budget_in_team: asked, budget_duration } of members) {
    if (typeof asked !== 'number') continue;
    const isAsOften = !budget_duration || budget_duration === duration;
    if (asked > most || !isAsOften)
      throw exceeds('max_budget_in_team', `at most ${most} ${duration ? `per ${duration}` : 'in total'}`);
  }
}

/** They lower what is meant for each member and do not raise it. @throws {Fault} `forbidden` naming the field */
export function checkTeamMembers(before: TeamRecord, after: TeamRecord): void {
  for (const field of ofEach) {
    const most = before[field];
    const asked = after[field];
    if (typeof most === 'number' && (typeof asked !== 'number' || asked > most))
      throw exceeds(field, `at most ${most}`);
  }
  const duration = before.team_member_budget_duration ?? undefined;
  const isOther = (after.team_member_budget_duration ?? undefined) !== duration;
  if (typeof before.team_member_budget === 'number' && isOther)
    throw exceeds('team_member_budget_duration', duration ?? 'none');
  checkMemberBudgets('team', before, after.members_with_roles ?? []);
}
