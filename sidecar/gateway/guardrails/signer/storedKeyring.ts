import type { Clock } from '../../../platform/clock.ts';
import { Fault } from '../../../platform/faults.ts';
import type { Log } from '../../../platform/logger.ts';
import type { Keyring } from './keyring.ts';
import { generatedMaxAgeSeconds, phasesOf, reloadMs } from './phases.ts';
import { newKey, readKey, type SigningKey, type StoredKey } from './signingKey.ts';

const maxAttempts = 8;

/** Where generated keys outlive the process and are shared by replicas. They are secrets: seal them. */
export interface KeyStore {
  load(): Promise<readonly StoredKey[]>;
  /**
   * Writes `keys` where what is stored still is `before`, in one step.
   * @returns `false`, with nothing written, where another replica was faster
   */
  save(keys: readonly StoredKey[], before: readonly StoredKey[]): Promise<boolean>;
}

export interface StoredKeyringDeps {
  readonly store: KeyStore;
  readonly clock: Clock;
  readonly log: Log;
}

type Keys = readonly [SigningKey, ...SigningKey[]];

/** Generates a key where none is stored, and sees within 30 seconds what other replicas did. */
export function storedKeyring({ store, clock, log }: StoredKeyringDeps): Keyring {
  let known: Promise<Keys> | undefined;
  let dueMs = 0;

  /** Reads, decides and writes until nobody came between. */
  const change = async (next: (stored: readonly StoredKey[]) => Promise<readonly StoredKey[]>): Promise<Keys> => {
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const stored = await store.load();
      const keys = await next(stored);
      if (keys === stored || (await store.save(keys, stored))) return readAll(keys);
    }
    throw new Fault('unavailable', 'The signing keys are being changed by another request. Try again.');
  };
  const load = () => change(async (stored) => (stored.length > 0 ? stored : [await newKey(clock.now())]));

  const current = async (): Promise<Keys> => {
    if (known && clock.monotonicMs() < dueMs) return known;
    dueMs = clock.monotonicMs() + reloadMs; // whoever asks meanwhile takes what is known
    const loading = load();
    if (known) {
      const before = known;
      known = loading.catch((thrown: unknown) => {
        log.warn({ thrown }, 'The signing keys could not be reloaded. The current keys remain in use.');
        return before;
      });
      return before;
    }
    known = loading;
    loading.catch(() => {
      known = undefined; // the caller hears of it; the next one tries again
    });
    return loading;
  };

  const phases = async () => phasesOf(await current(), clock.nowMs());
  return {
    signing: async () => (await phases()).signing,
    jwks: async () => ({
      keys: (await phases()).published.map((it) => it.jwk),
      maxAgeSeconds: generatedMaxAgeSeconds,
    }),
    async rotate(isLost = false) {
      const changed = await change(async (stored) => {
        const fresh = await newKey(clock.now());
        if (isLost || stored.length === 0) return [fresh];
        const keys = await readAll(stored);
        const { published } = phasesOf(keys, clock.nowMs());
        if (published.length > 1)
          throw new Fault('conflict', 'The previous signing key rotation is still in progress.');
        return [...stored.toSorted(byAge).slice(-1), fresh];
      });
      known = Promise.resolve(changed);
      dueMs = clock.monotonicMs() + reloadMs;
    },
  };
}

async function readAll(stored: readonly StoredKey[]): Promise<Keys> {
  const keys = await Promise.all(stored.toSorted(byAge).map(readKey));
  return keys as [SigningKey, ...SigningKey[]];
}

/** Oldest first. */
const byAge = (a: StoredKey, b: StoredKey): number => Date.parse(a.created_at) - Date.parse(b.created_at);
