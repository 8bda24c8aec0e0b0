import { Redactor } from '../../platform/redact.ts';
import type { Runtime } from '../../platform/runtime.ts';
import type { GatewayStore } from '../storage/store.ts';
import type { CallMetrics } from './callMetrics.ts';
import { FLUSH_RECORDS, FlushQueue } from './flushQueue.ts';
import { beginRecording, type FirstFacts, type Recording, type Who } from './recording.ts';

/** The longest that a finished call waits to be written while the store answers: what a crash can lose. */
export const FLUSH_INTERVAL_MS = 500;
/** While the store is down each try waits twice as long as the one before, up to this. */
export const MAX_RETRY_MS = 10_000;

export interface ActivityDeps extends Pick<Runtime, 'clock' | 'timers' | 'newId' | 'log'> {
  readonly store: Pick<GatewayStore, 'activityWrites'>;
  /** Knows the secrets that must not be kept. */
  readonly redactor?: Redactor;
  /** Sees each line that is written, and each request that leaves none. */
  readonly metrics?: Pick<CallMetrics, 'ended' | 'refused'>;
}

/** One record a request, written in batches off the hot path. */
export interface Activity {
  /** Names this process in the store. */
  readonly writer: string;
  readonly begin: (who: Who, first: FirstFacts) => Recording;
  /** Counts a request that was refused before its caller was known: it leaves no line. @param endpoint route template */
  readonly refused: (endpoint: string) => void;
  readonly queue: FlushQueue;
  /** Writes what waits. @throws {Fault} `unavailable`; nothing is lost by it, and it is tried again */
  flush(): Promise<void>;
  /** Runs work while no batch is on its way. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  /** Something was put into the queue. */
  readonly wake: () => void;
  /** Writes everything. @throws {Fault} `unavailable` when the store does not take the last of it */
  close(): Promise<void>;
}

export function openActivity(deps: ActivityDeps): Activity {
  const { store, clock, timers, log, redactor = new Redactor() } = deps;
  const writer = deps.newId();
  const queue = new FlushQueue(writer);
  let running: Promise<void> | undefined;
  let cancel: (() => void) | undefined;
  let failures = 0;
  let droppedTold = 0;

  const wake = () => {
    if (cancel) return;
    const delayMs = Math.min(MAX_RETRY_MS, FLUSH_INTERVAL_MS * 2 ** failures);
    cancel = timers.after(
      queue.length >= FLUSH_RECORDS && failures === 0 ? 0 : delayMs,
      () => void flush().catch(() => undefined),
    );
  };
  const hurry = () => {
    if (queue.length !== FLUSH_RECORDS || failures > 0) return wake();
    cancel?.();
    cancel = undefined;
    wake();
  };

  async function writeAll(): Promise<void> {
    for (let batch = queue.next(clock.nowMs()); batch; batch = queue.next(clock.nowMs())) {
      await store.activityWrites.write(batch);
      queue.done(batch);
    }
  }

  async function exclusively<T>(work: () => Promise<T>): Promise<T> {
    while (running) await running;
    const result = work();
    running = result.then(
      () => undefined,
      () => undefined,
    );
    try {
      return await result;
    } finally {
      running = undefined;
    }
  }

  async function flush(): Promise<void> {
    cancel?.();
    cancel = undefined;
    try {
      await exclusively(writeAll);
      const lost = queue.dropped - droppedTold;
      if (failures > 0) log.info({ failures, lost }, 'The records of calls are written again.');
      failures = 0;
      droppedTold = queue.dropped;
    } catch (thrown) {
      failures += 1;
      if (failures === 1)
        log.error(
          { thrown, queued: queue.length },
          'Records of calls cannot be written. They are kept and tried again.',
        );
      if (queue.dropped > droppedTold)
        log.warn({ dropped: queue.dropped }, 'The oldest records of calls were let go; their sums are kept.');
      droppedTold = queue.dropped;
      throw thrown;
    } finally {
      if (!queue.isEmpty) wake();
    }
  }

  return {
    writer,
    queue,
    begin: (who, first) =>
      beginRecording(
        {
          clock,
          redactor,
          written: (line) => {
            deps.metrics?.ended(line);
            queue.add(line);
            hurry();
          },
        },
        who,
        first,
      ),
    refused: (endpoint) => {
      deps.metrics?.refused(endpoint);
      queue.refuse(clock.now().slice(0, 10), endpoint);
      wake();
    },
    flush,
    exclusively,
    wake,
    async close() {
      try {
        await flush();
      } finally {
        cancel?.();
        cancel = undefined;
      }
    },
  };
}
