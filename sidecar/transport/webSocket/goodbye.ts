import type { WebSocket } from 'ws';
import type { Timers } from '../../platform/timers.ts';

/** How long a client may take to close its side. */
const GOODBYE_MS = 1_000;

/** Numbers of RFC 6455, section 7.4.1. */
export const closeCodes = {
  normal: 1000,
  goingAway: 1001,
  broken: 1002,
  notText: 1003,
  notUtf8: 1007,
  refused: 1008,
  tooLarge: 1009,
  tryAgain: 1013,
} as const;

/** Closes with a reason, and gives the other side a moment to read it. */
export function goodbye(socket: WebSocket, code: number, reason: string, timers: Timers): void {
  socket.close(code, reason);
  if (socket.readyState === socket.CLOSED) return;
  socket.resume(); // or its goodbye would never be read
  socket.once(
    'close',
    timers.after(GOODBYE_MS, () => socket.terminate()),
  );
}
