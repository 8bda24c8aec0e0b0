import { type CpuInfo, cpus } from 'node:os';
import { systemTimers, type Timers } from '../../../sidecar/platform/timers.ts';

interface Watched {
  readonly everyMs: number;
  /** The share of the time of all processors that has to be idle, from 0 to 1. */
  readonly share: number;
  readonly read?: () => readonly CpuInfo[];
  readonly every?: Timers['every'];
}

/** Calls `act` after each period in which at least this share of the processors' time was idle. Returns what stops it. */
export function whenIdle(
  act: () => void,
  { everyMs, share, read = cpus, every = systemTimers.every }: Watched,
): () => void {
  let before = sumOf(read());
  return every(everyMs, () => {
    const now = sumOf(read());
    const idle = (now.idle - before.idle) / (now.all - before.all);
    before = now;
    if (idle >= share) act();
  });
}

function sumOf(processors: readonly CpuInfo[]) {
  const times = processors.map((it) => it.times);
  const sum = (of: (it: CpuInfo['times']) => number) => times.reduce((total, it) => total + of(it), 0);
  return { idle: sum((it) => it.idle), all: sum((it) => it.user + it.nice + it.sys + it.idle + it.irq) };
}
