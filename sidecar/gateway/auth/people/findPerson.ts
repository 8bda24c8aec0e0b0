import { identityName, type ProviderIdentity, type UserRecord } from '../../../protocol/gateway/people.ts';
import type { GatewayStore } from '../../storage/store.ts';

/** Somebody whom an identity provider vouches for. */
export interface Vouched {
  readonly identity: ProviderIdentity;
  /** A claim that the configuration names as the ID of a user. */
  readonly userId?: string | undefined;
  /** One that the provider has verified. */
  readonly email?: string | undefined;
}

/**
 * The user record of somebody, in this order: the one with their identity, the one with their user ID, and the only one with
 * their email address. A record with the identity of somebody else is never theirs, whatever its ID and address are.
 *
 * @throws {Fault} `unavailable` where the database does not answer
 */
export async function findPerson(
  { user: users }: Pick<GatewayStore, 'user'>,
  { identity, userId, email }: Vouched,
): Promise<UserRecord | undefined> {
  const name = identityName(identity);
  const linked = await users.byAlias(name);
  if (linked) return linked;
  const isFree = (it: UserRecord) => !it.identity || identityName(it.identity) === name;
  const named = userId === undefined ? undefined : await users.get(userId);
  if (named) return isFree(named) ? named : undefined;
  if (email === undefined) return undefined;
  const address = email.toLowerCase();
  const alike = (await users.all()).filter((it) => it.user_email?.toLowerCase() === address);
  return alike.length === 1 && isFree(alike[0]!) ? alike[0] : undefined;
}
