import { createHash } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import { hashKey, keyName, newKey } from '../auth/keys.ts';
import type { GatewayStore } from '../storage/store.ts';

/** How long a session's key is valid after an agent last requested it. */
const LIFE_MS = 7 * 24 * 60 * 60_000;

/** How many ended keys are remembered. Calls that were in progress when their session ended are recorded later. */
export const ENDED_KEPT = 1_000;

/** The session and the chat that a key belongs to. */
export interface KeyHolder {
  readonly session: string;
  /** The chat whose agent calls models with the key. Absent if the key is for the tools of all agents of the session. */
  readonly chat?: string;
  /** The key is for calls to A2A agents, or to the cloud-agents service, instead. */
  readonly use?: 'agents' | 'cloud';
}

/**
 * Keys of the host's sessions: one for tools, and for each chat one for models, one for A2A agents, and one for cloud agents, so
 * that the records of calls show the chat. Only hashes of keys are stored on disk, so the keys end with this process.
 */
export interface SessionKeys {
  /** The same key each time, until it ends. */
  keyOf(holder: KeyHolder): Promise<string>;
  /** @param token the hash of a key, which may be one of the last {@link ENDED_KEPT} that ended */
  holderOf(token: string): KeyHolder | undefined;
  /** Ends all keys of a session. */
  end(session: string): Promise<void>;
}

export interface SessionKeysDeps {
  readonly keys: GatewayStore['key'];
  readonly clock: Clock;
  readonly newId: () => string;
  readonly random: (bytes: number) => Uint8Array;
}

/** First ends the keys of earlier processes, whose agents no longer run. */
export async function openSessionKeys(deps: SessionKeysDeps): Promise<SessionKeys> {
  for (const { token, key_alias, metadata } of await deps.keys.all()) {
    const session = metadata?.['session'];
    const chat = metadata?.['chat'];
    const use = metadata?.['use'];
    if (typeof session !== 'string') continue;
    const alias = aliasOf({
      session,
      ...(typeof chat === 'string' && { chat }),
      ...((use === 'agents' || use === 'cloud') && { use }),
    });
    if (key_alias === alias) await deps.keys.remove(token);
  }
  const known = new Map<string, Map<string, Promise<string>>>();
  const holders = new Map<string, KeyHolder>();
  const ended: string[] = [];
  /** This includes keys that a user revoked and that were replaced. */
  function forget(session: string): void {
    const before = new Set(ended);
    for (const [token, holder] of holders) if (holder.session === session && !before.has(token)) ended.push(token);
    for (const token of ended.splice(0, Math.max(0, ended.length - ENDED_KEPT))) holders.delete(token);
  }
  return {
    keyOf(holder) {
      const { session } = holder;
      const name = aliasOf(holder);
      const own = known.get(session) ?? new Map<string, Promise<string>>();
      known.set(session, own);
      const key = renewOrMake(deps, holder, holders, own.get(name));
      own.set(name, key);
      key.catch(() => own.get(name) === key && own.delete(name)); // a later request may have replaced it
      return key;
    },
    holderOf: (token) => holders.get(token),
    async end(session) {
      const own = [...(known.get(session)?.values() ?? [])];
      known.delete(session);
      // The caller of `keyOf` got the error if a key could not be made.
      for (const it of await Promise.allSettled(own))
        if (it.status === 'fulfilled') await deps.keys.remove(hashKey(it.value));
      forget(session);
    },
  };
}

async function renewOrMake(
  deps: SessionKeysDeps,
  holder: KeyHolder,
  holders: Map<string, KeyHolder>,
  known: Promise<string> | undefined,
) {
  const before = await known?.catch(() => undefined); // the earlier caller got the error
  if (before !== undefined && (await renewed(deps, hashKey(before)))) return before;
  const key = newKey(deps.random);
  holders.set(hashKey(key), holder);
  await make(deps, holder, key).catch((thrown: unknown) => {
    holders.delete(hashKey(key));
    throw thrown;
  });
  return key;
}

async function make({ keys, clock, newId }: SessionKeysDeps, holder: KeyHolder, key: string): Promise<void> {
  const now = clock.now();
  await keys.insert({
    token: hashKey(key),
    token_id: holder.use === 'agents' ? lastingId(holder) : newId(),
    key_name: keyName(key),
    key_alias: aliasOf(holder),
    allowed_routes: [routesOf(holder)],
    metadata: { ...holder },
    expires: endOfLife(clock),
    rotation_count: 0,
    created_at: now,
    updated_at: now,
  });
}

/** @returns false if the key no longer exists because a user revoked it */
async function renewed({ keys, clock }: SessionKeysDeps, token: string): Promise<boolean> {
  if (!(await keys.get(token))) return false;
  await keys.update(token, (it) => ({ ...it, expires: endOfLife(clock) }));
  return true;
}

const aliasOf = ({ session, chat, use }: KeyHolder) =>
  chat === undefined ? `session ${session}` : `session ${session}, ${use ?? 'models'} of ${chat}`;
function routesOf({ chat, use }: KeyHolder) {
  if (use === 'agents') return 'agent_routes';
  if (use === 'cloud') return 'passthrough_routes';
  return chat === undefined ? 'mcp_routes' : 'model_routes';
}
/** Conversations with A2A agents belong to the ID of a key and outlive this process, so the next key has the same ID. */
const lastingId = (holder: KeyHolder) => createHash('sha256').update(aliasOf(holder)).digest('hex');
const endOfLife = (clock: Clock) => new Date(clock.nowMs() + LIFE_MS).toISOString();
