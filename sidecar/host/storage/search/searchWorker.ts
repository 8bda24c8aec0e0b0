import { parentPort, workerData } from 'node:worker_threads';
import { type SearchRequest, TranscriptIndex } from './transcriptIndex.ts';

/** The thread of the index: a bundle of its own, which the host loads with it. */
let index: TranscriptIndex | undefined;

type Task = 'step' | 'close' | SearchRequest;

function answer(task: Task): unknown {
  if (task === 'close') return void index?.close();
  index ??= new TranscriptIndex(String((workerData as { dataDir?: unknown }).dataDir));
  return task === 'step' ? index.step() : index.search(task);
}

parentPort?.on('message', ({ id, task }: { id: number; task: Task }) => {
  try {
    parentPort?.postMessage({ id, result: answer(task) });
  } catch (thrown) {
    parentPort?.postMessage({ id, failure: thrown instanceof Error ? thrown.message : String(thrown) });
  }
  if (task === 'close') parentPort?.close();
});
