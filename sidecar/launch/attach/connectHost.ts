import { connect, type Socket } from 'node:net';
import type { Timers } from '../../platform/timers.ts';
import { checkSocketFolder } from '../socketPath.ts';
import { type Preamble, PreambleAnswer, parseLine, readLine, toLine } from './preamble.ts';

export type Reached = { readonly socket: Socket; readonly answer: PreambleAnswer | undefined };

/**
 * Sends the first line and reads the host's.
 * @returns undefined when nobody listens there; an undefined `answer` when the host broke off or was silent
 * @throws {LaunchFailure} `badFolder` when the socket's folder is not ours alone
 */
export async function connectHost(
  path: string,
  uid: number | undefined,
  preamble: Preamble,
  timeoutMs: number,
  timers: Timers,
): Promise<Reached | undefined> {
  checkSocketFolder(path, uid);
  const socket = await open(path);
  if (!socket) return undefined;
  socket.write(toLine(preamble));
  const answer = parseLine(await readLine(socket, timeoutMs, timers), PreambleAnswer);
  if (!answer?.ok) socket.destroy();
  return { socket, answer };
}

/** Any failure to connect (nothing there, a socket left behind) means that nobody listens. */
function open(path: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => resolve(socket));
    // Stays, because a socket without a listener for errors ends the process; 'close' follows each.
    socket.on('error', () => resolve(undefined));
  });
}
