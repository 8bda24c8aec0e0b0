import { Recent } from '../../../platform/boundedMap.ts';
import type { Clock } from '../../../platform/clock.ts';

/** Of all lists together, in characters of their JSON. */
const MAX_WEIGHT = 64_000_000;
/** Longer than any list is kept, whatever a server says. */
const MAX_TTL_MS = 24 * 60 * 60_000;

interface Kept {
  readonly value: unknown;
  readonly generation: number;
  readonly untilMs: number;
}

/** Where a list belongs: a server, and whatever its answer depends on. */
export interface ListPlace {
  readonly serverId: string;
  /** Everything that the answer depends on but the caller. */
  readonly name: string;
  /** Whose answer it is, where the server gives each caller its own. */
  readonly caller: string;
}

/** Lists that servers gave, for as long as they allow. They are kept as they came: what a caller may see is judged later. */
export class ListCache {
  readonly #clock: Clock;
  readonly #kept = new Recent<Kept>(MAX_WEIGHT);
  /** Grows when a server's lists change: lists that were asked for before that are not kept. */
  readonly #generations = new Map<string, number>();
  #version = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Grows when the lists of any server change. */
  get version(): number {
    return this.#version;
  }

  /** To be asked before a list is asked for, and handed to {@link keep}. */
  generation(serverId: string): number {
    return this.#generations.get(serverId) ?? 0;
  }

  /** Whether lists of a server were ever kept here. */
  hasKept(serverId: string): boolean {
    return this.#generations.has(serverId);
  }

  find<T>({ serverId, name, caller }: ListPlace): { readonly value: T; readonly leftMs: number } | undefined {
    for (const whose of [caller, EVERYBODY]) {
      const key = keyOf(serverId, name, whose);
      const kept = this.#kept.get(key);
      const leftMs = kept ? kept.untilMs - this.#clock.monotonicMs() : 0;
      if (kept && leftMs > 0 && kept.generation === this.generation(serverId))
        return { value: kept.value as T, leftMs: Math.floor(leftMs) };
      if (kept) this.#kept.delete(key);
    }
    return undefined;
  }

  /** @param isForAll every caller gets the same list from the server @returns for how long it is kept; 0 if it is not */
  keep(
    { serverId, name, caller }: ListPlace,
    value: unknown,
    { ttlMs, isForAll, generation }: { ttlMs: number; isForAll: boolean; generation: number },
  ): number {
    if (ttlMs <= 0 || generation !== this.generation(serverId)) return 0;
    this.#generations.set(serverId, generation);
    const leftMs = Math.min(ttlMs, MAX_TTL_MS);
    const untilMs = this.#clock.monotonicMs() + leftMs;
    const key = keyOf(serverId, name, isForAll ? EVERYBODY : caller);
    this.#kept.set(key, { value, generation, untilMs }, key.length + JSON.stringify(value).length);
    return leftMs;
  }

  /** A server's lists or its registration changed. */
  forget(serverId: string): void {
    this.#version += 1;
    this.#generations.set(serverId, this.generation(serverId) + 1);
  }
}

/** No caller has this name. */
const EVERYBODY = '';
const keyOf = (...parts: readonly string[]) => parts.join('\u0000');
