import { Recent } from '../../../platform/boundedMap.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { McpContext, McpDeps, VisibleServer } from '../mcpDeps.ts';
import type { McpRequest } from '../mcpRequest.ts';
import type { ListCache } from './listCache.ts';

/** Of all merged lists together, in characters of their JSON. */
const MAX_WEIGHT = 16_000_000;
/** Of a list without its text: a short one takes room, too. */
const LIST_WEIGHT = 1_000;
/** How long the later pages of a list come from what its servers said for the first one. */
const PAGES_MS = 60_000;

/** What the servers of an address listed to one caller, as it is shown. */
export interface Merged<T> {
  readonly value: T;
  /** Servers that are missing because they failed. Each request asks them again. */
  readonly failed: readonly VisibleServer[];
}

interface Kept extends Merged<unknown> {
  readonly version: number;
  readonly untilMs: number;
  /** For later pages. */
  readonly pagesUntilMs: number;
}

/** One caller, as its connection introduces it, and the servers that it sees. The same until a record or a right changes. */
interface Place {
  readonly caller: McpContext['caller'];
  readonly id: number;
}

/** Collects, while servers are asked for their parts of a list, whether the whole may be kept. */
export class Freshness {
  /** Of all lists, from before the servers were asked. */
  readonly version: number;
  readonly #clock: Clock;
  #untilMs: number | undefined;
  #isOnce = false;

  constructor({ lists, clock }: Pick<McpDeps, 'lists' | 'clock'>) {
    this.version = lists.version;
    this.#clock = clock;
  }

  /** A server listed its part. @param leftMs for how long it is kept from now on; 0 if it is not */
  part(leftMs: number): void {
    this.#untilMs = Math.min(this.#untilMs ?? Infinity, this.#clock.monotonicMs() + leftMs);
  }

  /** A part counts, is guarded, or depends on more than its caller and its server: it must be asked for each time. */
  once(): void {
    this.#isOnce = true;
  }

  get isOnce(): boolean {
    return this.#isOnce;
  }

  /** Until when all parts are kept. It is over if one of them is not, or if there is none. */
  get untilMs(): number {
    return this.#untilMs ?? -Infinity;
  }
}

/**
 * Lists of several servers, as they are shown to a caller. While the list of each server is kept, nothing is asked, judged, or
 * written as JSON again. Lists are never shared by callers, nor by different headers of one caller.
 */
export class MergedLists {
  readonly #lists: Pick<ListCache, 'version'>;
  readonly #clock: Clock;
  readonly #kept = new Recent<Kept>(MAX_WEIGHT);
  readonly #places = new WeakMap<McpContext['headers'], WeakMap<readonly VisibleServer[], Place>>();
  #count = 0;

  constructor(lists: Pick<ListCache, 'version'>, clock: Clock) {
    this.#lists = lists;
    this.#clock = clock;
  }

  /** @param name what the list depends on besides its caller, servers, and address @param isLater not the first page */
  find<T>(mcp: McpRequest, name: string, isLater = false): Merged<T> | undefined {
    const place = this.#placeOf(mcp);
    const key = place && keyOf(place, mcp, name);
    const kept = key === undefined ? undefined : this.#kept.get(key);
    if (!kept || key === undefined) return undefined;
    const untilMs = isLater ? Math.max(kept.untilMs, kept.pagesUntilMs) : kept.untilMs;
    if (kept.version === this.#lists.version && this.#clock.monotonicMs() < untilMs && !isGuarded(mcp))
      return kept as Merged<T>;
    if (kept.version !== this.#lists.version) this.#kept.delete(key);
    return undefined;
  }

  /**
   * Keeps a list if all its parts are kept, or until its later pages have been asked for.
   *
   * @param size `weight`: characters; `hasPages`: it is longer than one page
   */
  keep(
    mcp: McpRequest,
    name: string,
    merged: Merged<unknown>,
    freshness: Freshness,
    { weight, hasPages = false }: { weight: number; hasPages?: boolean },
  ): void {
    const { version, untilMs, isOnce } = freshness;
    // To a caller who left, servers look as if they had failed.
    if (isOnce || version !== this.#lists.version || mcp.signal.aborted) return;
    const before = this.#placeOf(mcp);
    const place = before ?? this.#newPlace(mcp);
    const nowMs = this.#clock.monotonicMs();
    // A caller that comes once would only push out the lists of others.
    if (!hasPages && (untilMs <= nowMs || !before)) return;
    const pagesUntilMs = hasPages ? nowMs + PAGES_MS : -Infinity;
    this.#kept.set(keyOf(place, mcp, name), { ...merged, version, untilMs, pagesUntilMs }, LIST_WEIGHT + weight);
  }

  /** What is kept is not shown any more. */
  drop(mcp: McpRequest, name: string): void {
    const place = this.#placeOf(mcp);
    if (place) this.#kept.delete(keyOf(place, mcp, name));
  }

  #placeOf({ context, scope }: McpRequest): Place | undefined {
    const place = this.#places.get(context.headers)?.get(scope.servers);
    return place?.caller === context.caller ? place : undefined;
  }

  #newPlace({ context, scope }: McpRequest): Place {
    const places = this.#places.get(context.headers) ?? new WeakMap<readonly VisibleServer[], Place>();
    const place = { caller: context.caller, id: (this.#count += 1) };
    this.#places.set(context.headers, places.set(scope.servers, place));
    return place;
  }
}

/** Sessions of the transport with two endpoints have the same headers. */
const keyOf = ({ id }: Place, { scope, era, session }: McpRequest, name: string) =>
  [id, era, session?.id, scope.address, name].join('\u0000');

/** No part was guarded when the list was kept. With the same caller and servers, only guardrails themselves can have changed. */
function isGuarded({ deps, context, scope }: McpRequest): boolean {
  const [first] = scope.servers;
  return first !== undefined && deps.guards({ context, server: first.server });
}
