import { type Agent, type Dispatcher, errors } from 'undici';
import type { Clock } from '../../../../platform/clock.ts';
import type { Timers } from '../../../../platform/timers.ts';
import type { Connect } from '../agent.ts';
import { Lane, LaneExchange, type LaneListener } from './lane.ts';
import { headOf } from './requestHead.ts';

export interface LaneDeps {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly timers: Pick<Timers, 'after' | 'soon'>;
}
interface LanesDeps extends LaneDeps {
  readonly connect: Connect;
  /** For everything else. */
  readonly agent: Agent;
  /** At most so many connections to one origin. */
  readonly connections: number;
}

type Handler = Dispatcher.DispatchHandler;

/**
 * The connections to one backend. Most requests are a POST whose whole body is known, and are sent from here: that takes about half
 * the processor time of a general HTTP client. All others are sent by undici.
 */
export class Lanes {
  readonly #deps: LanesDeps;
  readonly #roads = new Map<string, Road>();

  constructor(deps: LanesDeps) {
    this.#deps = deps;
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Handler): boolean {
    const { origin, method, path, body, headers } = options;
    const isWhole = typeof body === 'string' || body instanceof Uint8Array;
    if (method !== 'POST' || !isWhole || typeof origin !== 'string') return this.#deps.agent.dispatch(options, handler);
    let road = this.#roads.get(origin);
    if (!road) this.#roads.set(origin, (road = new Road(origin, this.#deps)));
    const head = headOf(road.host, path, headers as Readonly<Record<string, string>>);
    if (head === undefined) return this.#deps.agent.dispatch(options, handler);
    road.send(new LaneExchange({ head, body }, handler));
    return true;
  }

  /** Lets exchanges that are under way end. */
  async close(): Promise<void> {
    await Promise.all([...[...this.#roads.values()].map((it) => it.close()), this.#deps.agent.close()]);
  }

  async destroy(): Promise<void> {
    for (const it of this.#roads.values()) it.destroy();
    await this.#deps.agent.destroy();
  }
}

/** How long a connection is kept while it is idle, if the server does not close it earlier. */
const IDLE_MS = 30_000;
/** The server's timer may be ahead. */
const MARGIN_MS = 2_000;

interface Idle {
  readonly lane: Lane;
  readonly untilMs: number;
}

/** The connections to one origin. */
class Road implements LaneListener {
  readonly host: string;
  readonly #url: URL;
  readonly #deps: LanesDeps;
  readonly #open = new Set<Lane>();
  /** The last one was used last. */
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
   * Sends a request in the next turn of the event loop. By then it is known whether the server has closed an idle connection, or has
   * sent bytes on it that nobody asked for.
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
      else this.#opened(new Lane(socket, this));
      this.#closeIfOver();
    });
  }

  #opened(lane: Lane): void {
    this.#open.add(lane);
    const next = this.#next();
    if (next) lane.send(next);
    else this.freed(lane);
  }

  /** Closes connections that were idle for too long. */
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
