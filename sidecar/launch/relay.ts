import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';

/**
 * Passes bytes both ways and parses none, until one side ends. The host goes on without its relay; a relay does not go
 * on without its host, so that whoever started it starts another, which finds or starts the next host.
 */
export function relay(stdin: Readable, stdout: Writable, socket: Socket): Promise<'stdin ended' | 'host gone'> {
  return new Promise((resolve) => {
    let outcome: 'stdin ended' | 'host gone' = 'host gone';
    stdin.pipe(socket);
    socket.pipe(stdout, { end: false });
    const leave = (): void => {
      outcome = 'stdin ended';
      // The host may be waiting with much to send; nobody reads it any more.
      socket.destroySoon();
    };
    stdin.once('end', leave).once('close', leave).once('error', leave);
    stdout.once('error', leave);
    socket.once('close', () => {
      stdin.unpipe(socket);
      // Called after all that was written before, and with an error where stdout is gone.
      stdout.write('', () => resolve(outcome));
    });
  });
}
