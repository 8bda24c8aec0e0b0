import type { Agent } from 'undici';
import type { Clock } from '../../../platform/clock.ts';
import { Fault } from '../../../platform/faults.ts';
import type { Timers } from '../../../platform/timers.ts';
import type { AgentOptions, Connect } from './agent.ts';
import { Breaker } from './breaker.ts';
import { type BackendRequest, type BackendResponse, type Destination, destinationOf, exchange } from './exchange.ts';
import { type LookupAll, lookupAll, readTarget } from './guard.ts';
import type { Lanes } from './http1/lanes.ts';
import type { SeenCertificates } from './seenCertificates.ts';
import { Slots } from './slots.ts';

/** What the pool knows of a backend. One that changed has a new `version`, and its old sockets are let go. */
export interface BackendTarget extends AgentOptions {
  /** `server_id`, `agent_id`, or the name of a provider. */
  readonly id: string;
  /** For people and in messages; never an address. */
  readonly name: string;
  readonly version?: string | number;
  /** `max_concurrent_requests`; a request holds its slot until its answer was read. Default: no limit. */
  readonly maxConcurrent?: number;
  /** Sockets to one origin, for calls. Default 256. Streams that stay open have as many as callers hold open. */
  readonly connections?: number;
}

export interface Pool {
  /**
   * Sends over a kept-alive socket. Follows no redirect: a 3xx is an answer like any other. Aborting the signal ends the
   * request and the answer's stream.
   * @throws {Fault} `forbidden` for an address the backend may not lead to, `unavailable` while it cannot be reached or
   *   has too many requests waiting; otherwise the HTTP client's own error
   */
  request(target: BackendTarget, request: BackendRequest, signal: AbortSignal): Promise<BackendResponse>;
  /** Whether the backend could be reached lately. Unknown ones are. */
  isReachable(id: string): boolean;
  /** Requests that wait for or read an answer, of backends with `maxConcurrent`. */
  inFlight(id: string): number;
  /** A registration changed or was removed: its sockets close when their requests are done. */
  forget(id: string): Promise<void>;
  close(): Promise<void>;
}

interface Entry {
  /** The target of the last request. It is nearly always the same object, for which the key is not computed again. */
  target: BackendTarget;
  readonly key: string;
  readonly calls: Lanes | Agent;
  readonly streams: Lanes | Agent;
  readonly breaker: Breaker;
  readonly slots: Slots | undefined;
  /** The address of the last request: nearly always the same one, and judged already. */
  last: { readonly text: string; readonly at: Destination } | undefined;
}

export interface PoolDeps {
  readonly clock: Clock;
  readonly timers: Pick<Timers, 'after' | 'soon'>;
  /** Resolves names. Default: the system's. */
  readonly lookup?: LookupAll;
  /** Opens sockets to addresses that the network guard allowed. Default: TCP and TLS. */
  readonly connect?: Connect | undefined;
  readonly certificates?: SeenCertificates | undefined;
}

export function openPool(deps: PoolDeps): Pool {
  const entries = new Map<string, Entry>();
  const { clock, timers } = deps;
  const agentDeps = {
    lookup: deps.lookup ?? lookupAll,
    connect: deps.connect,
    certificates: deps.certificates,
    clock,
    timers,
  };
  let open: typeof import('./agent.ts') | undefined;

  function entryOf(target: BackendTarget, { openAgent, openLanes }: typeof import('./agent.ts')): Entry {
    const found = entries.get(target.id);
    if (found?.target === target) return found;
    const key = `${target.version ?? ''} ${target.allowPrivate} ${target.maxConcurrent ?? ''} ${target.connections ?? ''}`;
    if (found?.key === key) {
      found.target = target;
      return found;
    }
    if (found) void closeGently(found);
    const openSockets = hasTimeout(target) ? openAgent : openLanes;
    const entry: Entry = {
      target,
      key,
      calls: openSockets(target, agentDeps, target.connections ?? 256),
      streams: openSockets(target, agentDeps, null),
      breaker: new Breaker(deps.clock),
      slots: target.maxConcurrent === undefined ? undefined : new Slots(target.maxConcurrent),
      last: undefined,
    };
    entries.set(target.id, entry);
    return entry;
  }

  /** Loads the HTTP client with the first request, so that the gateway starts sooner. */
  async function load(): Promise<void> {
    open = await import('./agent.ts');
  }

  function request(target: BackendTarget, it: BackendRequest, signal: AbortSignal): Promise<BackendResponse> {
    if (!open) return load().then(() => request(target, it, signal));
    try {
      const entry = entryOf(target, open);
      if (entry.last?.text !== it.url) entry.last = { text: it.url, at: destinationOf(readTarget(it.url, target)) };
      const { at } = entry.last;
      return entry.slots
        ? inTurn(entry, entry.slots, target, at, it, signal)
        : send(entry, target, at, it, signal, undefined);
    } catch (thrown) {
      return Promise.reject(thrown instanceof Error ? thrown : new Error(String(thrown)));
    }
  }

  return {
    request,
    isReachable: (id) => !entries.get(id)?.breaker.isOpen,
    inFlight: (id) => entries.get(id)?.slots?.taken ?? 0,
    async forget(id) {
      const entry = entries.get(id);
      entries.delete(id);
      if (entry) await closeGently(entry);
    },
    async close() {
      const all = [...entries.values()];
      entries.clear();
      await Promise.all(all.flatMap((it) => [it.calls.destroy(), it.streams.destroy()]));
    },
  };
}

async function inTurn(
  entry: Entry,
  slots: Slots,
  target: BackendTarget,
  at: Destination,
  it: BackendRequest,
  signal: AbortSignal,
): Promise<BackendResponse> {
  const release = await slots.take(signal);
  try {
    return await send(entry, target, at, it, signal, release);
  } catch (thrown) {
    release();
    throw thrown;
  }
}

/** @throws {Fault} at once, while the backend cannot be reached */
function send(
  { breaker, calls, streams }: Entry,
  target: BackendTarget,
  at: Destination,
  it: BackendRequest,
  signal: AbortSignal,
  onRead: (() => void) | undefined,
): Promise<BackendResponse> {
  const waitMs = breaker.waitMs();
  if (waitMs > 0) throw unreachable(target, waitMs);
  return exchange((it.isLongLived ?? isEventStream(it)) ? streams : calls, at, it, signal, {
    onRead,
    onReached: () => breaker.reached(),
    onFailed: (thrown) => (signal.aborted || thrown instanceof Fault ? breaker.abandoned() : breaker.failed()),
  });
}

/** The lanes have no timers of their own. */
const hasTimeout = ({ headersTimeoutMs, bodyTimeoutMs }: BackendTarget): boolean =>
  headersTimeoutMs !== undefined || bodyTimeoutMs !== undefined;

const isEventStream = ({ method, headers }: BackendRequest) =>
  method === 'GET' && headers['accept']?.includes('text/event-stream') === true;

async function closeGently(entry: Entry): Promise<void> {
  await Promise.all([entry.calls.close(), entry.streams.close()]);
}

const unreachable = (target: BackendTarget, waitMs: number) =>
  new Fault('unavailable', `'${target.name}' cannot be reached. The gateway will retry soon.`, {
    data: { reason: 'circuit_open', retry_after_ms: Math.ceil(waitMs) },
  });
