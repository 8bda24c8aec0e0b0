import { endOfDuration } from '../../../protocol/gateway/duration.ts';
import type { KeyGenerate, KeyRecord } from '../../../protocol/gateway/key.ts';
import type { TeamMemberPermission } from '../../../protocol/gateway/people.ts';
import { checkChosenKey, hashKey, keyName, newKey } from '../../auth/keys.ts';
import { checkKeyGrant } from '../grants/keyGrant.ts';
import type { ManagementDeps } from '../managementDeps.ts';
import type { Call } from '../route.ts';
import { create, created, named } from '../writes.ts';
import { checkOwner } from './place.ts';
import { keyView } from './view.ts';

/** What `key_type` stands for. */
const routesOfType = {
  default: undefined,
  llm_api: ['llm_api_routes'],
  management: ['management_routes'],
  read_only: ['info_routes'],
} as const;

/** Makes a key and shows it, once. @throws {Fault} as `POST /key/generate` */
export async function makeKey(
  call: Call<unknown, KeyGenerate>,
  deps: ManagementDeps,
  right: TeamMemberPermission = '/key/generate',
) {
  const { key: chosen, duration, key_type, ...fields } = call.body;
  if (typeof chosen === 'string') checkChosenKey(chosen);
  const key = chosen ?? newKey(deps.randomBytes);
  const preset = routesOfType[key_type ?? 'default'];
  const isOwn = !fields.team_id && fields.user_id === undefined && !call.caller.isAdmin;
  const record: KeyRecord = {
    token: hashKey(key),
    token_id: deps.newId(),
    key_name: keyName(key),
    ...named(fields),
    ...(isOwn && { user_id: call.caller.key.user_id ?? null }),
    ...(preset && !fields.allowed_routes && { allowed_routes: [...preset] }),
    expires: duration ? endOfDuration(duration, deps.clock.nowMs()) : null,
    rotation_count: 0,
    ...created(call, deps),
  };
  await checkOwner(call, deps, record, right);
  await checkKeyGrant(call, deps, record);
  await create(call, deps, 'key', record.token, record);
  return { ...(await keyView(deps, record)), key };
}
