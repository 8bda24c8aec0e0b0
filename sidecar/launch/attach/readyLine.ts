import { writeSync } from 'node:fs';

/** What a launcher prints on stdout when the host can be reached. */
export const READY = 'ready\n';

export function sayReady(): void {
  try {
    // Loading `process.stdout` would take longer than the exit, which says the same.
    writeSync(1, READY);
  } catch {
    // Nobody reads it any more. The host is there for whoever comes next.
  }
}
