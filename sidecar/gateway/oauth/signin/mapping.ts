import { type GroupRights, highestRole } from '../../auth/pageCaller.ts';
import { type Claims, listClaim, verifiedEmail } from '../../auth/people/claims.ts';
import type { SignInOptions } from './contract.ts';

type Mapping = Pick<SignInOptions, 'groups' | 'default_role'>;

/** What groups give: the highest role of all of them, in the dashboard and in each team and organization. */
export function rightsOf({ groups, default_role }: Mapping, held: readonly string[]): GroupRights {
  const given = held.flatMap((it) => (Object.hasOwn(groups, it) ? (groups[it] ?? []) : []));
  const teams: Record<string, 'admin' | 'user'> = {};
  const organizations: Record<string, 'org_admin' | 'internal_user'> = {};
  for (const it of given) {
    for (const [id, role] of Object.entries(it.teams)) if (teams[id] !== 'admin') teams[id] = role;
    for (const [id, role] of Object.entries(it.organizations))
      if (organizations[id] !== 'org_admin') organizations[id] = role;
  }
  return { user_role: highestRole(given.map((it) => it.user_role)), default_role, teams, organizations };
}

/** Whether somebody may sign in at all. */
export function isAllowed(
  { allow, groups_claim }: Pick<SignInOptions, 'allow' | 'groups_claim'>,
  claims: Claims,
): boolean {
  if (allow.everyone) return true;
  if (listClaim(claims, groups_claim).some((it) => allow.groups.includes(it))) return true;
  const domain = verifiedEmail(claims)?.toLowerCase().split('@').at(-1);
  return domain !== undefined && allow.email_domains.includes(domain);
}
