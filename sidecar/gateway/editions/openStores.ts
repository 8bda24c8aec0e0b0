import { Fault } from '../../platform/faults.ts';
import type { Runtime } from '../../platform/runtime.ts';
import type { GatewayConfig } from '../../protocol/gateway/config.ts';
import type { SmallFetch } from '../backends/net/smallFetch.ts';
import { findSecret, type SecretSources, type SecretStoreReads } from '../configuration/secretSources.ts';

const MACHINE_MS = 5_000;

/** However many calls a server refuses, secrets are not read anew more often. */
const REFUSED_MS = 10_000;

/** The stores that the file names, and when their secrets are read anew. */
export interface OpenStores {
  readonly reads: SecretStoreReads;
  /** The file is read anew because secrets may have changed, and not because it has. */
  readonly isRefreshing: boolean;
  /** From now on `reload` writes the records whose secrets changed: after `refresh_s`, and when one was refused. */
  follow(reload: () => Promise<void> | undefined): void;
  /** A server rejected a credential of the file. */
  readonly refused: () => void;
  close(): Promise<void>;
}

/** Loaded only where the file names some. */
export async function openStores(
  { secret_stores }: Pick<GatewayConfig, 'secret_stores'>,
  { env, folder }: Pick<SecretSources, 'env' | 'folder'>,
  runtime: Pick<Runtime, 'clock' | 'timers' | 'log'>,
): Promise<OpenStores | undefined> {
  if (!secret_stores) return undefined;
  const { clock, timers, log } = runtime;
  const { SecretStores } = await import('../backends/stores/secretStores.ts');
  const stores = new SecretStores(secret_stores, {
    ...runtime,
    machine: machineFetch(timers),
    async readLocal(ref) {
      const found = await findSecret(ref, { env, folder });
      if ('missing' in found) throw new Fault('unavailable', found.missing);
      log.hide(found.value);
      return found.value;
    },
  });
  let reload: () => Promise<void> | undefined = () => undefined;
  let stop: () => void = () => undefined;
  let lastMs = Number.NEGATIVE_INFINITY;
  let isRefreshing = false;
  const refresh = async () => {
    lastMs = clock.monotonicMs();
    stores.expire();
    isRefreshing = true;
    await reload();
    isRefreshing = false;
  };
  return {
    reads: stores,
    get isRefreshing() {
      return isRefreshing;
    },
    follow(it) {
      stop();
      reload = it;
      stop = timers.every(secret_stores.refresh_s * 1_000, () => void refresh());
    },
    refused() {
      if (clock.monotonicMs() - lastMs >= REFUSED_MS) void refresh();
    },
    close() {
      stop();
      return stores.close();
    },
  };
}

/**
 * Asks the identity service of the machine. Its addresses are blocked for everything else that the gateway sends, so they
 * are constants of whoever asks.
 */
const machineFetch =
  (timers: Pick<Runtime['timers'], 'deadline'>): SmallFetch =>
  async ({ method, url, headers = {} }) => {
    try {
      const signal = timers.deadline(MACHINE_MS);
      const response = await fetch(url, { method, headers, redirect: 'error', signal });
      return { status: response.status, headers: {}, text: await response.text() };
    } catch (cause) {
      throw new Fault('unavailable', 'The identity service of this machine cannot be reached', { cause });
    }
  };
