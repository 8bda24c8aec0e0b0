import * as z from 'zod';
import { BoundedMap } from '../../../platform/boundedMap.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Sealer } from '../../../platform/seal.ts';
import { InitializeParams, type InitializeResult } from '../../../protocol/gateway/mcpWire.ts';
import type { StreamEvent } from '../../backends/mcp/streamEvent.ts';

/** A caller's session, in the legacy era. */
export interface Session {
  readonly id: string;
  readonly caller: string;
  /** The address it was opened at; it is good for no other. */
  readonly address: string;
  readonly params: InitializeParams;
  /** What goes over the wire as `Mcp-Session-Id`. */
  token: string;
  /** The backend's session behind it, on a single server's address. */
  upstream: UpstreamSession | undefined;
  /** Requests on their way, by their id. */
  readonly inflight: Map<unknown, AbortController>;
  /** Open streams for messages besides answers. */
  readonly listeners: Set<SessionListener>;
  /** Streams that a client asked for and that their server has not opened yet: what is sent next waits for them. */
  readonly opening: Set<Promise<void>>;
  /** Wanted by the client: sent to every server that is connected later. */
  logLevel: string | undefined;
  /** The backend's session was taken up, or is gone: the next connection shakes hands. */
  isUpstreamLost: boolean;
  usedMs: number;
  /** Called when the connection of a call breaks before its answer is written. Shared by all calls of the session. */
  readonly onCut: (controller: AbortController) => void;
}
export interface SessionListener {
  /** A server was connected after the stream was opened. */
  onConnected(serverId: string): void;
  /** A message of the gateway's own. */
  send(event: StreamEvent): void;
  end(): void;
}

const UpstreamSession = z.object({
  server_id: z.string(),
  sessionId: z.string().optional(),
  protocolVersion: z.string(),
});
export type UpstreamSession = z.infer<typeof UpstreamSession>;
const Sealed = z.object({
  i: z.string(),
  a: z.string(),
  t: z.number(),
  p: InitializeParams,
  u: UpstreamSession.optional(),
});

export interface SessionsDeps {
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly idleMs: number;
  readonly maxPerCaller: number;
  /** Lets connections of a session go. @param isKept it may go on elsewhere */
  readonly onEnd: (session: Session, isKept: boolean) => void;
  /** The connection of a call broke. @param controller of the call */
  readonly onCut: (session: Session, controller: AbortController) => void;
  /** Remembers them beyond this process; shared by replicas where there are several. */
  readonly ended?: EndedSessions;
}
/** Sessions that their clients ended. */
export interface EndedSessions {
  /** Others may have a session open that is idle here: idling ends it here alone. */
  readonly hasOthers: boolean;
  /** @throws {Fault} `unavailable` */
  add(id: string, untilMs: number): Promise<void>;
  /** Asked once for a session that is new to this process. @throws {Fault} `unavailable` */
  has(id: string): Promise<boolean>;
  /** Hears of those that were ended elsewhere. */
  listen(ended: (id: string) => void): void;
}

/** However busy, no session id is good for longer: a day. */
const maxAgeMs = 24 * 60 * 60_000;
/** Header values end at 8 kB; capabilities that would not fit are left out of the id. */
const maxTokenBytes = 4_000;

/**
 * Sessions whose ids hold their state: sealed for one caller, so that they outlive the process and are worth nothing to
 * others. An id that is unknown here, but ours and young enough, is a session of before the gateway was started again.
 */
export class Sessions {
  readonly #deps: SessionsDeps;
  readonly #open = new Map<string, Session>();
  /** How many of them each caller has. */
  readonly #counts = new Map<string, number>();
  /** Ids that were opened before: most calls come with one, and unsealing costs more than the rest of the way. */
  readonly #byToken = new Map<string, Session>();
  /** Ended for this process, whatever their ids hold. */
  readonly #over: ReturnType<typeof boundedMemory>;

