import { Readable } from 'node:stream';
import { Agent, DecoratorHandler, type Dispatcher, request as send } from 'undici';
import type { Clock } from '../../../platform/clock.ts';
import { Fault } from '../../../platform/faults.ts';
import { Breaker } from './breaker.ts';
import { type AddressPolicy, guardedConnector, type LookupAll, lookupAll, readTarget } from './guard.ts';
import { Slots } from './slots.ts';

/** What the pool knows of a backend. One that changed has a new `version`, and its old sockets are let go. */
export interface BackendTarget extends AddressPolicy {
  /** `server_id`, `agent_id`, or the name of a provider. */
  readonly id: string;
  /** For people and in messages; never an address. */
  readonly name: string;
  readonly version?: string | number;
  /** `max_concurrent_requests`; a request holds its slot until its answer was read. Default: no limit. */
  readonly maxConcurrent?: number;
  /** Sockets to one origin, for calls. Default 256. Streams that stay open have as many as callers hold open. */
  readonly connections?: number;
  /** Default 10 s. */
  readonly connectTimeoutMs?: number;
  /** Until the answer's headers. Default: no limit; the caller's signal ends it. */
  readonly headersTimeoutMs?: number;
  /** Between two pieces of the answer. Default: no limit, for streams that are silent for long. */
  readonly bodyTimeoutMs?: number;
}

export interface BackendRequest {
  readonly method: string;
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes that flow are not held, and are sent once. */
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array> | undefined;
  /** The answer stays open: it goes over sockets of its own, so that it blocks no call. Default: a GET of events does. */
  readonly isLongLived?: boolean;
  /** Called when the request is on its way: its answer may take long, and others may not overtake it. */
  readonly onSent?: (() => void) | undefined;
}

export interface BackendResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Never buffered. Read to its end or destroyed; one that is left alone keeps its socket and its slot. */
  readonly body: Readable;
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
  readonly key: string;
  readonly calls: Agent;
  readonly streams: Agent;
  readonly breaker: Breaker;
  readonly slots: Slots | undefined;
}

/** @param deps.lookup resolves names; default the system's */
export function openPool(deps: { readonly clock: Clock; readonly lookup?: LookupAll }): Pool {
  const entries = new Map<string, Entry>();
  const lookup = deps.lookup ?? lookupAll;

  function entryOf(target: BackendTarget): Entry {
    const key = `${target.version ?? ''} ${target.allowPrivate} ${target.maxConcurrent ?? ''} ${target.connections ?? ''}`;
    const found = entries.get(target.id);
    if (found?.key === key) return found;
    if (found) void closeGently(found);
    const entry: Entry = {
      key,
      calls: openAgent(target, lookup, target.connections ?? 256),
      streams: openAgent(target, lookup, null),
      breaker: new Breaker(deps.clock),
      slots: target.maxConcurrent === undefined ? undefined : new Slots(target.maxConcurrent),
    };
    entries.set(target.id, entry);
    return entry;
  }

  async function request(target: BackendTarget, it: BackendRequest, signal: AbortSignal): Promise<BackendResponse> {
    readTarget(it.url, target);
    const entry = entryOf(target);
    const release = await entry.slots?.take(signal);
    try {
      const response = await exchange(entry, target, it, signal);
      if (release) response.body.once('close', release);
      return response;
    } catch (thrown) {
      release?.();
      throw thrown;
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

async function exchange(entry: Entry, target: BackendTarget, it: BackendRequest, signal: AbortSignal) {
  const waitMs = entry.breaker.waitMs();
  if (waitMs > 0) throw unreachable(target, waitMs);
  try {
    const response = await send(it.url, {
      dispatcher: notifyingSent(it.onSent, (it.isLongLived ?? isEventStream(it)) ? entry.streams : entry.calls),
      method: it.method as 'POST',
      headers: it.headers,
      body: isFlow(it.body) ? Readable.from(it.body) : (it.body ?? null),
      signal,
    });
    entry.breaker.reached();
    // Ending an answer early is an 'error' of undici's: without a listener it would end the process.
    response.body.on('error', () => undefined);
    return { status: response.statusCode, headers: response.headers, body: response.body };
  } catch (thrown) {
    if (signal.aborted || thrown instanceof Fault) entry.breaker.abandoned();
    else entry.breaker.failed();
    throw thrown;
  }
}

/** Calls `onSent` when a request begins to be written to its socket. */
export function notifyingSent(onSent: (() => void) | undefined, agent: Agent): Dispatcher {
  if (!onSent) return agent;
  class SentNotifier extends DecoratorHandler {
    onRequestStart(...start: Parameters<NonNullable<Dispatcher.DispatchHandler['onRequestStart']>>): void {
      onSent?.();
      Object.getPrototypeOf(SentNotifier.prototype).onRequestStart.apply(this, start);
    }
  }
  return agent.compose((dispatch) => (options, handler) => dispatch(options, new SentNotifier(handler)));
}

/** A body that can be read only once. */
export const isFlow = (body: BackendRequest['body']): body is AsyncIterable<Uint8Array> =>
  body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array);

const isEventStream = ({ method, headers }: BackendRequest) =>
  method === 'GET' && headers['accept']?.includes('text/event-stream') === true;

/** @param connections at most so many sockets to one origin; null: no limit */
function openAgent(target: BackendTarget, lookup: LookupAll, connections: number | null): Agent {
  return new Agent({
    connections,
    pipelining: 1,
    allowH2: false,
    headersTimeout: target.headersTimeoutMs ?? 0,
    bodyTimeout: target.bodyTimeoutMs ?? 0,
    keepAliveTimeout: 30_000,
    maxHeaderSize: 32_768,
    connect: guardedConnector(target, { connectTimeoutMs: target.connectTimeoutMs ?? 10_000, lookup }),
  });
}

async function closeGently(entry: Entry): Promise<void> {
  await Promise.all([entry.calls.close(), entry.streams.close()]);
}

const unreachable = (target: BackendTarget, waitMs: number) =>
  new Fault('unavailable', `'${target.name}' cannot be reached; it is tried again soon.`, {
    data: { reason: 'circuit_open', retry_after_ms: Math.ceil(waitMs) },
  });
