import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { SpendLog } from '../../../../sidecar/protocol/gateway/activity.ts';
import { wordsOf } from '../../kit/loader.ts';

/** Between two questions. */
const EVERY_MS = 2_000;
/** Asked again each time: records are written a moment after the call ended, and replicas' clocks differ. */
const OVERLAP_MS = 10_000;
/** Rows that are kept; older ones leave. */
const MOST_ROWS = 200;

/** The calls that ended after a time, newest first, and the gateway's time of the answer. */
export type ReadNewer = (endedAfter: string, signal: AbortSignal) => Promise<readonly SpendLog[]>;

/** Whether somebody can see the page, and the way to be called a while later. */
export interface Watch {
  readonly isSeen: () => boolean;
  /** @returns stops it */
  readonly onChange: (listener: () => void) => () => void;
  /** @returns takes it back */
  readonly later: (run: () => void, ms: number) => () => void;
}

export const browserWatch: Watch = {
  isSeen: () => document.visibilityState === 'visible',
  onChange(listener) {
    document.addEventListener('visibilitychange', listener);
    return () => document.removeEventListener('visibilitychange', listener);
  },
  later(run, ms) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** Follows the log. It asks for what is new as long as somebody can see the page, and holds a bounded number of rows. */
export class Tail implements ReactiveController {
  rows: readonly SpendLog[] = [];
  error: string | undefined;
  readonly #host: ReactiveControllerHost;
  readonly #read: ReadNewer;
  readonly #watch: Watch;
  #running: AbortController | undefined;
  #forget: (() => void) | undefined;
  #cancel: (() => void) | undefined;
  #afterMs = 0;

  constructor(host: ReactiveControllerHost, read: ReadNewer, watch: Watch = browserWatch) {
    this.#host = host;
    this.#read = read;
    this.#watch = watch;
    host.addController(this);
  }

  get isOn(): boolean {
    return this.#running !== undefined;
  }

  /** @param rows those that are shown already; `now` of the gateway, RFC 3339 */
  start(rows: readonly SpendLog[], now: string): void {
    this.stop();
    this.rows = rows.slice(0, MOST_ROWS);
    this.#afterMs = Date.parse(now) - OVERLAP_MS;
    this.#running = new AbortController();
    this.#forget = this.#watch.onChange(this.#look);
    this.#look();
  }

  stop(): void {
    this.#forget?.();
    this.#cancel?.();
    this.#running?.abort();
    this.#running = undefined;
    this.error = undefined;
    this.#host.requestUpdate();
  }

  hostDisconnected(): void {
    this.stop();
  }

  /** Hidden pages ask nothing. */
  readonly #look = (): void => {
    this.#cancel?.();
    if (this.#watch.isSeen()) void this.#ask();
  };

  async #ask(): Promise<void> {
    const running = this.#running;
    if (!running) return;
    try {
      const newer = await this.#read(new Date(this.#afterMs).toISOString(), running.signal);
      if (running.signal.aborted) return;
      this.#take(newer);
      this.error = undefined;
    } catch (thrown) {
      if (running.signal.aborted) return;
      this.error = wordsOf(thrown);
    }
    this.#host.requestUpdate();
    this.#cancel?.();
    if (this.#watch.isSeen()) this.#cancel = this.#watch.later(() => void this.#ask(), EVERY_MS);
  }

  #take(newer: readonly SpendLog[]): void {
    const known = new Set(this.rows.map((it) => it.request_id));
    const fresh = newer.filter((it) => !known.has(it.request_id));
    this.rows = [...fresh, ...this.rows].toSorted((a, b) => (a.endTime < b.endTime ? 1 : -1)).slice(0, MOST_ROWS);
    const last = Math.max(...newer.map((it) => Date.parse(it.endTime)));
    if (Number.isFinite(last)) this.#afterMs = Math.max(this.#afterMs, last - OVERLAP_MS);
  }
}
