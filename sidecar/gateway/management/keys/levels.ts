import type { KeyRecord } from '../../../protocol/gateway/key.ts';
import type { Levels } from '../../access/access.ts';
import { memberPermissionOf, permissionOf } from '../../auth/permissions.ts';
import { isAdministrator } from '../../auth/resolve.ts';
import type { ManagementDeps } from '../managementDeps.ts';

type Deps = Pick<ManagementDeps, 'store' | 'directory'>;

/** What a key's levels say, as they will be read when it is used. */
export async function levelsOfKey({ store, directory }: Deps, key: KeyRecord, endUserId?: string | null) {
  const one = <T>(id: string | null | undefined, read: (id: string) => T) => (id ? read(id) : undefined);
  const team = await one(key.team_id, (id) => store.team.get(id));
  const organization = await one(key.organization_id ?? team?.organization_id, (id) => store.organization.get(id));
  const user = await one(key.user_id, (id) => store.user.get(id));
  const endUser = await one(endUserId, (id) => store.end_user.get(id));
  const agent = (await directory.registered()).agents.find((it) => it.agent_id === key.agent_id);
  return {
    key: permissionOf(key),
    team: permissionOf(team),
    endUser: endUser?.object_permission ?? undefined,
    agent: agent?.object_permission ?? undefined,
    organization: permissionOf(organization),
    member: memberPermissionOf(team, key.user_id, user),
    isAdmin: isAdministrator(key, user),
  } satisfies Levels;
}
