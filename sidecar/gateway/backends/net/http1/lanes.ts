import { type Agent, type Dispatcher, errors } from 'undici';
import type { Clock } from '../../../../platform/clock.ts';
import type { Timers } from '../../../../platform/timers.ts';
import type { Connect } from '../agent.ts';
import { Lane, LaneExchange, type LaneListener } from './lane.ts';
import { headOf } from './requestHead.ts';
import type { LastHead } from './responseReader.ts';

export interface LaneDeps {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly timers: Pick<Timers, 'after' | 'soon'>;
}
interface LanesDeps extends LaneDeps {
  readonly connect: Connect;
  /** Sends the requests that no lane sends. */
  readonly agent: Agent;
  /** Maximum number of connections to one origin. */
  readonly connections: number;
}

type Handler = Dispatcher.DispatchHandler;

/**
 * The connections to one backend. Most requests are a POST with a complete body. They are sent over lanes, which takes about half of
 * the processor time of a general HTTP client. undici sends all other requests.
 */
export class Lanes {
  readonly #deps: LanesDeps;
  readonly #byOrigin = new Map<string, OriginLanes>();
  #isDestroyed = false;

  constructor(deps: LanesDeps) {
    this.#deps = deps;
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Handler): boolean {
    const { origin, method, path, body, headers } = options;
    const isWhole = typeof body === 'string' || body instanceof Uint8Array;
    if (method !== 'POST' || !isWhole || typeof origin !== 'string') return this.#deps.agent.dispatch(options, handler);
    let lanes = this.#byOrigin.get(origin);
    if (!lanes) this.#byOrigin.set(origin, (lanes = new OriginLanes(origin, this.#deps)));
    const head = headOf(lanes.host, path, headers as Readonly<Record<string, string>>);
    if (head === undefined) return this.#deps.agent.dispatch(options, handler);
    const exchange = new LaneExchange({ head, body }, handler);
    if (this.#isDestroyed) exchange.fail(new errors.ClientDestroyedError());
    else lanes.send(exchange);
    return true;
  }

  /** Waits until the exchanges in progress end, and closes the connections. */
  async close(): Promise<void> {
    await Promise.all([...this.#byOrigin.values(), this.#deps.agent].map((it) => it.close()));
  }

  async destroy(): Promise<void> {
    this.#isDestroyed = true;
    for (const it of this.#byOrigin.values()) it.destroy();
    await this.#deps.agent.destroy();
  }
}

/** How long an idle connection is kept, if the server does not close it earlier. */
const IDLE_MS = 30_000;
/** A connection is given up before the server closes it, because a request could arrive at that moment. */
const MARGIN_MS = 2_000;

interface Idle {
  readonly lane: Lane;
  readonly untilMs: number;
}

/** The connections to one origin. */
class OriginLanes implements LaneListener {
  readonly host: string;
  readonly #url: URL;
  readonly #deps: LanesDeps;
  readonly #open = new Set<Lane>();
  readonly #lastHead: LastHead = { head: undefined };
  /** The most recently used one is last. */
  readonly #idle: Idle[] = [];
  /** Oldest first. Some may have been aborted. */
  readonly #waiting: LaneExchange[] = [];
  #connecting = 0;
  #isAssigning = false;
  #isSweeping = false;
  #isDestroyed = false;
  #closed: (() => void) | undefined;

  constructor(origin: string, deps: LanesDeps) {
    this.#url = new URL(origin);
    this.host = this.#url.host;
    this.#deps = deps;
  }

  /**
   * Sends a request in the next turn of the event loop. By then it is known whether the server has closed an idle connection or has
   * sent unexpected bytes on it.
   */
  send(exchange: LaneExchange): void {
    this.#waiting.push(exchange);
    this.#assignSoon();
  }

  freed(lane: Lane): void {
    const keptMs = lane.keepAliveMs === undefined ? IDLE_MS : Math.min(IDLE_MS, lane.keepAliveMs - MARGIN_MS);
    this.#idle.push({ lane, untilMs: this.#deps.clock.monotonicMs() + keptMs });
    lane.hold(false);
    this.#sweepLater();
    if (this.#waiting.length > 0) this.#assignSoon();
    this.#closeIfOver();
  }

  closed(lane: Lane): void {
    this.#open.delete(lane);
    const at = this.#idle.findIndex((it) => it.lane === lane);
    if (at >= 0) this.#idle.splice(at, 1);
    if (this.#waiting.length > 0) this.#assignSoon();
    this.#closeIfOver();
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#closed = resolve;
      this.#closeIfOver();
    });
  }

  destroy(): void {
    this.#isDestroyed = true;
    for (const it of this.#waiting.splice(0)) it.fail(new errors.ClientDestroyedError());
    for (const it of [...this.#open]) it.destroy();
  }

  #assignSoon(): void {
    if (this.#isAssigning) return;
    this.#isAssigning = true;
    this.#deps.timers.soon(() => {
      this.#isAssigning = false;
      this.#assign();
    });
  }

  #assign(): void {
    for (let next = this.#next(); next; next = this.#next()) {
      const lane = this.#takeIdle();
      if (!lane) {
        this.#waiting.unshift(next);
        break;
      }
      lane.hold(true);
      lane.send(next);
    }
    const wanted = this.#waiting.filter((it) => !it.isOver).length - this.#connecting;
    const room = this.#deps.connections - this.#open.size - this.#connecting;
    for (let more = Math.min(room, wanted); more > 0; more -= 1) this.#connect();
    this.#closeIfOver();
  }

  #next(): LaneExchange | undefined {
    for (;;) {
      const next = this.#waiting.shift();
      if (!next?.isOver) return next;
    }
  }

  #takeIdle(): Lane | undefined {
    for (;;) {
      const last = this.#idle.pop();
      if (!last) return undefined;
      if (last.untilMs > this.#deps.clock.monotonicMs()) return last.lane;
      last.lane.destroy();
    }
  }

  #connect(): void {
    this.#connecting += 1;
    const { protocol, hostname, port, host } = this.#url;
    const target = { protocol, host, hostname: hostname.replace(/^\[|\]$/g, ''), port };
    this.#deps.connect(target, (failure, socket) => {
      this.#connecting -= 1;
      if (!socket) this.#next()?.fail(failure);
      else if (this.#isDestroyed) socket.destroy();
      else this.#opened(new Lane(socket, this, this.#lastHead));
      if (this.#waiting.length > 0) this.#assignSoon();
      this.#closeIfOver();
    });
  }

  #opened(lane: Lane): void {
    this.#open.add(lane);
    const next = this.#next();
    if (next) lane.send(next);
    else this.freed(lane);
  }

  /** Closes connections that have been idle for too long. */
  #sweepLater(): void {
    if (this.#isSweeping) return;
    this.#isSweeping = true;
    this.#deps.timers.after(IDLE_MS, () => {
      this.#isSweeping = false;
      const nowMs = this.#deps.clock.monotonicMs();
      for (const { lane } of this.#idle.filter((it) => it.untilMs <= nowMs)) lane.destroy();
      if (this.#idle.length > 0) this.#sweepLater();
    });
  }

  #closeIfOver(): void {
    if (!this.#closed) return;
    for (const { lane } of this.#idle.splice(0)) lane.destroy();
    if (this.#open.size === 0 && this.#waiting.length === 0 && this.#connecting === 0) this.#closed();
  }
}
