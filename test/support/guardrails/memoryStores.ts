import { isDeepStrictEqual } from 'node:util';
import type { PinStore, ToolPin } from '../../../sidecar/gateway/guardrails/pins/toolPin.ts';
import type { StoredKey } from '../../../sidecar/gateway/guardrails/signer/signingKey.ts';
import type { KeyStore } from '../../../sidecar/gateway/guardrails/signer/storedKeyring.ts';

/** What replicas share. Counts its reads. */
export class MemoryPins implements PinStore {
  readonly #servers = new Map<string, ReadonlyMap<string, ToolPin>>();
  reads = 0;

  get(serverId: string): Promise<ReadonlyMap<string, ToolPin>> {
    this.reads += 1;
    return Promise.resolve(this.#servers.get(serverId) ?? new Map<string, ToolPin>());
  }

  put(serverId: string, changes: ReadonlyMap<string, ToolPin | null>): Promise<void> {
    const pins = new Map(this.#servers.get(serverId));
    for (const [tool, pin] of changes) {
      if (pin) pins.set(tool, pin);
      else pins.delete(tool);
    }
    this.#servers.set(serverId, pins);
    return Promise.resolve();
  }
}

export class MemoryKeys implements KeyStore {
  keys: readonly StoredKey[] = [];
  reads = 0;
  /** What every read and write throws, while there is something. */
  failure: Error | undefined;
  /** Runs before the next write: another replica. */
  beforeSave: (() => void) | undefined;

  load(): Promise<readonly StoredKey[]> {
    this.reads += 1;
    return this.failure ? Promise.reject(this.failure) : Promise.resolve(this.keys);
  }

  save(keys: readonly StoredKey[], before: readonly StoredKey[]): Promise<boolean> {
    this.beforeSave?.();
    this.beforeSave = undefined;
    if (!isDeepStrictEqual(before, this.keys)) return Promise.resolve(false);
    this.keys = keys;
    return Promise.resolve(true);
  }
}
