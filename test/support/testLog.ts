import { type Log, openLog } from '../../sidecar/platform/logger.ts';

/** Keeps the lines of the log, so that a test can look at them. */
export function keepingLog(): { readonly log: Log; readonly lines: string[] } {
  const lines: string[] = [];
  return { log: openLog({ level: 'debug', destination: { write: (line: string) => void lines.push(line) } }), lines };
}
