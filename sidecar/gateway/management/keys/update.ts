import * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import { endOfDuration } from '../../../protocol/gateway/duration.ts';
import { type KeyRecord, KeyUpdate } from '../../../protocol/gateway/key.ts';
import { checkKeyGrant } from '../grants/keyGrant.ts';
import type { ManagementDeps } from '../managementDeps.ts';
import { type Call, ok, route } from '../route.ts';
import { change, named } from '../writes.ts';
import { KeyView } from './generate.ts';
import { checkOwner, checkSwitch, findKey, tokenOf } from './place.ts';
import { keyView } from './view.ts';

const owners = ['team_id', 'user_id', 'organization_id', 'agent_id', 'budget_id', 'access_group_ids'] as const;

type Change = Omit<KeyUpdate, 'key'>;

/** @throws {Fault} as `POST /key/update` */
export async function updateKey(call: Call, deps: ManagementDeps, keyOrHash: string, { duration, ...fields }: Change) {
  const before = await findKey(call, deps, keyOrHash, '/key/update');
  const expires =
    duration === undefined ? {} : { expires: duration === null ? null : endOfDuration(duration, deps.clock.nowMs()) };
  const next = (record: KeyRecord): KeyRecord => ({ ...record, ...named(fields), ...expires });
  const wanted = next(before);
  if (owners.some((it) => fields[it] !== undefined)) await checkOwner(call, deps, wanted, '/key/update');
  if (fields.blocked !== undefined) await checkSwitch(call, deps, before, fields.blocked === true);
  // Whoever changes only how a key is called hands out nothing.
  const { key_alias: _alias, metadata: _metadata, tags: _tags, ...powers } = fields;
  if (Object.keys(named({ ...powers, ...expires })).length > 0) await checkKeyGrant(call, deps, wanted, before);
  return change(call, deps, 'key', before.token, next);
}

export const updateOneKey = route({
  method: 'POST',
  path: '/key/update',
  who: 'any',
  tag: 'keys',
  summary: 'Updates the given fields. A null value clears a field',
  body: KeyUpdate,
  answer: KeyView.extend({ key: z.string() }),
  async handle(call, deps) {
    const { key, ...fields } = call.body;
    const record = await updateKey(call, deps, key, fields);
    return ok({ key: record.token, ...(await keyView(deps, record)) });
  },
});

const Bulk = z.strictObject({ keys: z.array(KeyUpdate).min(1).max(500) });
const TeamBulk = z
  .strictObject({
    team_id: z.string().min(1),
    key_ids: z.array(z.string().min(1)).max(500).nullish(),
    all_keys_in_team: z.boolean().nullish(),
    update_fields: KeyUpdate.omit({ key: true }),
  })
  .refine((it) => it.key_ids || it.all_keys_in_team, { error: "or 'all_keys_in_team' is required", path: ['key_ids'] });

async function updateMany(call: Call, deps: ManagementDeps, changes: readonly KeyUpdate[]) {
  const successful_updates: unknown[] = [];
  const failed_updates: unknown[] = [];
  for (const { key, ...fields } of changes) {
    try {
      const record = await updateKey(call, deps, key, fields);
      successful_updates.push({ key: record.token, key_info: await keyView(deps, record) });
    } catch (thrown) {
      // One that is refused does not stop the others; a database that is gone stops all.
      if (!(thrown instanceof Fault) || thrown.code === 'unavailable') throw thrown;
      failed_updates.push({ key: tokenOf(key), failed_reason: thrown.message });
    }
  }
  return ok({ total_requested: changes.length, successful_updates, failed_updates });
}
const BulkAnswer = z.object({
  total_requested: z.int(),
  successful_updates: z.array(z.object({ key: z.string(), key_info: KeyView })),
  failed_updates: z.array(z.object({ key: z.string(), failed_reason: z.string() })),
});

export const updateKeys = route({
  method: 'POST',
  path: '/key/bulk_update',
  who: 'any',
  tag: 'keys',
  summary: 'Updates several keys, each with its own changes',
  body: Bulk,
  answer: BulkAnswer,
  handle: (call, deps) => updateMany(call, deps, call.body.keys),
});

export const updateTeamKeys = route({
  method: 'POST',
  path: '/team/key/bulk_update',
  who: 'any',
  tag: 'keys',
  summary: 'Applies the same changes to several keys of one team',
  body: TeamBulk,
  answer: BulkAnswer,
  async handle(call, deps) {
    const { team_id, key_ids, update_fields } = call.body;
    const { items } = await deps.store.key.list({ team_id });
    const wanted = key_ids?.map(tokenOf);
    const chosen = items.filter((it) => !wanted || wanted.includes(it.token));
    return updateMany(
      call,
      deps,
      chosen.map((it) => ({ key: it.token, ...update_fields })),
    );
  },
});
