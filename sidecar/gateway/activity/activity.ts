import { Redactor } from '../../platform/redact.ts';
import type { Runtime } from '../../platform/runtime.ts';
import type { EndedCall, EndedTrace } from '../storage/activity/endedCall.ts';
import type { GatewayStore } from '../storage/store.ts';
import type { CallMetrics } from './callMetrics.ts';
import type { Contents } from './content/contents.ts';
import { FlushQueue } from './flushQueue.ts';
import { CallRecording, type FirstFacts, type RecordedContent, type Recording, type Who } from './recording.ts';
import { RecordWrites } from './recordWrites.ts';

export interface ActivityDeps extends Pick<Runtime, 'clock' | 'timers' | 'newId' | 'log'> {
  readonly store: Pick<GatewayStore, 'activityWrites' | 'logLines'>;
  /** Knows the secrets that must not be kept. */
  readonly redactor?: Redactor;
  /** Sees each line that is written, and each request that leaves none. */
  readonly metrics?: Pick<CallMetrics, 'ended' | 'refused'>;
  /** Absent where requests and responses are not stored. */
  readonly contents?: Contents | undefined;
  /** Gets all of it instead of the store. */
  readonly owner?: Pick<Activity, 'ended' | 'refused'> | undefined;
}

/** One record a request, written in batches off the hot path. */
export interface Activity {
  /** Names this process in the store. */
  readonly writer: string;
  readonly begin: (
    requestId: string,
    who: Who,
    first: FirstFacts,
    trace?: EndedTrace,
    content?: RecordedContent,
  ) => Recording;
  /** Takes a call that has ended. */
  readonly ended: (call: EndedCall) => void;
  /** Counts a request that was refused before its caller was known: it leaves no line. @param endpoint route template */
  readonly refused: (endpoint: string) => void;
  readonly queue: FlushQueue;
  /** Calls the listener with each call that has ended. @returns a function that stops this */
  listen(listener: (call: EndedCall) => void): () => void;
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
  const { clock, owner, redactor = new Redactor() } = deps;
  const writer = deps.newId();
  const queue = new FlushQueue(writer);
  const writes = new RecordWrites(queue, deps);
  const listeners = new Set<(call: EndedCall) => void>();
  const ended = (call: EndedCall) => {
    deps.metrics?.ended(call);
    queue.add(call);
    writes.added();
    for (const listener of listeners) listener(call);
  };
  const handed = (call: EndedCall) => {
    owner?.ended(call);
    if (deps.contents) writes.wake(); // those are written here
  };
  const recordingDeps = { clock, redactor, ended: owner ? handed : ended };
  return {
    writer,
    queue,
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    begin: (...first) => new CallRecording(recordingDeps, ...first),
    ended,
    refused: (endpoint) => {
      if (owner) return owner.refused(endpoint);
      deps.metrics?.refused(endpoint);
      queue.refuse(clock.now().slice(0, 10), endpoint);
      writes.wake();
    },
    flush: () => writes.flush(),
    exclusively: (work) => writes.exclusively(work),
    wake: () => writes.wake(),
    close: () => writes.close(),
  };
}