  constructor(deps: SessionsDeps) {
    this.#deps = deps;
    this.#over = boundedMemory(deps.clock);
    deps.ended?.listen((id) => this.#isOver(id));
  }

  get count(): number {
    return this.#open.size;
  }

  /** One that is open here. */
  opened(id: string): Session | undefined {
    return this.#open.get(id);
  }

  /** A session that has no id yet, because its state is not known yet. End it, or give it one with {@link seal}. */
  start(caller: string, address: string, params: InitializeParams): Session {
    this.#makeRoom(caller);
    return this.#keep(this.#deps.newId(), caller, address, params, '', undefined);
  }

  /** Gives a session its id, with the backend's session behind it where there is one. */
  seal(session: Session, upstream?: UpstreamSession): void {
    const { protocolVersion, capabilities, clientInfo } = session.params;
    const short: InitializeParams = {
      protocolVersion,
      capabilities,
      clientInfo: { name: clientInfo.name.slice(0, 256), version: clientInfo.version.slice(0, 64) },
    };
    const isTooLong = JSON.stringify(short).length > maxTokenBytes;
    const sealed = {
      i: session.id,
      a: session.address,
      t: this.#deps.clock.nowMs(),
      p: isTooLong ? { ...short, capabilities: {} } : short,
      u: upstream,
    };
    session.upstream = upstream;
    session.token = this.#deps.sealer.seal(sealed, subject(session.caller));
    this.#byToken.set(session.token, session);
  }

  /** The session of this caller at this address; `undefined` where there is none, which is a 404. */
  find(token: string, caller: string, address: string): Session | Promise<Session | undefined> {
    const seen = this.#byToken.get(token);
    if (seen?.caller === caller && seen.address === address) {
      seen.usedMs = this.#deps.clock.monotonicMs();
      return seen;
    }
    return this.#findElsewhere(token, caller, address);
  }

  /** One of another replica, or of before this process began. */
  async #findElsewhere(token: string, caller: string, address: string): Promise<Session | undefined> {
    const sealed = Sealed.safeParse(this.#deps.sealer.open(token, subject(caller)));
    if (!sealed.success) return undefined;
    const { i: id, a, t, p, u } = sealed.data;
    if (a !== address || this.#deps.clock.nowMs() - t > maxAgeMs) return undefined;
    if (this.#over.has(id) || (await this.#deps.ended?.has(id)) || this.#over.has(id)) return undefined;
    const meanwhile = this.#open.get(id);
    if (meanwhile) return meanwhile;
    this.#makeRoom(caller);
    const session = this.#keep(id, caller, address, p, token, u);
    this.#byToken.set(token, session);
    return session;
  }

  /** Ends it here at once, and everywhere. @throws {Fault} `unavailable` where the others cannot be notified */
  async end(session: Session): Promise<void> {
    // Even if another request is ending it: if that one fails, nothing else would record the end.
    this.drop(session);
    await this.#deps.ended?.add(session.id, this.#untilMs());
    // A call that checked before this whether the session has ended may have reopened it meanwhile.
    this.#isOver(session.id);
  }

  #isOver(id: string): void {
    this.#over.add(id, this.#untilMs());
    const session = this.#open.get(id);
    if (session) this.drop(session);
  }

  /** Lets go of it here; its id, where somebody has it, opens it again. @param isKept it may go on elsewhere */
  drop(session: Session, isKept = false): boolean {
    if (!this.#open.delete(session.id)) return false;
    this.#byToken.delete(session.token);
    this.#count(session.caller, -1);
    for (const it of session.inflight.values()) it.abort();
    for (const it of [...session.listeners]) it.end();
    this.#deps.onEnd(session, isKept);
    return true;
  }

  /** Ends what was idle for too long. One that listens is not idle. */
  sweep(): void {
    const now = this.#deps.clock.monotonicMs();
    for (const it of [...this.#open.values()]) {
      if (it.listeners.size === 0 && it.inflight.size === 0 && now - it.usedMs > this.#deps.idleMs) this.#idled(it);
    }
  }

  /** Sends a message to every session that listens. */
  all(): Iterable<Session> {
    return this.#open.values();
  }

  #keep(
    id: string,
    caller: string,
    address: string,
    params: InitializeParams,
    token: string,
    upstream: UpstreamSession | undefined,
  ): Session {
    const session: Session = {
      id,
      caller,
      address,
      params,
      token,
      upstream,
      inflight: new Map(),
      opening: new Set(),
      listeners: new Set(),
      logLevel: undefined,
      isUpstreamLost: false,
      usedMs: this.#deps.clock.monotonicMs(),
      onCut: (controller) => this.#deps.onCut(session, controller),
    };
    this.#open.set(id, session);
    this.#count(caller, 1);
    return session;
  }

  #count(caller: string, change: 1 | -1): void {
    const count = (this.#counts.get(caller) ?? 0) + change;
    if (count > 0) this.#counts.set(caller, count);
    else this.#counts.delete(caller);
  }

  /** The session of this caller that was idle longest makes room. */
  #makeRoom(caller: string): void {
    // Looked through only at the limit: a caller may have thousands.
    if ((this.#counts.get(caller) ?? 0) < this.#deps.maxPerCaller) return;
    let oldest: Session | undefined;
    for (const it of this.#open.values())
      if (it.caller === caller && (oldest === undefined || it.usedMs < oldest.usedMs)) oldest = it;
    if (oldest) this.#idled(oldest);
  }

  #idled(session: Session): void {
    const isKept = this.#deps.ended?.hasOthers ?? false;
    this.drop(session, isKept);
    if (!isKept) this.#over.add(session.id, this.#untilMs());
  }

  #untilMs(): number {
    return this.#deps.clock.nowMs() + maxAgeMs;
  }
}

/** For `UpstreamSession`: what has to be known to go on with a backend's session. */
export const upstreamOf = (
  serverId: string,
  hello: InitializeResult,
  sessionId: string | undefined,
): UpstreamSession => ({
  server_id: serverId,
  protocolVersion: hello.protocolVersion,
  ...(sessionId !== undefined && { sessionId }),
});

const subject = (caller: string) => `mcp-session\u0000${caller}`;

function boundedMemory(clock: Clock) {
  const untilMs = new BoundedMap<string, number>(100_000);
  return {
    add(id: string, until: number): void {
      const now = clock.nowMs();
      for (const [old, at] of untilMs) {
        if (at > now) break; // in order of their ends: the rest is younger
        untilMs.delete(old);
      }
      untilMs.set(id, until);
    },
    has: (id: string): boolean => untilMs.has(id),
  };
}
