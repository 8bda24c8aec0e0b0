import { Fault } from '../../../platform/faults.ts';
import type { Runtime } from '../../../platform/runtime.ts';
import type { KeyRecord } from '../../../protocol/gateway/key.ts';
import type { InvitationRecord } from '../../../protocol/gateway/people/invitation.ts';
import type { TeamRecord, UserRecord } from '../../../protocol/gateway/people.ts';
import type { AuditEntry } from '../../storage/audit.ts';
import type { GatewayStore } from '../../storage/store.ts';
import { hashKey, keyName, newKey } from '../keys.ts';
import type { WrongKeys } from '../wrongKeys.ts';

const SECRET_BYTES = 32;

/** A new secret for a link: 256 random bits. It is shown once and kept as its hash. */
export const newInvitation = (randomBytes: (count: number) => Uint8Array): string =>
  Buffer.from(randomBytes(SECRET_BYTES)).toString('base64url');
export const hashInvitation = hashKey;

export interface InvitationDeps extends Pick<Runtime, 'clock' | 'newId' | 'random'> {
  readonly store: Pick<GatewayStore, 'invitation' | 'user' | 'team' | 'key' | 'audit'>;
  /** Absent where only one person reaches this gateway. */
  readonly wrongKeys: WrongKeys | undefined;
}

/**
 * Makes the user whom a link invites, and a key of theirs, which is shown once. The link is used up first: of two who open it
 * at the same time, on whichever replicas, one becomes a user.
 *
 * @param from the address that sent the link
 * @throws {Fault} `forbidden` for a link that is unknown, used, expired or deleted, or whose team is gone; `rate_limited` where
 *   too many unknown links or keys came from there
 */
export async function acceptInvitation(
  deps: InvitationDeps,
  { token, name }: { readonly token: string; readonly name: string },
  from: string,
): Promise<{ readonly user_id: string; readonly key: string }> {
  const { store, clock, newId, random, wrongKeys } = deps;
  const hash = hashInvitation(token);
  wrongKeys?.check(from, hash);
  const found = await store.invitation.byAlias(hash);
  if (!found) wrongKeys?.unknown(from, hash);
  const team = found?.team_id ? await store.team.get(found.team_id) : undefined;
  if (!found || (found.team_id && (!team || team.blocked))) throw noLink();
  const user_id = newId();
  const now = clock.now();
  const invitation = await take(deps, found, user_id, now);
  const stamps = { created_at: now, created_by: user_id, updated_at: now, updated_by: user_id };
  const { user_email, user_role, team_id, team_role } = invitation;
  const user: UserRecord = {
    user_id,
    user_alias: name,
    ...(user_email && { user_email }),
    user_role: user_role ?? 'internal_user',
    ...stamps,
  };
  await store.user.insert(user);
  await note(deps, user, 'created', 'user', user_id, { after: user });
  if (team_id) {
    let before: TeamRecord | undefined;
    const after = await store.team.update(team_id, (it) => {
      before = it;
      const member = { role: team_role ?? ('user' as const), user_id };
      return {
        ...it,
        members_with_roles: [...(it.members_with_roles ?? []), member],
        updated_at: now,
        updated_by: user_id,
      };
    });
    await note(deps, user, 'updated', 'team', team_id, { before, after });
  }
  const key = newKey(random);
  const record: KeyRecord = {
    token: hashKey(key),
    token_id: newId(),
    key_name: keyName(key),
    user_id,
    ...(team_id && { team_id }),
    rotation_count: 0,
    ...stamps,
  };
  await store.key.insert(record);
  await note(deps, user, 'created', 'key', record.token, { after: record });
  return { user_id, key };
}

/** Uses a link up. @throws {Fault} `forbidden` where it is over */
async function take(
  { store, clock }: InvitationDeps,
  { invitation_id }: InvitationRecord,
  user_id: string,
  now: string,
): Promise<InvitationRecord> {
  try {
    return await store.invitation.update(invitation_id, (it) => {
      if (it.accepted_at || Date.parse(it.expires) <= clock.nowMs()) throw noLink();
      return { ...it, accepted_at: now, user_id, updated_at: now, updated_by: user_id };
    });
  } catch (thrown) {
    if (thrown instanceof Fault && thrown.code === 'not_found') throw noLink();
    throw thrown;
  }
}

/** One sentence for all, so that nobody learns which links there were. */
const noLink = () =>
  new Fault('forbidden', 'This invitation was used or deleted, or has expired. Ask for a new one.', {
    data: { field: 'token' },
  });

async function note(
  { store, clock, newId }: InvitationDeps,
  { user_id, user_email }: UserRecord,
  action: AuditEntry['action'],
  kind: string,
  object_id: string,
  { before, after }: { readonly before?: unknown; readonly after: unknown },
): Promise<void> {
  await store.audit.add({
    id: newId(),
    at: clock.now(),
    actor: user_id,
    actor_email: user_email ?? null,
    signed_in_by: 'invitation',
    action,
    kind,
    object_id,
    before: before === undefined ? null : JSON.stringify(before),
    after: JSON.stringify(after),
  });
}
