import type { Runtime } from '../../platform/runtime.ts';
import { connectHost } from './connectHost.ts';
import { readHostFile } from './hostFile.ts';
import type { Preamble, PreambleAnswer } from './preamble.ts';

export interface AskHostDeps extends Pick<Runtime, 'timers'> {
  readonly dataDir: string;
  readonly socket: string;
  readonly uid: number | undefined;
}

/** Asks the running host one question. @returns undefined when there is no host that answers */
export async function askHost(
  { dataDir, socket, uid, timers }: AskHostDeps,
  question: Exclude<Preamble, { switchboard: 'attach' }>,
): Promise<PreambleAnswer | undefined> {
  for (const place of new Set([readHostFile(dataDir)?.socket ?? socket, socket])) {
    const reached = await connectHost(place, uid, question, 5_000, timers);
    reached?.socket.destroy();
    if (reached?.answer) return reached.answer;
  }
  return undefined;
}
