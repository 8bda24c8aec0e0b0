import { memberOf, type TeamRecord, type UserRecord } from '../../protocol/gateway/people.ts';
import { Access, type AccessOptions, type Levels } from '../access/access.ts';
import type { Catalogue } from '../access/catalogue.ts';
import type { ObjectPermission } from '../access/permission.ts';
import type { Caller } from './caller.ts';
import type { Directory, Registered } from './directory.ts';

const KEPT = 10_000;

interface Kept {
  readonly of: Caller;
  readonly catalogue: Catalogue;
  readonly access: Access;
  readonly version: number;
}

/** A record that says what may be used. */
interface Granting {
  readonly object_permission?: ObjectPermission | null | undefined;
  readonly access_group_ids?: readonly string[] | null | undefined;
  readonly models?: readonly string[] | null | undefined;
}
const joined = new WeakMap<Granting, ObjectPermission>();

/** All that a record says: one object for as long as the record is the same, so that it is read once. */
export function permissionOf(record: Granting | undefined): ObjectPermission | undefined {
  const { object_permission, access_group_ids, models } = record ?? {};
  const model_names = models && models.length > 0 ? models : undefined;
  if (!record || !(access_group_ids || model_names)) return object_permission ?? undefined;
  let permission = joined.get(record);
  if (!permission) {
    permission = {
      ...object_permission,
      ...(access_group_ids && { access_group_ids }),
      ...(model_names && { model_names }),
    };
    joined.set(record, permission);
  }
  return permission;
}

/** Which of its models a team allows one of its members. @param user whose email address can identify the member too */
export function memberPermissionOf(
  team: TeamRecord | undefined,
  userId: string | null | undefined,
  user: Pick<UserRecord, 'user_email'> | undefined,
): Levels['member'] {
  const allowed = userId ? memberOf(team, userId, user?.user_email)?.allowed_models : undefined;
  return allowed && allowed.length > 0 ? { model_names: allowed } : undefined;
}

/** The levels of a caller, as access resolution reads them. */
export const levelsOf = ({ key, team, user, endUser, agent, organization, isAdmin }: Caller): Levels => ({
  key: permissionOf(key),
  team: permissionOf(team),
  endUser: endUser?.object_permission ?? undefined,
  agent: agent?.object_permission ?? undefined,
  organization: permissionOf(organization),
  member: memberPermissionOf(team, key.user_id, user),
  isAdmin,
});

/** Whether two callers have the same records. A record is one object until it changes. */
const isAlike = (one: Caller, other: Caller): boolean =>
  one.key === other.key &&
  one.team === other.team &&
  one.user === other.user &&
  one.endUser === other.endUser &&
  one.agent === other.agent &&
  one.organization === other.organization &&
  one.isAdmin === other.isAdmin;

/** What each caller may use, resolved once for as long as no record changes. */
export class Permissions {
  readonly #directory: Directory;
  readonly options: AccessOptions;
  readonly #kept = new Map<string, Kept>();
  /** The same by who calls, which is one object for as long as no record changes. */
  readonly #ofCaller = new WeakMap<Caller, Kept>();
  #version = -1;

  constructor(directory: Directory, options: AccessOptions) {
    this.#directory = directory;
    this.options = options;
  }

  /** @throws {Fault} `unavailable` where the database does not answer */
  of(caller: Caller): Access | Promise<Access> {
    const registered = this.#directory.registered();
    return registered instanceof Promise
      ? registered.then((it) => this.#resolve(caller, it))
      : this.#resolve(caller, registered);
  }

  #resolve(caller: Caller, { catalogue }: Registered): Access {
    if (this.#version !== this.#directory.version) {
      this.#kept.clear();
      this.#version = this.#directory.version;
    }
    const last = this.#ofCaller.get(caller);
    if (last?.catalogue === catalogue && last.version === this.#version) return last.access;
    const name = `${caller.key.token} ${caller.endUser?.user_id ?? ''}\u0000${caller.agent?.agent_id ?? ''}`;
    const known = this.#kept.get(name);
    // A call that began before a record changed still has the earlier record.
    if (known?.catalogue === catalogue && isAlike(known.of, caller)) {
      this.#ofCaller.set(caller, known);
      return known.access;
    }
    const access = new Access(levelsOf(caller), catalogue, this.options);
    const kept = { of: caller, catalogue, access, version: this.#version };
    if (this.#kept.size >= KEPT) this.#kept.clear();
    this.#kept.set(name, kept);
    this.#ofCaller.set(caller, kept);
    return access;
  }
}
