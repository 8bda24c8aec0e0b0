import * as z from 'zod';
import type { Clock } from '../../platform/clock.ts';
import type { Sealer } from '../../platform/seal.ts';
import { InitializeParams, type InitializeResult } from '../../protocol/gateway/mcpWire.ts';

/** A caller's session in the era that has them. */
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
  /** Requests on their way, by JSON of their id. */
  readonly inflight: Map<string, AbortController>;
  /** Open streams that hear of what happens besides answers. */
  readonly listeners: Set<SessionListener>;
  /** Streams that a client asked for and that their server has not opened yet: what is sent next waits for them. */
  readonly opening: Set<Promise<void>>;
  /** Wanted by the client: told to every server that is connected later. */
  logLevel: string | undefined;
  /** The backend's session was taken up, or is gone: the next connection shakes hands. */
  isUpstreamLost: boolean;
  usedMs: number;
}
export interface SessionListener {
  /** A server was connected after the stream was opened. */
  onConnected(serverId: string): void;
  /** A message of the gateway's own. */
  say(text: string): void;
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
  /** Lets connections of a session go. */
  readonly onEnd: (session: Session) => void;
  /** Sessions that ended before their ids ran out; shared by replicas where there are several. */
  readonly ended?: EndedSessions;
}
export interface EndedSessions {
  add(id: string, untilMs: number): void;
  has(id: string): boolean | Promise<boolean>;
}

/** However busy, no session id is good for longer: a day. */
const maxAgeMs = 24 * 60 * 60_000;
/** Header values end at 8 kB; capabilities that would not fit are left out of the id. */
const maxTokenBytes = 4_000;

/**
 * Sessions whose ids say what they are: sealed for one caller, so that they outlive the process and are worth nothing to
 * others. An id that is unknown here, but ours and young enough, is a session of before the gateway was started again.
 */
export class Sessions {
  readonly #deps: SessionsDeps;
  readonly #open = new Map<string, Session>();
  /** Ids that were opened before: most calls come with one, and unsealing costs more than the rest of the way. */
  readonly #byToken = new Map<string, Session>();
  readonly #ended: EndedSessions;

  constructor(deps: SessionsDeps) {
    this.#deps = deps;
    this.#ended = deps.ended ?? endedInMemory(deps.clock);
  }

  get count(): number {
    return this.#open.size;
  }

  /** A session that has no id yet, because what it says is not known yet. End it, or give it one with {@link seal}. */
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
  async find(token: string, caller: string, address: string): Promise<Session | undefined> {
    const seen = this.#byToken.get(token);
    if (seen?.caller === caller && seen.address === address) {
      seen.usedMs = this.#deps.clock.monotonicMs();
      return seen;
    }
    const sealed = Sealed.safeParse(this.#deps.sealer.open(token, subject(caller)));
    if (!sealed.success) return undefined;
    const { i: id, a, t, p, u } = sealed.data;
    if (a !== address || this.#deps.clock.nowMs() - t > maxAgeMs) return undefined;
    if (await this.#ended.has(id)) return undefined;
    const meanwhile = this.#open.get(id);
    if (meanwhile) return meanwhile;
    this.#makeRoom(caller);
    const session = this.#keep(id, caller, address, p, token, u);
    this.#byToken.set(token, session);
    return session;
  }

  end(session: Session): void {
    if (!this.#open.delete(session.id)) return;
    this.#byToken.delete(session.token);
    this.#ended.add(session.id, this.#deps.clock.nowMs() + maxAgeMs);
    for (const it of session.inflight.values()) it.abort();
    for (const it of [...session.listeners]) it.end();
    this.#deps.onEnd(session);
  }

  /** Ends what was idle for too long. One that listens is not idle. */
  sweep(): void {
    const now = this.#deps.clock.monotonicMs();
    for (const it of [...this.#open.values()]) {
      if (it.listeners.size === 0 && it.inflight.size === 0 && now - it.usedMs > this.#deps.idleMs) this.end(it);
    }
  }

  /** Says something to every session that wants to hear it. */
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
    };
    this.#open.set(id, session);
    return session;
  }

  /** The session of this caller that was idle longest makes room. */
  #makeRoom(caller: string): void {
    const own = [...this.#open.values()].filter((it) => it.caller === caller);
    if (own.length < this.#deps.maxPerCaller) return;
    const [oldest] = own.sort((a, b) => a.usedMs - b.usedMs);
    if (oldest) this.end(oldest);
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

function endedInMemory(clock: Clock): EndedSessions {
  const untilMs = new Map<string, number>();
  return {
    add(id, until) {
      const now = clock.nowMs();
      for (const [old, at] of untilMs) {
        if (at > now && untilMs.size < 100_000) break; // in order of their ends: the rest is younger
        untilMs.delete(old);
      }
      untilMs.set(id, until);
    },
    has: (id) => untilMs.has(id),
  };
}
