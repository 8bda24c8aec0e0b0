import type { OrganizationRecord, TeamRecord } from '../../protocol/gateway/people.ts';
import type { Caller } from '../auth/caller.ts';

/** Administrators who may only look. */
export const isViewer = ({ key, user }: Caller): boolean =>
  key.role === 'proxy_admin_viewer' || user?.user_role === 'proxy_admin_viewer';

/** Whoever may change nothing, not even what is theirs. */
export const isReader = (caller: Caller): boolean =>
  isViewer(caller) || caller.user?.user_role === 'internal_user_viewer';

export const seesAll = (caller: Caller): boolean => caller.isAdmin || isViewer(caller);

interface Named {
  readonly user_id?: string | null | undefined;
  readonly user_email?: string | null | undefined;
}

/** The caller's person. A key without a user is nobody. */
export function isCaller(member: Named, { key, user }: Caller): boolean {
  if (!key.user_id) return false;
  if (member.user_id) return member.user_id === key.user_id;
  return Boolean(member.user_email) && member.user_email?.toLowerCase() === user?.user_email?.toLowerCase();
}

export const isMember = (caller: Caller, team: TeamRecord): boolean =>
  (team.members_with_roles?.some((it) => isCaller(it, caller)) ?? false) ||
  ofGroups(caller.groupRights?.teams, team.team_id) !== undefined;

/** What groups give for one team or organization. */
const ofGroups = <T>(given: Readonly<Record<string, T>> | undefined, id: string): T | undefined =>
  given && Object.hasOwn(given, id) ? given[id] : undefined;

export const isInOrganization = (caller: Caller, organization: OrganizationRecord): boolean =>
  (organization.members?.some((it) => isCaller(it, caller)) ?? false) ||
  ofGroups(caller.groupRights?.organizations, organization.organization_id) !== undefined;

export const leadsOrganization = (caller: Caller, organization: OrganizationRecord | undefined): boolean =>
  organization !== undefined &&
  ((organization.members?.some((it) => it.user_role === 'org_admin' && isCaller(it, caller)) ?? false) ||
    ofGroups(caller.groupRights?.organizations, organization.organization_id) === 'org_admin');

/** The team's own administrators, and those of its organisation. */
export const leadsTeam = (caller: Caller, team: TeamRecord, organization: OrganizationRecord | undefined): boolean =>
  (team.members_with_roles?.some((it) => it.role === 'admin' && isCaller(it, caller)) ?? false) ||
  ofGroups(caller.groupRights?.teams, team.team_id) === 'admin' ||
  leadsOrganization(caller, organization);
