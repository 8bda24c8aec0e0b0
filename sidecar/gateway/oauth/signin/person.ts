import type { Clock } from '../../../platform/clock.ts';
import { Fault } from '../../../platform/faults.ts';
import type { ProviderIdentity, UserRecord } from '../../../protocol/gateway/people.ts';
import { type Claims, textClaim, verifiedEmail } from '../../auth/people/claims.ts';
import { findPerson } from '../../auth/people/findPerson.ts';
import type { GatewayStore } from '../../storage/store.ts';
import type { SignInOptions } from './contract.ts';

export interface PersonDeps {
  readonly options: Pick<SignInOptions, 'create_users'>;
  readonly store: Pick<GatewayStore, 'user' | 'audit'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly newId: () => string;
}

/**
 * The user record of somebody who signs in: found by their identity, else by their verified email address, else made.
 * @throws {Fault} `forbidden` where there is none and none may be made, or where they are blocked
 */
export async function personOf(deps: PersonDeps, identity: ProviderIdentity, claims: Claims): Promise<UserRecord> {
  const { store, options } = deps;
  const email = verifiedEmail(claims);
  const found = await findPerson(store, { identity, email });
  if (found?.blocked) throw new Fault('forbidden', 'Your user is blocked. Ask an administrator for access.');
  if (found?.identity) return found;
  if (found) return link(deps, found, identity);
  if (!options.create_users)
    throw new Fault('forbidden', 'No user of this gateway has your email address. Ask an administrator for access.');
  try {
    return await make(deps, identity, claims, email);
  } catch (thrown) {
    // The same person signed in twice at the same time.
    const other =
      thrown instanceof Fault && thrown.code === 'already_exists' && (await findPerson(store, { identity }));
    if (!other) throw thrown;
    return other;
  }
}

async function link(deps: PersonDeps, before: UserRecord, identity: ProviderIdentity): Promise<UserRecord> {
  const { store, clock } = deps;
  const { user_id } = before;
  const after = await store.user.update(user_id, (it) => {
    if (it.identity || it.user_email !== before.user_email)
      throw new Fault('conflict', 'Your user record was changed during the sign-in. Sign in again.');
    return { ...it, identity, updated_at: clock.now(), updated_by: user_id };
  });
  await note(deps, after, 'updated', before);
  return after;
}

async function make(deps: PersonDeps, identity: ProviderIdentity, claims: Claims, email: string | undefined) {
  const { store, clock, newId } = deps;
  const user_id = newId();
  const now = clock.now();
  const name = textClaim(claims, 'name') ?? textClaim(claims, 'preferred_username');
  const record: UserRecord = {
    user_id,
    ...(name !== undefined && { user_alias: name }),
    ...(email !== undefined && { user_email: email }),
    identity,
    created_at: now,
    created_by: user_id,
    updated_at: now,
    updated_by: user_id,
  };
  await store.user.insert(record);
  await note(deps, record, 'created');
  return record;
}

const note = (
  { store, clock, newId }: PersonDeps,
  user: UserRecord,
  action: 'created' | 'updated',
  before?: UserRecord,
): Promise<void> =>
  store.audit.add({
    id: newId(),
    at: clock.now(),
    actor: user.user_id,
    actor_email: user.user_email ?? null,
    signed_in_by: 'sign_in',
    action,
    kind: 'user',
    object_id: user.user_id,
    before: before ? JSON.stringify(before) : null,
    after: JSON.stringify(user),
  });
