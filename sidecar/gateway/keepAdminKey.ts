import { Fault } from '../platform/faults.ts';
import type { KeyRecord } from '../protocol/gateway/key.ts';
import { checkChosenKey, hashKey, keyName } from './callers/keys.ts';
import type { GatewayStore } from './storage/store.ts';

/** Each editor has a key of its own. */
const aliasOf = (token: string) => `administrator-${token.slice(0, 8)}`;

/**
 * Makes sure that the administrator's key that somebody else keeps (an editor's secret storage, an environment) opens the
 * door: as its hash.
 *
 * @throws {Fault} `invalid_params` for a key that is easy to guess
 */
export async function keepAdminKey(
  { key: keys }: GatewayStore,
  key: string,
  now: string,
  newId: () => string,
): Promise<KeyRecord> {
  checkChosenKey(key);
  const token = hashKey(key);
  const known = await keys.get(token);
  if (known?.role === 'proxy_admin' && !known.blocked) return known;
  if (known) await keys.remove(token);
  const record: KeyRecord = {
    token,
    token_id: known?.token_id ?? newId(),
    key_name: keyName(key),
    key_alias: aliasOf(token),
    role: 'proxy_admin',
    rotation_count: 0,
    created_at: now,
    updated_at: now,
  };
  await keys.insert(record).catch((thrown: unknown) => {
    // A replica that starts at the same time has just done it.
    if (!(thrown instanceof Fault) || thrown.code !== 'already_exists') throw thrown;
  });
  return record;
}

/** Ends the keys of all other editors: those that are still there make themselves known again. */
export async function endOtherAdminKeys({ key: keys }: GatewayStore, key: string): Promise<void> {
  const token = hashKey(key);
  for (const it of await keys.all()) {
    if (it.role === 'proxy_admin' && it.token !== token && it.key_alias === aliasOf(it.token))
      await keys.remove(it.token);
  }
}
