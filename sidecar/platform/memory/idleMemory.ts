import { performance } from 'node:perf_hooks';
import { memoryUsage } from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Timers } from '../timers.ts';

const LOOK_MS = 15_000;
/**
 * Share of the time in which a process that counts as idle works at most. A gateway with a hundred calls a second works more, and
 * those calls would wait for the collection: the larger the heap, the longer.
 */
const IDLE_SHARE = 0.01;
/** In so many looks in a row. After a collection, the code for calls is compiled again, so a short break between calls is too short. */
const IDLE_LOOKS = 2;
/** Less than this is not worth a collection of the whole heap. */
const WORTH_BYTES = 16_000_000;

/** What is read of a process, and done to it. */
export interface ProcessMemory {
  /** Share of the time since it was last asked in which the process worked, from 0 to 1. */
  workedShare(): number;
  residentBytes(): number;
  /** Collects all garbage, and gives the memory that becomes free back to the system. */
  collect(): void;
}

/**
 * Gives memory back after a load. V8 collects garbage only when something is allocated, and keeps the memory that becomes free, so
 * a gateway whose thousands of sessions have ended would stay as large as it was. Collecting everything stops the process for some
 * tens of milliseconds, so it happens only when the process is idle, and only after memory has grown.
 */
export class IdleMemory {
  readonly #memory: ProcessMemory;
  /** The least that was resident since memory was last given back. 0 before that: what only the start needed is always worth it. */
  #settledBytes = 0;
  #idleLooks = 0;

  constructor(memory: ProcessMemory) {
    this.#memory = memory;
  }

  /** To be called from time to time. */
  look(): void {
    this.#idleLooks = this.#memory.workedShare() <= IDLE_SHARE ? this.#idleLooks + 1 : 0;
    const residentBytes = this.#memory.residentBytes();
    this.#settledBytes = Math.min(this.#settledBytes, residentBytes);
    if (this.#idleLooks < IDLE_LOOKS || residentBytes - this.#settledBytes < WORTH_BYTES) return;
    this.#memory.collect();
    this.#settledBytes = this.#memory.residentBytes();
  }
}

/** This process, from now on. */
export function giveMemoryBackWhenIdle(timers: Pick<Timers, 'every'>): void {
  const memory = new IdleMemory(ownMemory());
  timers.every(LOOK_MS, () => memory.look());
}

export function ownMemory(): ProcessMemory {
  let before = performance.eventLoopUtilization();
  return {
    workedShare() {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, before);
      before = now;
      return utilization;
    },
    residentBytes: () => memoryUsage.rss(),
    collect() {
      setFlagsFromString('--expose-gc');
      const collect = runInNewContext('gc') as (options: { type: 'major'; flavor: 'last-resort' }) => void;
      setFlagsFromString('--no-expose-gc');
      // V8 keeps what other collections free for itself.
      collect({ type: 'major', flavor: 'last-resort' });
    },
  };
}
