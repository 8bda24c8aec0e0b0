import { Fault } from '../../platform/faults.ts';
import type { KeyRecord } from '../../protocol/gateway/key.ts';
import type { GatewayStore } from '../storage/store.ts';
import { checkChosenKey, hashKey, keyName } from './keys.ts';

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
  const record = administrator(key, { token_id: known?.token_id ?? newId(), key_alias: aliasOf(token), now });
  await keys.insert(record).catch((thrown: unknown) => {
    // A replica that starts at the same time has just done it.
    if (!(thrown instanceof Fault) || thrown.code !== 'already_exists') throw thrown;
  });
  return record;
}

/** Of the key that a new gateway makes itself. No two keys have one alias, which is what makes it the only one. */
const FIRST_ALIAS = 'first administrator';

/**
 * At the first start somebody has to be able to get in. Of replicas that start together on an empty database one makes the
 * key: who comes second finds it made.
 *
 * @returns the key in clear text, where this process made it
 */
export async function makeFirstAdminKey(
  { key: keys }: Pick<GatewayStore, 'key'>,
  key: string,
  now: string,
  newId: () => string,
): Promise<string | undefined> {
  const isThere = async () => (await keys.all()).some((it) => it.role === 'proxy_admin');
  if (await isThere()) return undefined;
  try {
    await keys.insert(administrator(key, { token_id: newId(), key_alias: FIRST_ALIAS, now }));
    return key;
  } catch (thrown) {
    const isMade = thrown instanceof Fault && thrown.code === 'already_exists' && (await isThere());
    if (!isMade) throw thrown;
    return undefined;
  }
}

interface Facts {
  readonly token_id: string;
  readonly key_alias: string;
  readonly now: string;
}
const administrator = (key: string, { token_id, key_alias, now }: Facts): KeyRecord => ({
  token: hashKey(key),
  token_id,
  key_name: keyName(key),
  key_alias,
  role: 'proxy_admin',
  rotation_count: 0,
  created_at: now,
  updated_at: now,
});

/** Ends the keys of all other editors: those that are still there make themselves known again. */
export async function endOtherAdminKeys({ key: keys }: GatewayStore, key: string): Promise<void> {
  const token = hashKey(key);
  for (const it of await keys.all()) {
    if (it.role === 'proxy_admin' && it.token !== token && it.key_alias === aliasOf(it.token))
      await keys.remove(it.token);
  }
}
