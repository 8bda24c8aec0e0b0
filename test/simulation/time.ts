import { type Clock, momentOf } from '../../sidecar/platform/clock.ts';
import type { Timers } from '../../sidecar/platform/timers.ts';

const START_MS = Date.UTC(2026, 0, 2, 3, 4, 5);

interface Waiting {
  readonly owner: SimTimers;
  readonly atMs: number;
  readonly order: number;
  readonly work: () => void;
}

/** The only time that a simulation has: it passes when a step says so, and what is due then waits for a step of its own. */
export class SimTime {
  /** Milliseconds since the start. */
  passedMs = 0;
  /** What somebody set the wall clock to, over what has passed. */
  setMs = 0;
  #order = 0;
  #waiting: Waiting[] = [];
  #soon: Waiting[] = [];

  /** A wall clock that goes wrong by so much. */
  clock(skewMs = 0): Clock {
    const nowMs = () => START_MS + this.passedMs + this.setMs + skewMs;
    return { now: () => momentOf(nowMs()), nowMs, monotonicMs: () => this.passedMs };
  }

  get hasSoon(): boolean {
    return this.#soon.some((it) => !it.owner.isDead);
  }
  get isDue(): boolean {
    return this.#next !== undefined && this.#next.atMs <= this.passedMs;
  }
  /** How long until something is due; a second where nothing waits. */
  get untilDueMs(): number {
    return Math.max(0, (this.#next?.atMs ?? this.passedMs + 1_000) - this.passedMs);
  }

  add(owner: SimTimers, delayMs: number, work: () => void): () => void {
    this.#order += 1;
    const entry = { owner, atMs: this.passedMs + Math.max(1, delayMs), order: this.#order, work };
    // Behind all that are due before it or with it.
    let at = this.#waiting.length;
    while (at > 0 && this.#waiting[at - 1]!.atMs > entry.atMs) at -= 1;
    this.#waiting.splice(at, 0, entry);
    return () => void (this.#waiting = this.#waiting.filter((it) => it !== entry));
  }
  addSoon(owner: SimTimers, work: () => void): () => void {
    this.#order += 1;
    const entry = { owner, atMs: 0, order: this.#order, work };
    this.#soon.push(entry);
    return () => void (this.#soon = this.#soon.filter((it) => it !== entry));
  }

  runSoon(): number {
    return run(this.#soon.shift());
  }
  runDue(): number {
    return run(this.#waiting.shift());
  }
  /** Nothing of it runs any more. */
  forget(owner: SimTimers): void {
    this.#waiting = this.#waiting.filter((it) => it.owner !== owner);
    this.#soon = this.#soon.filter((it) => it.owner !== owner);
  }

  get #next(): Waiting | undefined {
    return this.#waiting[0];
  }
}

/** @returns which it was */
function run(entry: Waiting | undefined): number {
  if (entry && !entry.owner.isDead) entry.work();
  return entry?.order ?? 0;
}

/** The timers of one process of a simulation; they end with it. */
export class SimTimers implements Timers {
  readonly #time: SimTime;
  isDead = false;

  constructor(time: SimTime) {
    this.#time = time;
  }

  readonly after = (delayMs: number, work: () => void): (() => void) => {
    return this.isDead ? () => undefined : this.#time.add(this, delayMs, work);
  };
  readonly every = (periodMs: number, work: () => void): (() => void) => {
    let stop = (): void => undefined;
    const again = (): void => {
      stop = this.after(periodMs, () => {
        again();
        work();
      });
    };
    again();
    return () => stop();
  };
  readonly soon = (work: () => void): (() => void) => {
    return this.isDead ? () => undefined : this.#time.addSoon(this, work);
  };
  readonly wait = (delayMs: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const fail = () => {
        const error = new Error('The operation was aborted', { cause: signal?.reason });
        reject(Object.assign(error, { name: 'AbortError', code: 'ABORT_ERR' }));
      };
      const stop = this.after(delayMs, () => {
        signal?.removeEventListener('abort', aborted);
        resolve();
      });
      const aborted = () => {
        stop();
        fail();
      };
      if (signal?.aborted) aborted();
      else signal?.addEventListener('abort', aborted, { once: true });
    });
  readonly deadline = (delayMs: number): AbortSignal => {
    const controller = new AbortController();
    this.after(delayMs, () => controller.abort(new DOMException('The time is up', 'TimeoutError')));
    return controller.signal;
  };

  /** The process is gone. */
  die(): void {
    this.isDead = true;
    this.#time.forget(this);
  }
}

/**
 * Settles when all that was begun has run to where it waits for a step: promises, streams, and the calls of the file system.
 *
 * @param most the turns of the event loop that one thing may take to cause the next
 */
export async function quiet(most = 2): Promise<void> {
  for (let rounds = 0; rounds < most; rounds += 1) {
    await new Promise((resolve) => void setImmediate(resolve));
    if (process.getActiveResourcesInfo().some((it) => it.startsWith('FSReq'))) rounds = -1;
  }
}
