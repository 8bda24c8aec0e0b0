import { Fault } from '../../../platform/faults.ts';
import type { Timers } from '../../../platform/timers.ts';
import type { Params, Result } from '../../../protocol/methods.ts';
import type { TurnChanges } from '../turnChanges.ts';
import type { SearchThread } from './searchThread.ts';

const DEFAULT_LIMIT = 50;
/** A start has other things to do, and so has the end of a turn. */
const AFTER_START_MS = 12_000;
const AFTER_CHANGE_MS = 2_000;
/** Between two steps of a longer work, so that it takes half of a core at most. */
const BETWEEN_STEPS_MS = 100;

export type OpenSearch = (dataDir: string) => SearchThread;

interface TranscriptSearchDeps {
  readonly dataDir: string;
  readonly timers: Timers;
  readonly turnChanges: TurnChanges;
  /** Replaces the thread. For tests. */
  readonly open?: OpenSearch;
  /** The index could not be brought up to date. It is tried again when something changes. */
  readonly warn: (message: string) => void;
}

/**
 * Searches all transcripts, and keeps their index up to date. Both happen in a thread, which is loaded when it is needed
 * first.
 */
export class TranscriptSearch {
  readonly #deps: TranscriptSearchDeps;
  #thread: Promise<SearchThread> | undefined;
  /** Searches come one after the other: one that was cancelled meanwhile costs nothing. */
  #last: Promise<unknown> = Promise.resolve();
  #isScheduled = false;
  #isClosed = false;

  constructor(deps: TranscriptSearchDeps) {
    this.#deps = deps;
    deps.turnChanges.onChange(() => this.#schedule(AFTER_CHANGE_MS));
    this.#schedule(AFTER_START_MS);
  }

  search(
    { query, limit = DEFAULT_LIMIT, cursor }: Params<'x-switchboard/searchTranscripts'>,
    signal: AbortSignal,
  ): Promise<Result<'x-switchboard/searchTranscripts'>> {
    const found = this.#last.then(async () => {
      signal.throwIfAborted();
      const thread = await this.#open();
      return thread.search({ query, limit, ...(cursor !== undefined && { cursor }) });
    });
    this.#last = found.catch(() => undefined);
    return found.then(
      ({ items, nextCursor, isIndexing }) => {
        if (isIndexing) this.#schedule(BETWEEN_STEPS_MS);
        return {
          items: items.map(({ atMs, ...it }) => ({
            ...it,
            ranges: it.ranges.map(([start, end]) => ({ start, end })),
            at: new Date(atMs).toISOString(),
          })),
          isIndexing,
          ...(nextCursor !== undefined && { nextCursor }),
        };
      },
      (thrown: unknown) => {
        if (signal.aborted) throw thrown;
        const sentence =
          'the transcripts could not be searched because their index could not be opened. Try again later';
        throw new Fault('unavailable', sentence, { cause: thrown });
      },
    );
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const thread = await this.#thread?.catch(() => undefined);
    await thread?.close();
  }

  async #open(): Promise<SearchThread> {
    if (this.#isClosed) throw new Fault('unavailable', 'the host is stopping');
    const current = await this.#thread?.catch(() => undefined);
    if (current && !current.isDead) return current;
    const { dataDir, open } = this.#deps;
    this.#thread = open
      ? Promise.resolve(open(dataDir))
      : import('./searchThread.ts').then((it) => it.openSearchThread(dataDir));
    return this.#thread;
  }

  #schedule(delayMs: number): void {
    if (this.#isScheduled || this.#isClosed) return;
    this.#isScheduled = true;
    this.#deps.timers.after(delayMs, () => {
      this.#step().then(
        (hasMore) => this.#goOn(hasMore),
        (thrown: unknown) => {
          this.#isScheduled = false;
          if (!this.#isClosed) this.#deps.warn(String(thrown));
        },
      );
    });
  }

  #goOn(hasMore: boolean): void {
    this.#isScheduled = false;
    if (hasMore) this.#schedule(BETWEEN_STEPS_MS);
  }

  async #step(): Promise<boolean> {
    const { hasMore, indexed } = await (await this.#open()).step();
    this.#deps.turnChanges.indexedUpTo(indexed);
    return hasMore;
  }
}
