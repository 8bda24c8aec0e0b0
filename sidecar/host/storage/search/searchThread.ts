import { Worker } from 'node:worker_threads';
import type { SearchPage, SearchRequest, StepResult } from './transcriptIndex.ts';

/** The index, in a thread of its own. */
export interface SearchThread {
  /** Ended by itself: everything asked of it fails. */
  readonly isDead: boolean;
  step(): Promise<StepResult>;
  search(request: SearchRequest): Promise<SearchPage>;
  close(): Promise<void>;
}

interface Answer {
  readonly id: number;
  readonly result?: unknown;
  readonly failure?: string;
}
interface Asked {
  readonly resolve: (result: unknown) => void;
  readonly reject: (thrown: Error) => void;
}

export function openSearchThread(dataDir: string): SearchThread {
  // Beside this file in the source, and beside the chunk that this is in when it is built.
  const name = import.meta.url.endsWith('.ts') ? './searchWorker.ts' : './searchWorker.mjs';
  const worker = new Worker(new URL(name, import.meta.url), { workerData: { dataDir }, name: 'transcript index' });
  const waiting = new Map<number, Asked>();
  let count = 0;
  let died: Error | undefined;

  /** Whoever waits keeps the process alive; an idle thread does not. */
  function settle(id: number): Asked | undefined {
    const asked = waiting.get(id);
    waiting.delete(id);
    if (waiting.size === 0) worker.unref();
    return asked;
  }
  function end(cause: Error): void {
    died ??= cause;
    for (const [id] of waiting) settle(id)?.reject(died);
  }
  worker.on('message', ({ id, result, failure }: Answer) => {
    if (failure === undefined) settle(id)?.resolve(result);
    else settle(id)?.reject(new Error(failure));
  });
  worker.on('error', (thrown) => end(thrown instanceof Error ? thrown : new Error(String(thrown))));
  worker.on('exit', (code) => end(new Error(`the transcript index thread exited with code ${code}`)));
  worker.unref(); // last, because a listener for messages keeps the process alive again

  function ask(task: 'step' | 'close' | SearchRequest): Promise<unknown> {
    if (died) return Promise.reject(died);
    return new Promise((resolve, reject) => {
      count += 1;
      if (waiting.size === 0) worker.ref();
      waiting.set(count, { resolve, reject });
      worker.postMessage({ id: count, task });
    });
  }

  return {
    get isDead() {
      return died !== undefined;
    },
    step: () => ask('step') as Promise<StepResult>,
    search: (request) => ask(request) as Promise<SearchPage>,
    async close() {
      if (died) return;
      await ask('close').catch(() => undefined); // what it held open ends with it
      await worker.terminate();
    },
  };
}
