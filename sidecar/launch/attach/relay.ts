import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import type { Timers } from '../../platform/timers.ts';

/** How long a host may take to send what it has, once our input ended. */
const LAST_BYTES_MS = 1_000;

/**
 * Passes bytes both ways and parses none, until one side ends. The host goes on without its relay; a relay does not go
 * on without its host, so that whoever started it starts another, which finds or starts the next host.
 */
export function relay(stdin: Readable, stdout: Writable, socket: Socket, timers: Timers): Promise<void> {
  return new Promise((resolve) => {
    let stopTimer: (() => void) | undefined;
    const hangUp = (): void => void socket.destroy();
    stdin.pipe(socket);
    socket.pipe(stdout, { end: false });
    stdin.once('end', () => {
      stopTimer = timers.after(LAST_BYTES_MS, hangUp);
    });
    stdin.once('error', hangUp);
    stdout.once('error', hangUp);
    socket.once('close', () => {
      stopTimer?.();
      stdin.unpipe(socket);
      // Called after all that was written before, and with an error where stdout is gone.
      stdout.write('', () => resolve());
    });
  });
}
