import { Worker } from 'node:worker_threads';
import type { Timers } from '../../../platform/timers.ts';

export interface Match {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly text: string;
}
interface Work {
  readonly root: string;
  readonly paths: readonly string[];
  readonly pattern: string;
  readonly flags: string;
  readonly most: number;
}

const LIMIT_MS = 20_000;

/**
 * Searches files in a separate thread, because the pattern comes from a model: a pattern that takes too long would block the host.
 *
 * @returns at most `most` matches; `late` if it was stopped after 20 seconds
 * @throws the signal's reason; the error of the thread
 */
export function searchFiles(
  work: Work,
  timers: Pick<Timers, 'after'>,
  signal: AbortSignal,
): Promise<readonly Match[] | 'late'> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(`(${search.toString()})()`, { eval: true, workerData: work, stdout: true, stderr: true });
    const end = (settle: () => void) => {
      stop();
      signal.removeEventListener('abort', onAbort);
      void worker.terminate().then(settle, reject);
    };
    const onAbort = () => end(() => reject(signal.reason as Error));
    const stop = timers.after(LIMIT_MS, () => end(() => resolve('late')));
    signal.addEventListener('abort', onAbort, { once: true });
    worker.once('message', (matches: readonly Match[]) => end(() => resolve(matches)));
    worker.once('error', (thrown) => end(() => reject(thrown)));
  });
}

/** Runs in the thread, which gets only the source of this function. Therefore, it must not use anything else in this module. */
function search(): void {
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads');
  const { readFileSync, statSync } = process.getBuiltinModule('node:fs');
  const { root, paths, pattern, flags, most } = workerData as Work;
  const wanted = new RegExp(pattern, flags);
  const matches: Match[] = [];
  for (const path of paths) {
    if (matches.length === most) break;
    let text: string;
    try {
      const file = `${root}/${path}`;
      if (statSync(file).size > 2_000_000) continue;
      text = readFileSync(file, 'utf8');
    } catch {
      continue; // deleted since the walk, or not readable
    }
    if (text.includes('\0')) continue;
    for (const [at, line] of text.split('\n').entries()) {
      if (matches.length === most) break;
      if (wanted.test(line)) matches.push({ path, line: at + 1, text: line.trimEnd().slice(0, 400) });
    }
  }
  parentPort?.postMessage(matches);
}
