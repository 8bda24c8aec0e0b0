import type { Clock } from '../../platform/clock.ts';
import { hashKey, keyName, newKey } from '../auth/keys.ts';
import type { GatewayStore } from '../storage/store.ts';

/** How long a session's key opens anything after an agent last asked for it, whatever else is forgotten. */
const LIFE_MS = 7 * 24 * 60 * 60_000;

/** Keys of the host's sessions, one each. Only their hashes are kept on disk, so they end with this process. */
export interface SessionKeys {
  /** The same for all agents of a session. */
  keyOf(session: string): Promise<string>;
  end(session: string): Promise<void>;
}

export interface SessionKeysDeps {
  readonly keys: GatewayStore['key'];
  readonly clock: Clock;
  readonly newId: () => string;
  readonly random: (bytes: number) => Uint8Array;
}

/** Ends the keys of earlier processes first: their agents are gone. */
export async function openSessionKeys(deps: SessionKeysDeps): Promise<SessionKeys> {
  for (const { token, key_alias, metadata } of await deps.keys.all()) {
    const session = metadata?.['session'];
    if (typeof session === 'string' && key_alias === aliasOf(session)) await deps.keys.remove(token);
  }
  const known = new Map<string, Promise<string>>();
  return {
    keyOf(session) {
      const key = renewOrMake(deps, session, known.get(session));
      known.set(session, key);
      key.catch(() => known.get(session) === key && known.delete(session)); // somebody may have asked again
      return key;
    },
    async end(session) {
      const key = await known.get(session);
      known.delete(session);
      if (key !== undefined) await deps.keys.remove(hashKey(key));
    },
  };
}

async function renewOrMake(deps: SessionKeysDeps, session: string, known: Promise<string> | undefined) {
  const before = await known?.catch(() => undefined); // whoever asked for it knows
  return before !== undefined && (await renewed(deps, hashKey(before))) ? before : make(deps, session);
}

async function make({ keys, clock, newId, random }: SessionKeysDeps, session: string): Promise<string> {
  const key = newKey(random);
  const now = clock.now();
  await keys.insert({
    token: hashKey(key),
    token_id: newId(),
    key_name: keyName(key),
    key_alias: aliasOf(session),
    allowed_routes: ['mcp_routes', 'model_routes'],
    metadata: { session },
    expires: endOfLife(clock),
    rotation_count: 0,
    created_at: now,
    updated_at: now,
  });
  return key;
}

/** @returns whether the key is still there: a person may have revoked it */
async function renewed({ keys, clock }: SessionKeysDeps, token: string): Promise<boolean> {
  if (!(await keys.get(token))) return false;
  await keys.update(token, (it) => ({ ...it, expires: endOfLife(clock) }));
  return true;
}

const aliasOf = (session: string) => `session ${session}`;
const endOfLife = (clock: Clock) => new Date(clock.nowMs() + LIFE_MS).toISOString();
