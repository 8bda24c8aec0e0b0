import { toFault } from '../../../platform/faults.ts';
import type { Runtime } from '../../../platform/runtime.ts';
import { openPool } from '../../backends/net/pool.ts';
import { type SmallFetch, smallFetch, smallFetchLimits } from '../../backends/net/smallFetch.ts';
import type { LogSink, SinkTrouble } from './sink.ts';

export interface BatchSinkOptions {
  readonly name: string;
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly allowPrivate: boolean;
  /** The body of one request. @param lines JSON, each with its line end */
  readonly bodyOf: (lines: readonly string[]) => { readonly contentType: string; readonly body: string };
}
export type BatchSinkDeps = Pick<Runtime, 'clock' | 'timers'> & { readonly trouble: SinkTrouble };

/** Lines that wait for a service that is away. */
export const MAX_WAITING_LINES = 10_000;
const MAX_WAITING_BYTES = 16_000_000;
/** Of one request. */
const MAX_LINES = 500;
const MAX_BYTES = 1_000_000;
/** Lines that are written together are sent together. */
const GATHER_MS = 1_000;
const MAX_PAUSE_MS = 30_000;

/** Sends the log over HTTP, in batches and in order. A batch that is not accepted is sent again until it is. */
export class BatchSink implements LogSink {
  readonly #options: BatchSinkOptions;
  readonly #deps: BatchSinkDeps;
  readonly #fetch: SmallFetch;
  readonly #closePool: () => Promise<void>;
  readonly #waiting: string[] = [];
  #waitingBytes = 0;
  #stopTimer: (() => void) | undefined;
  #sending: Promise<void> | undefined;
  /** Of the batch that is sent next. */
  #failures = 0;
  #dropped = 0;
  #isClosing = false;

  constructor(options: BatchSinkOptions, deps: BatchSinkDeps) {
    this.#options = options;
    this.#deps = deps;
    const { name, allowPrivate } = options;
    const pool = openPool(deps);
    this.#fetch = smallFetch(pool, { id: name, name: `logs.${name}`, allowPrivate }, deps.timers);
    this.#closePool = () => pool.close();
  }

  get name(): string {
    return this.#options.name;
  }
  get dropped(): number {
    return this.#dropped;
  }

  write(line: string): void {
    const isFull = this.#waiting.length >= MAX_WAITING_LINES || this.#waitingBytes + line.length > MAX_WAITING_BYTES;
    if (isFull) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push(line);
    this.#waitingBytes += line.length;
    if (!this.#sending && !this.#isClosing) this.#stopTimer ??= this.#deps.timers.after(GATHER_MS, () => this.#begin());
  }

  /** What is not accepted at once is dropped, and so is what a slow service leaves no time for. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    await this.#sending;
    const limit = this.#deps.timers.deadline(smallFetchLimits.timeoutMs);
    while (this.#waiting.length > 0 && this.#failures === 0 && !limit.aborted) await this.#sendOne(limit);
    this.#dropped += this.#waiting.length;
    await this.#closePool();
  }

  #begin(): void {
    this.#stopTimer = undefined;
    this.#sending = this.#sendOne().then(() => {
      this.#sending = undefined;
      if (this.#waiting.length === 0 || this.#isClosing) return;
      const pauseMs = this.#failures === 0 ? GATHER_MS : Math.min(MAX_PAUSE_MS, GATHER_MS * 2 ** this.#failures);
      const isLate = this.#failures === 0 && this.#waiting.length >= MAX_LINES;
      this.#stopTimer = this.#deps.timers.after(isLate ? 0 : pauseMs, () => this.#begin());
    });
  }

  async #sendOne(signal?: AbortSignal): Promise<void> {
    const lines = this.#nextLines();
    const { contentType, body } = this.#options.bodyOf(lines);
    const headers = { 'content-type': contentType, ...this.#options.headers };
    let failure: unknown;
    let isFinal = false;
    try {
      const { status } = await this.#fetch({ method: 'POST', url: this.#options.url, headers, body }, signal);
      // What is refused for itself would be refused again.
      isFinal = status < 500 && status !== 429 && status !== 408;
      if (status >= 300) failure = new Error(`status ${status}`);
    } catch (thrown) {
      failure = toFault(thrown, () => undefined);
    }
    if (failure === undefined || isFinal) {
      this.#waiting.splice(0, lines.length);
      this.#waitingBytes -= lines.reduce((sum, it) => sum + it.length, 0);
    }
    if (failure === undefined) {
      if (this.#failures > 0) this.#deps.trouble.recovered(this.name, this.#dropped);
      this.#failures = 0;
      return;
    }
    if (isFinal) this.#dropped += lines.length;
    this.#failures += 1;
    if (this.#failures === 1) this.#deps.trouble.failed(this.name, failure);
  }

  #nextLines(): readonly string[] {
    let bytes = 0;
    const end = this.#waiting.findIndex((it) => (bytes += it.length) > MAX_BYTES);
    return this.#waiting.slice(0, Math.min(MAX_LINES, end === -1 ? MAX_LINES : Math.max(1, end)));
  }
}
