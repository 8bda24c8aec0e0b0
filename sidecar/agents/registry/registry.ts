import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { Fault } from '../../platform/faults.ts';
import type { Runtime } from '../../platform/runtime.ts';
import { newTemporaryName } from '../../platform/temporaryName.ts';
import type { RegistryAnswer } from '../../protocol/channels/root/agentRegistry.ts';
import { fetchBytes } from './download.ts';
import { isAddress, MOST_REGISTRY_BYTES, type ReadRegistry, readRegistry } from './entry.ts';
import { fetchIcons } from './icons.ts';

/** Where the list of the public registry is, for windows that name none. */
export const PUBLIC_REGISTRY = 'https://cdn.agentclientprotocol.com/registry/v1/latest/registry.json';

const KEPT_MS = 3_600_000;
const FETCH_MS = 15_000;
const ICONS_MS = 5_000;

const Kept = z.object({
  address: z.string(),
  fetchedAt: z.iso.datetime(),
  text: z.string(),
  icons: z.record(z.string(), z.string()),
});
type Kept = z.infer<typeof Kept>;

export interface RegistryDeps extends Pick<Runtime, 'clock' | 'timers'> {
  /** Where what was fetched is kept. */
  readonly folder: string;
}

export interface KnownRegistry extends ReadRegistry, Pick<RegistryAnswer, 'origin' | 'address' | 'date' | 'problem'> {
  /** `data:` URIs by id. */
  readonly icons: Readonly<Record<string, string>>;
}

/** The list of agents: fetched at most once an hour, else as it was kept, else as it came with this product. */
export class Registry {
  readonly #deps: RegistryDeps;
  readonly #file: string;

  constructor(deps: RegistryDeps) {
    this.#deps = deps;
    this.#file = join(deps.folder, 'registry.json');
  }

  /** @param address where the list is; '': nothing is fetched */
  async read(address: string, env: Readonly<Record<string, string>>, signal: AbortSignal): Promise<KnownRegistry> {
    const kept = address === '' ? undefined : await this.#kept(address);
    if (kept && this.#isFresh(kept.date)) return kept;
    if (address === '') return shipped(address);
    try {
      return await this.#fetched(address, env, signal);
    } catch (thrown) {
      signal.throwIfAborted();
      if (!(thrown instanceof Fault)) throw thrown;
      return { ...(kept ?? (await shipped(address))), problem: thrown.message };
    }
  }

  async #fetched(address: string, env: Readonly<Record<string, string>>, signal: AbortSignal): Promise<KnownRegistry> {
    if (!isAddress(address)) throw new Fault('unavailable', 'The registry address is not an https URL.');
    const { timers, clock } = this.#deps;
    const limit = timers.deadline(FETCH_MS);
    const options = { env, silentMs: FETCH_MS };
    const bytes = await fetchBytes(address, {
      ...options,
      mostBytes: MOST_REGISTRY_BYTES,
      signal: AbortSignal.any([signal, limit]),
    }).catch((thrown: unknown) => {
      throw limit.aborted && !signal.aborted
        ? new Fault('unavailable', `${new URL(address).host} did not respond within ${FETCH_MS / 1_000} seconds.`)
        : thrown;
    });
    const text = bytes.toString('utf8');
    const read = readRegistry(text);
    if (!read) throw new Fault('unavailable', `${new URL(address).host} did not send a list of agents.`);
    const icons = await fetchIcons(read.entries, address, {
      ...options,
      signal: AbortSignal.any([signal, timers.deadline(ICONS_MS)]),
    });
    const fetchedAt = clock.now();
    await this.#keep({ address, fetchedAt, text, icons });
    return { ...read, icons, address, origin: 'fetched', date: fetchedAt };
  }

  #isFresh(date: string): boolean {
    const age = this.#deps.clock.nowMs() - Date.parse(date);
    return age >= 0 && age < KEPT_MS;
  }

  async #kept(address: string): Promise<KnownRegistry | undefined> {
    const text = await readFile(this.#file, 'utf8').catch(() => '');
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      return undefined;
    }
    const { data } = Kept.safeParse(json);
    const read = data?.address === address ? readRegistry(data.text) : undefined;
    return data && read && { ...read, icons: data.icons, address, origin: 'kept', date: data.fetchedAt };
  }

  async #keep(kept: Kept): Promise<void> {
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 });
    const fresh = newTemporaryName(`${this.#file}.`);
    await writeFile(fresh, JSON.stringify(kept), { mode: 0o600 });
    await rename(fresh, this.#file);
  }
}

/** What the registry said when this version of the product was made. */
async function shipped(address: string): Promise<KnownRegistry> {
  const { snapshot, snapshotDate } = await import('./snapshot.ts');
  const read = readRegistry(JSON.stringify(snapshot));
  if (!read) throw new Error('the included list of agents is invalid');
  return { ...read, icons: {}, address, origin: 'shipped', date: snapshotDate };
}
