import type * as z from 'zod';
import type { TeamRecord } from '../../../protocol/gateway/people.ts';
import { notFound } from '../../storage/records.ts';
import { endKey } from '../keys/state.ts';
import type { ManagementDeps } from '../managementDeps.ts';
import { change, create, created, remove } from '../writes.ts';
import type { AttributeRules } from './patch.ts';
import type { ResourceKind } from './resource.ts';
import { ScimGroup, scimFault, TeamState, urns } from './wire.ts';

type Managed = TeamRecord & { readonly scim: z.infer<typeof TeamState> };
const isManaged = (it: TeamRecord | undefined): it is Managed => TeamState.safeParse(it?.scim).success;

const attributes: AttributeRules = {
  displayName: {},
  externalId: {},
  members: { isList: true, members: ['value'] },
};

const shown = ({ team_id, team_alias, scim }: Managed) => ({
  schemas: [urns.group],
  id: team_id,
  displayName: team_alias ?? team_id,
  ...(scim.external_id && { externalId: scim.external_id }),
  members: scim.members.map((value) => ({ value, type: 'User' })),
});

/** @throws {Fault} `invalid_params` for somebody whom the provider does not manage */
async function memberIds({ store }: ManagementDeps, { members }: ScimGroup): Promise<readonly string[]> {
  const ids = [...new Set((members ?? []).map((it) => it.value))];
  const known = new Set((ids.length > 0 ? await store.user.all() : []).flatMap((it) => (it.scim ? it.user_id : [])));
  if (ids.every((it) => known.has(it))) return ids;
  throw scimFault('invalidValue', "'members' contains a user that does not exist or is not managed by SCIM.");
}

/** Members whom people put into the team stay; those whom the provider put there go with it. */
function fieldsOf(before: TeamRecord | undefined, group: ScimGroup, ids: readonly string[]) {
  const given = isManaged(before) ? before.scim.members : [];
  const gone = new Set(given.filter((it) => !ids.includes(it)));
  const kept = (before?.members_with_roles ?? []).filter((it) => !it.user_id || !gone.has(it.user_id));
  const isThere = (id: string) => kept.some((it) => it.user_id === id);
  const added = ids.filter((it) => !isThere(it)).map((user_id) => ({ role: 'user' as const, user_id }));
  return {
    team_alias: group.displayName,
    members_with_roles: [...kept, ...added],
    scim: { external_id: group.externalId || null, members: [...ids] },
  };
}

/** Groups of the identity provider are the teams that it has made. What a team may use is said on its page. */
export const groups: ResourceKind<ScimGroup, Managed> = {
  name: 'Group',
  path: 'Groups',
  schema: ScimGroup,
  attributes,
  filters: ['id', 'displayname', 'externalid', 'members.value'],
  attributeOf: (it) => (name) => {
    if (name === 'members.value') return it.scim.members;
    return name === 'id' ? it.team_id : name === 'externalid' ? it.scim.external_id : it.team_alias;
  },
  idOf: (it) => it.team_id,
  shown,
  all: async ({ store }) => (await store.team.all()).filter(isManaged),
  async find({ store }, id) {
    const record = await store.team.get(id);
    if (!isManaged(record)) throw notFound('team', id);
    return record;
  },
  async add(who, deps, group) {
    const fields = fieldsOf(undefined, group, await memberIds(deps, group));
    const team_id = group.externalId || deps.newId();
    return (await create(who, deps, 'team', team_id, { team_id, ...fields, ...created(who, deps) })) as Managed;
  },
  async put(who, deps, id, group) {
    const ids = await memberIds(deps, group);
    return (await change(who, deps, 'team', id, (it) => ({ ...it, ...fieldsOf(it, group, ids) }))) as Managed;
  },
  async remove(who, deps, id) {
    for (const it of (await deps.store.key.list({ team_id: id })).items) await endKey(who, deps, it.token);
    await remove(who, deps, 'team', id);
  },
  cleaned: (resource) => resource,
};
