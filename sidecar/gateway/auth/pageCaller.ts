import { createHash } from 'node:crypto';
import type { KeyRecord } from '../../protocol/gateway/key.ts';
import { type UserRecord, UserRole } from '../../protocol/gateway/people.ts';

/** What the groups of a person give in one session of the gateway's pages. Nothing of it is written to a record. */
export interface GroupRights {
  readonly user_role?: UserRole | undefined;
  /** Where neither a group nor the user record gives a role. */
  readonly default_role: UserRole;
  readonly teams: Readonly<Record<string, 'admin' | 'user'>>;
  readonly organizations: Readonly<Record<string, 'org_admin' | 'internal_user'>>;
}

/** The highest of some roles. */
export const highestRole = (roles: readonly (UserRole | null | undefined)[]): UserRole | undefined =>
  UserRole.options.find((it) => roles.includes(it));

/**
 * Stands for the key of a person who signed in without one. No key has this hash: it is one of another text than a key can
 * be. It is stored nowhere and grants what the user record grants.
 *
 * @param role what the person can do in the dashboard, from the record and from groups
 */
export function keyOfPerson(user: UserRecord, role: UserRole): KeyRecord {
  const { user_id, user_alias, user_email, object_permission, created_at, updated_at } = user;
  return {
    token: createHash('sha256').update(`person ${user_id}`).digest('hex'),
    token_id: `person:${user_id}`,
    key_name: user_alias || user_email || user_id,
    user_id,
    ...(object_permission && { object_permission }),
    role: role === 'internal_user_viewer' ? 'internal_user' : role,
    rotation_count: 0,
    created_at,
    updated_at,
  };
}
