import { randomBytes } from 'node:crypto';
import { type Clock, systemClock } from './clock.ts';
import { newId } from './ids.ts';
import type { Log } from './logger.ts';
import { systemTimers, type Timers } from './timers.ts';

/** What a process takes from the machine besides files, sockets and programs: one value, handed on whole or in part. */
export interface Runtime {
  readonly clock: Clock;
  readonly timers: Timers;
  /** A fresh random id, as in channel URIs. */
  readonly newId: () => string;
  /** Bytes that nobody can guess. */
  readonly random: (bytes: number) => Uint8Array;
  readonly log: Log;
}

/** All of it but the log, which not every process loads. */
export const systemMachine: Omit<Runtime, 'log'> = {
  clock: systemClock,
  timers: systemTimers,
  newId,
  random: (bytes) => randomBytes(bytes),
};

export function systemRuntime(log: Log): Runtime {
  return { ...systemMachine, log };
}
