import * as z from 'zod';
import { Duration, endOfDuration } from '../../../protocol/gateway/duration.ts';
import { KeyUpdate } from '../../../protocol/gateway/key.ts';
import { checkChosenKey, hashKey, keyName, newKey } from '../../auth/keys.ts';
import { checkKeyGrant } from '../grants/keyGrant.ts';
import type { ManagementDeps } from '../managementDeps.ts';
import { type Call, ok, route } from '../route.ts';
import { change } from '../writes.ts';
import { KeyMade } from './generate.ts';
import { checkPerson, findKey } from './place.ts';
import { keyView } from './view.ts';

const Rotation = z.strictObject({
  new_key: z.string().nullish(),
  /** How long the old key stays valid. Absent: it is dead at once. */
  grace_period: Duration.nullish(),
  duration: KeyUpdate.shape.duration,
});

/**
 * A new key with the scope, the alias and the `token_id` of the old one. Whoever gets it gets all of that, so it must be
 * theirs to give.
 */
async function rotate(call: Call, deps: ManagementDeps, keyOrHash: string, body: z.infer<typeof Rotation>) {
  const before = await findKey(call, deps, keyOrHash, '/key/regenerate');
  await checkPerson(call, deps, before);
  const { new_key, grace_period, duration } = body;
  if (typeof new_key === 'string') checkChosenKey(new_key, 'new_key');
  const key = new_key ?? newKey(deps.randomBytes);
  const token = hashKey(key);
  const nowMs = deps.clock.nowMs();
  const wanted = { ...before, ...(duration && { expires: endOfDuration(duration, nowMs) }) };
  if (before.token !== call.caller.key.token || duration) await checkKeyGrant(call, deps, wanted);
  if (grace_period) await beginGrace(deps, before.token, token, endOfDuration(grace_period, nowMs));
  const record = await change(
    call,
    deps,
    'key',
    before.token,
    (it) => ({
      ...it,
      token,
      key_name: keyName(key),
      expires: wanted.expires,
      rotation_count: it.rotation_count + 1,
      // Whoever may have the old key without any grace has nothing to do with the sessions of the new one.
      sessions_of: grace_period ? (it.sessions_of ?? it.token) : null,
    }),
    'rotated',
  );
  await moveGraces(deps, before.token, token);
  return ok({ ...(await keyView(deps, record)), key });
}

/** Written before the key moves: a key that was sent to nobody would be lost otherwise. */
async function beginGrace({ store }: ManagementDeps, token: string, current: string, expires: string): Promise<void> {
  await store.key_grace.remove(token);
  await store.key_grace.insert({ token, current, expires });
}

/** Older keys in their time of grace stand for the newest from now on. */
async function moveGraces({ store, clock }: ManagementDeps, from: string, to: string): Promise<void> {
  for (const it of await store.key_grace.all()) {
    if (Date.parse(it.expires) <= clock.nowMs()) await store.key_grace.remove(it.token);
    else if (it.current === from) await store.key_grace.update(it.token, (grace) => ({ ...grace, current: to }));
  }
}

export const regenerateKey = route({
  method: 'POST',
  path: '/key/regenerate',
  who: 'any',
  tag: 'keys',
  summary: "Replaces a key's value and keeps all its other fields",
  body: Rotation.extend({ key: z.string().min(1) }),
  answer: KeyMade,
  handle: (call, deps) => rotate(call, deps, call.body.key, call.body),
});

export const regenerateNamedKey = route({
  method: 'POST',
  path: '/key/{key}/regenerate',
  who: 'any',
  tag: 'keys',
  summary: "Replaces a key's value and keeps all its other fields",
  body: Rotation,
  answer: KeyMade,
  handle: (call, deps) => rotate(call, deps, call.params['key']!, call.body),
});
