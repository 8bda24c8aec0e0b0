import type * as z from 'zod';
import { isRecord } from '../../../platform/isRecord.ts';
import type { UserRecord } from '../../../protocol/gateway/people.ts';
import { notFound } from '../../storage/records.ts';
import type { ManagementDeps } from '../managementDeps.ts';
import { forgetUser } from '../people/users.ts';
import type { Call } from '../route.ts';
import { change, create, created } from '../writes.ts';
import type { AttributeRules } from './patch.ts';
import type { ResourceKind } from './resource.ts';
import { ScimUser, scimFault, UserState, urns } from './wire.ts';

type Managed = UserRecord & { readonly scim: z.infer<typeof UserState> };
const isManaged = (it: UserRecord | undefined): it is Managed => UserState.safeParse(it?.scim).success;

const attributes: AttributeRules = {
  userName: {},
  externalId: {},
  displayName: {},
  name: { members: ['givenName', 'familyName', 'formatted'] },
  emails: { isList: true, members: ['value', 'type', 'primary'] },
  active: {},
};

function shown({ user_id, user_alias, user_email, scim }: Managed) {
  return {
    schemas: [urns.user],
    id: user_id,
    userName: scim.user_name,
    ...(scim.external_id && { externalId: scim.external_id }),
    ...(user_alias && { displayName: user_alias }),
    ...((scim.given_name || scim.family_name) && {
      name: { givenName: scim.given_name ?? undefined, familyName: scim.family_name ?? undefined },
    }),
    ...(user_email && { emails: [{ value: user_email, type: 'work', primary: true }] }),
    active: scim.active,
  };
}

const fold = (text: string | null | undefined) => text?.toLowerCase();
const emailOf = ({ emails, userName }: ScimUser): string | undefined =>
  (emails?.find((it) => it.primary) ?? emails?.[0])?.value ?? (userName.includes('@') ? userName : undefined);

function fieldsOf(user: ScimUser) {
  const { userName, externalId, name, active } = user;
  const whole = [name?.givenName, name?.familyName].filter(Boolean).join(' ');
  return {
    user_alias: (user.displayName || name?.formatted || whole).slice(0, 256) || null,
    user_email: emailOf(user) ?? null,
    scim: {
      user_name: userName,
      external_id: externalId || null,
      given_name: name?.givenName || null,
      family_name: name?.familyName || null,
      active,
    },
  };
}

/** A user that an administrator blocked stays blocked until the provider itself has disabled and enabled them. */
const isBlocked = (before: UserRecord | undefined, active: boolean) =>
  active ? before?.blocked === true && before.scim?.['active'] !== false : true;

const isPowerful = ({ user_role }: UserRecord) => user_role === 'proxy_admin' || user_role === 'proxy_admin_viewer';

/** @throws {Fault} `already_exists` where another record has the name or address */
async function checkUnique({ store }: ManagementDeps, user: ScimUser, id: string | undefined): Promise<void> {
  const email = fold(emailOf(user));
  const isTaken = (it: UserRecord) =>
    it.user_id !== id &&
    ((isManaged(it) && fold(it.scim.user_name) === fold(user.userName)) ||
      (email !== undefined && fold(it.user_email) === email));
  if ((await store.user.all()).some(isTaken)) throw taken();
}

/**
 * The record that is this person already, made on a page, by a sign-in, or by a token. One of an administrator is not taken over:
 * whoever provisions users would decide who signs in with its rights.
 */
async function adopted({ store }: ManagementDeps, user: ScimUser): Promise<UserRecord | undefined> {
  const email = fold(emailOf(user));
  const byId = user.externalId ? await store.user.get(user.externalId) : undefined;
  const found = byId
    ? [byId]
    : (await store.user.all()).filter((it) => email !== undefined && fold(it.user_email) === email);
  if (found.length === 0) return undefined;
  if (found.length > 1 || isManaged(found[0]) || isPowerful(found[0]!)) throw taken();
  return found[0];
}

async function find({ store }: ManagementDeps, id: string): Promise<Managed> {
  const record = await store.user.get(id);
  if (!isManaged(record)) throw notFound('user', id);
  return record;
}

async function put(who: Pick<Call, 'actor'>, deps: ManagementDeps, id: string, user: ScimUser): Promise<Managed> {
  await checkUnique(deps, user, id);
  const next = (it: UserRecord): UserRecord => ({
    ...it,
    ...fieldsOf(user),
    // By the address, the first sign-in finds the record: whoever set it would choose the administrator.
    ...(isPowerful(it) && !it.identity && { user_email: it.user_email }),
    blocked: isBlocked(it, user.active),
  });
  return (await change(who, deps, 'user', id, next)) as Managed;
}

/** Users of the identity provider are the users whose records it has made or taken over. */
export const users: ResourceKind<ScimUser, Managed> = {
  name: 'User',
  path: 'Users',
  schema: ScimUser,
  attributes,
  filters: ['id', 'username', 'externalid', 'displayname', 'emails.value'],
  attributeOf: (it) => (name) => {
    const resource: Readonly<Record<string, unknown>> = shown(it);
    if (name === 'emails.value') return it.user_email;
    return Object.entries(resource).find(([key]) => key.toLowerCase() === name)?.[1];
  },
  idOf: (it) => it.user_id,
  shown,
  all: async ({ store }) => (await store.user.all()).filter(isManaged),
  find,
  async add(who, deps, user) {
    const known = await adopted(deps, user);
    if (known) return put(who, deps, known.user_id, user);
    await checkUnique(deps, user, undefined);
    const id = user.externalId || deps.newId();
    const record = { user_id: id, user_role: 'internal_user' as const, ...fieldsOf(user), blocked: !user.active };
    return create(who, deps, 'user', id, { ...record, ...created(who, deps) }) as Promise<Managed>;
  },
  put,
  remove: (who, deps, id) => forgetUser(who, deps, id),
  cleaned: (resource) => ({
    ...resource,
    // What a PATCH took away, and addresses that it left without a value.
    emails: Array.isArray(resource['emails'])
      ? resource['emails'].filter((it) => !isRecord(it) || it['value'])
      : undefined,
    active: resource['active'] ?? undefined,
  }),
};

const taken = () =>
  scimFault(
    'uniqueness',
    'Another user of the gateway already has this ID, userName, or email address.',
    'already_exists',
  );
