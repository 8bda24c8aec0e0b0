import type { Socket } from 'node:net';
import type { Timers } from '../../platform/timers.ts';
import { type FindHostDeps, findHost } from '../attach/findHost.ts';
import { parseLine, readLine, toLine } from '../attach/preamble.ts';
import { exitCodes, LaunchFailure } from '../failure.ts';
import { ListenAnswer, type ListenOptions } from './listenLine.ts';

/** How long the host may take to listen, and to say goodbye to its clients. */
const ANSWER_MS = 5_000;

/** A host that listens for us, for as long as both processes are there. */
export interface Lease {
  readonly port: number;
  /** Settles when the host no longer listens for us. */
  readonly ended: Promise<void>;
  /** Asks the host to send its clients away and to stop, and waits for it. */
  end(): Promise<void>;
}

/**
 * Finds the host, or starts it, and has it listen.
 * @param found called between both: whoever holds the port lets go of it
 * @throws {LaunchFailure} `noHost`, also when the host cannot listen there
 */
export async function openLease(
  deps: Omit<FindHostDeps, 'asks' | 'limits'>,
  options: ListenOptions,
  found: () => void = () => undefined,
): Promise<Lease> {
  const { timers } = deps;
  const socket = await findHost({ ...deps, asks: 'listen' });
  found();
  socket.write(toLine(options));
  const answer = parseLine(await readLine(socket, ANSWER_MS, timers), ListenAnswer);
  if (!answer?.ok) {
    socket.destroy();
    const why = answer?.why ?? 'its host is not responding';
    throw new LaunchFailure(exitCodes.noHost, `Switchboard cannot listen on ${options.host}:${options.port}: ${why}.`);
  }
  socket.resume();
  const ended = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
  return { port: answer.port, ended, end: () => endOf(socket, ended, timers) };
}

async function endOf(socket: Socket, ended: Promise<void>, timers: Timers): Promise<void> {
  socket.end();
  const stop = timers.after(ANSWER_MS, () => socket.destroy());
  await ended;
  stop();
}
