import { Fault } from '../../../platform/faults.ts';
import { isRecord } from '../../../platform/isRecord.ts';
import type { Runtime } from '../../../platform/runtime.ts';
import type { StoreRef } from '../../../protocol/gateway/config/secretRef.ts';
import type { SecretStoresConfig } from '../../../protocol/gateway/config/secretStores.ts';
import { openPool, type Pool } from '../net/pool.ts';
import { smallFetch } from '../net/smallFetch.ts';
import type { SecretSource, SourceDeps } from './source.ts';

type StoreName = 'vault' | 'aws' | 'gcp' | 'azure';

export interface SecretStoresDeps
  extends Pick<Runtime, 'clock' | 'timers' | 'log'>,
    Pick<SourceDeps, 'machine' | 'readLocal'> {}

interface Entry {
  value: Awaited<ReturnType<SecretSource['read']>> | undefined;
  /** When the value was read; for a reading that failed, when the value before was. */
  readMs: number;
  /** When its store was asked last. */
  askedMs: number;
  isStale: boolean;
  reading: Promise<void> | undefined;
  /** Why it could not be read now. */
  failure: string | undefined;
  isMissing: boolean;
}

/** A store that is away is not asked for a known value more often: each question can take as long as a request may. */
const AWAY_MS = 10_000;

/**
 * The secrets of the stores that the configuration file names. A value is kept for `refresh_s`, and for `keep_s` while its
 * store does not respond. Fields of one secret are read together. Values are in memory alone, and in no message.
 */
export class SecretStores {
  readonly #settings: SecretStoresConfig;
  readonly #deps: SecretStoresDeps;
  readonly #pool: Pool;
  readonly #sources = new Map<StoreName, Promise<SecretSource>>();
  readonly #entries = new Map<string, Entry>();

  constructor(settings: SecretStoresConfig, deps: SecretStoresDeps) {
    this.#settings = settings;
    this.#deps = deps;
    this.#pool = openPool(deps);
  }

  /** A secret, or in words why it is not there. Never empty. */
  async read(ref: StoreRef): Promise<{ readonly value: string } | { readonly missing: string }> {
    const [store, text] = Object.entries(ref)[0] as [StoreName, string];
    const [path = '', field] = text.split('#');
    if (!this.#settings[store]) return { missing: `'secret_stores' has no '${store}'` };
    const entry = await this.#fresh(store, path);
    const shown = `the secret '${path}' of '${store}'`;
    const { value, failure } = entry;
    if (value === undefined) return { missing: `${shown} cannot be read: ${failure}` };
    const found = field === undefined ? value : fieldOf(value, field);
    const hasField = field === undefined ? '' : ` has no field '${field}' that`;
    if (typeof found !== 'string' || found === '')
      return { missing: `${shown}${hasField || ' is not one text that'} can be used` };
    this.#deps.log.hide(found);
    return { value: found };
  }

  /** Secrets are read anew when they are asked for next; values stay for the case that they cannot be. */
  expire(): void {
    for (const it of this.#entries.values()) Object.assign(it, { isStale: true, askedMs: Number.NEGATIVE_INFINITY });
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  async #fresh(store: StoreName, path: string): Promise<Entry> {
    const name = `${store} ${path}`;
    const entry: Entry = this.#entries.get(name) ?? {
      value: undefined,
      readMs: Number.NEGATIVE_INFINITY,
      askedMs: Number.NEGATIVE_INFINITY,
      isStale: true,
      reading: undefined,
      failure: undefined,
      isMissing: false,
    };
    this.#entries.set(name, entry);
    const sinceMs = (ms: number) => this.#deps.clock.monotonicMs() - ms;
    const ageMs = () => sinceMs(entry.readMs);
    const isAway = entry.failure !== undefined && entry.value !== undefined && sinceMs(entry.askedMs) < AWAY_MS;
    if (!isAway && (entry.isStale || ageMs() >= this.#settings.refresh_s * 1_000)) {
      entry.reading ??= this.#read(entry, store, path).finally(() => {
        entry.reading = undefined;
      });
      await entry.reading;
    }
    const isTooOld = entry.failure !== undefined && ageMs() >= this.#settings.keep_s * 1_000;
    if (isTooOld || entry.isMissing) entry.value = undefined;
    return entry;
  }

  async #read(entry: Entry, store: StoreName, path: string): Promise<void> {
    entry.askedMs = this.#deps.clock.monotonicMs();
    try {
      entry.value = await (await this.#source(store)).read(path);
      entry.readMs = this.#deps.clock.monotonicMs();
      entry.failure = undefined;
      entry.isMissing = false;
      entry.isStale = false;
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown;
      entry.failure = thrown.message;
      entry.isMissing = thrown.code === 'not_found';
      if (entry.value !== undefined && !entry.isMissing)
        this.#deps.log.warn(
          { store, path, why: thrown.message },
          'A secret store did not respond. The last value is used.',
        );
    }
  }

  /** Each is loaded when a secret of it is needed. */
  #source(store: StoreName): Promise<SecretSource> {
    const found = this.#sources.get(store) ?? this.#open(store);
    this.#sources.set(store, found);
    return found;
  }

  async #open(store: StoreName): Promise<SecretSource> {
    const { vault, aws, gcp, azure } = this.#settings;
    const { machine, readLocal, clock, timers } = this.#deps;
    const allowPrivate = this.#settings[store]?.allow_private_network === true;
    const target = { id: `secret store ${store}`, name: `secret_stores.${store}`, allowPrivate, connections: 4 };
    const deps: SourceDeps = {
      fetch: smallFetch(this.#pool, target, timers),
      machine,
      readLocal,
      nowMs: () => clock.nowMs(),
    };
    if (store === 'vault' && vault) return (await import('./vault.ts')).vaultSource(vault, deps);
    if (store === 'aws' && aws) return (await import('./awsSecrets.ts')).awsSource(aws, deps);
    if (store === 'gcp' && gcp) return (await import('./gcpSecrets.ts')).gcpSource(gcp, deps);
    if (azure) return (await import('./azureVault.ts')).azureSource(azure, deps);
    throw new Fault('unavailable', 'The store is not configured');
  }
}

function fieldOf(value: NonNullable<Entry['value']>, field: string): unknown {
  if (typeof value !== 'string') return Object.hasOwn(value, field) ? value[field] : undefined;
  try {
    const parsed: unknown = JSON.parse(value);
    return isRecord(parsed) && Object.hasOwn(parsed, field) ? parsed[field] : undefined;
  } catch {
    return undefined; // a text has no fields
  }
}
