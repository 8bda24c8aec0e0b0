import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';

/** How long a host may take to send what it has, once our input ended. */
const LAST_BYTES_MS = 1_000;

/**
 * Passes bytes both ways and parses none, until one side ends. The host goes on without its relay; a relay does not go
 * on without its host, so that whoever started it starts another, which finds or starts the next host.
 */
export function relay(stdin: Readable, stdout: Writable, socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const hangUp = (): void => void socket.destroy();
    stdin.pipe(socket);
    socket.pipe(stdout, { end: false });
    stdin.once('end', () => {
      timer = setTimeout(hangUp, LAST_BYTES_MS);
    });
    stdin.once('error', hangUp);
    stdout.once('error', hangUp);
    socket.once('close', () => {
      clearTimeout(timer);
      stdin.unpipe(socket);
      // Called after all that was written before, and with an error where stdout is gone.
      stdout.write('', () => resolve());
    });
  });
}
