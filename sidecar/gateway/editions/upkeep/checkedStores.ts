import type { CheckedPart, CheckOptions } from '../../../launch/gateway/upkeepContract.ts';
import type { Log } from '../../../platform/logger.ts';
import { systemMachine } from '../../../platform/runtime.ts';
import type { StoreRef } from '../../../protocol/gateway/config/secretRef.ts';
import type { SecretStoresConfig } from '../../../protocol/gateway/config/secretStores.ts';
import type { FoundSecret, SecretSources, SecretStoreReads } from '../../configuration/secretSources.ts';
import { type OpenStores, openStores } from '../openStores.ts';

/** A check shows what it found itself. */
const noLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  hide: () => undefined,
  report: () => undefined,
};

/** Reads the secrets that a configuration file names in secret stores, and says whether they are there. No value is kept. */
export class CheckedStores implements SecretStoreReads {
  readonly #open: () => Promise<OpenStores | undefined>;
  readonly #isOffline: boolean;
  readonly #asked = new Set<string>();
  readonly #missing = new Set<string>();
  #stores: Promise<OpenStores | undefined> | undefined;

  /** @param deadline absent: no store is asked */
  constructor(
    secret_stores: SecretStoresConfig,
    sources: Pick<SecretSources, 'env' | 'folder'>,
    deadline: CheckOptions['deadline'],
  ) {
    this.#isOffline = deadline === undefined;
    this.#open = () => openStores({ secret_stores }, sources, { ...systemMachine, log: noLog });
  }

  /** A secret that cannot be read is not a mistake in the file: it has a part of its own. */
  async read(ref: StoreRef): Promise<FoundSecret> {
    const name = JSON.stringify(ref);
    this.#asked.add(name);
    if (!this.#isOffline) {
      this.#stores ??= this.#open();
      const found = (await (await this.#stores)?.reads.read(ref)) ?? { missing: 'the stores are not configured' };
      if ('missing' in found) this.#missing.add(found.missing);
    }
    return { value: 'in a store' };
  }

  async close(): Promise<readonly CheckedPart[]> {
    await (await this.#stores)?.close();
    const part = 'secret stores';
    if (this.#asked.size === 0) return [];
    if (this.#isOffline)
      return [{ part, state: 'warning', message: 'The secrets in secret_stores were not read, because of --offline.' }];
    if (this.#missing.size === 0)
      return [
        {
          part,
          state: 'ok',
          message: `All secrets in secret_stores can be read. Number of secrets: ${this.#asked.size}.`,
        },
      ];
    return [...this.#missing].map((it) => ({
      part,
      state: 'failed',
      message: `${it.charAt(0).toUpperCase()}${it.slice(1)}.`,
    }));
  }
}
