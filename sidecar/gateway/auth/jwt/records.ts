import type { Clock } from '../../../platform/clock.ts';
import { Fault } from '../../../platform/faults.ts';
import type { KeyRecord } from '../../../protocol/gateway/key.ts';
import {
  identityName,
  memberOf,
  type OrganizationRecord,
  signedInByToken,
  type TeamRecord,
  type UserRecord,
} from '../../../protocol/gateway/people.ts';
import type { GatewayStore } from '../../storage/store.ts';
import type { Directory } from '../directory.ts';
import { hashKey } from '../keys.ts';
import { findPerson } from '../people/findPerson.ts';
import type { Subject } from './subject.ts';

export interface RecordsDeps {
  readonly store: GatewayStore;
  readonly directory: Directory;
  readonly clock: Pick<Clock, 'now'>;
  readonly newId: () => string;
}

/** What a token is for people, where a key has its name. */
const TOKEN_NAME = 'JWT';
const ACTOR = 'jwt';

/**
 * The record of the key that a caller would have, from the records of their user, team, and organization. It is stored
 * nowhere: calls, sessions, and budgets count by its ID, which is the same for every token of one caller and team.
 *
 * @throws {Fault} `auth_required` for a user who does not exist; `forbidden` for a team or organization that does not exist
 *   or that they do not belong to; `unavailable` where the database does not answer
 */
export async function keyRecordOf(subject: Subject, deps: RecordsDeps): Promise<KeyRecord> {
  const { vouched, role, allowedRoutes } = subject;
  const user = subject.isPerson ? await userOf(subject, deps) : undefined;
  const team = await teamOf(subject, user, deps);
  const organization = await organizationOf(subject, user, team, deps);
  const { issuer, subject: name } = vouched.identity;
  const token = hashKey(JSON.stringify(['jwt', issuer, name, user?.user_id ?? '', team?.team_id ?? '']));
  return {
    token,
    token_id: `jwt-${token.slice(0, 32)}`,
    key_name: TOKEN_NAME,
    key_alias: user ? null : `${TOKEN_NAME} ${name}`.slice(0, 256),
    user_id: user?.user_id ?? null,
    team_id: team?.team_id ?? null,
    organization_id: organization?.organization_id ?? null,
    object_permission: user?.object_permission ?? null,
    role,
    allowed_routes: allowedRoutes ? [...allowedRoutes] : null,
    rotation_count: 0,
    created_at: (user ?? team)?.created_at ?? deps.clock.now(),
    updated_at: (user ?? team)?.updated_at ?? deps.clock.now(),
  };
}

async function userOf(subject: Subject, deps: RecordsDeps): Promise<UserRecord> {
  const { vouched, config } = subject;
  const found = await findPerson(deps.store, vouched);
  if (found) return found;
  const user_id = vouched.userId;
  if (config.unknown_users !== 'create' || user_id === undefined || (await deps.store.user.get(user_id)))
    throw new Fault('auth_required', 'No user of this gateway belongs to this token. Ask an administrator.', {
      data: { reason: 'auth_error' },
    });
  const record: UserRecord = {
    user_id,
    user_email: vouched.email ?? null,
    user_role: 'internal_user',
    identity: vouched.identity,
    ...stamps(deps),
  };
  await added(deps, subject, 'user', user_id, () => deps.store.user.insert(record));
  return (await findPerson(deps.store, vouched)) ?? record;
}

async function teamOf(subject: Subject, user: UserRecord | undefined, deps: RecordsDeps) {
  const { teams, config } = subject;
  if (!teams) return undefined;
  const found: TeamRecord[] = [];
  for (const it of teams) {
    const team = (await deps.directory.get('team', it)) ?? (await deps.store.team.byAlias(it));
    if (team) found.push(team);
  }
  if (found.length === 0 && config.unknown_teams === 'create') return newTeam(teams[0]!, subject, user, deps);
  const isTheirs = (it: TeamRecord) =>
    !user || !config.members_only || memberOf(it, user.user_id, user.user_email) !== undefined;
  const team = found.find(isTheirs);
  if (team) return team;
  throw new Fault(
    'forbidden',
    found.length === 0
      ? 'None of the teams that this token names exists. Ask an administrator.'
      : 'The user of this token is not a member of any team that the token names. Ask an administrator.',
    { data: { field: 'team_id' } },
  );
}

async function newTeam(
  name: string,
  subject: Subject,
  user: UserRecord | undefined,
  deps: RecordsDeps,
): Promise<TeamRecord> {
  const record: TeamRecord = {
    team_id: name,
    team_alias: name,
    members_with_roles: user ? [{ role: 'user', user_id: user.user_id }] : [],
    ...stamps(deps),
  };
  await added(deps, subject, 'team', name, () => deps.store.team.insert(record));
  return record;
}

async function organizationOf(
  subject: Subject,
  user: UserRecord | undefined,
  team: TeamRecord | undefined,
  { store, directory }: RecordsDeps,
): Promise<OrganizationRecord | undefined> {
  const name = subject.organization;
  if (name === undefined) return undefined;
  const found = (await directory.get('organization', name)) ?? (await store.organization.byAlias(name));
  const isMember = (it: OrganizationRecord) =>
    !user ||
    !subject.config.members_only ||
    it.members?.some(
      ({ user_id, user_email }) =>
        user_id === user.user_id ||
        (Boolean(user_email) && user_email?.toLowerCase() === user.user_email?.toLowerCase()),
    );
  const isTheirs = found && (team ? team.organization_id === found.organization_id : isMember(found));
  if (isTheirs) return found;
  throw new Fault('forbidden', 'The team or user of this token does not belong to the organization that it names.', {
    data: { field: 'organization_id' },
  });
}

const stamps = ({ clock }: RecordsDeps) => ({
  created_at: clock.now(),
  created_by: ACTOR,
  updated_at: clock.now(),
  updated_by: ACTOR,
});

/** Somebody who calls twice at once, or on two replicas, is made once. */
async function added(
  { store, clock, newId }: RecordsDeps,
  { vouched }: Subject,
  kind: 'user' | 'team',
  id: string,
  insert: () => Promise<void>,
): Promise<void> {
  try {
    await insert();
  } catch (thrown) {
    if (thrown instanceof Fault && thrown.code === 'already_exists') return;
    throw thrown;
  }
  const signed_in_by = signedInByToken(vouched.identity);
  const line = { actor: ACTOR, signed_in_by, action: 'created', kind, object_id: id } as const;
  await store.audit.add({ id: newId(), at: clock.now(), ...line });
}

/** The same for all tokens that say the same of their caller. */
export const nameOfSubject = ({ vouched, teams, organization, role, allowedRoutes, isPerson }: Subject): string =>
  JSON.stringify([
    identityName(vouched.identity),
    vouched.userId,
    vouched.email,
    isPerson,
    teams,
    organization,
    role,
    allowedRoutes,
  ]);
