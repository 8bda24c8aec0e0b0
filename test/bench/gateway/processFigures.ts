import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** Resident memory of a process. @returns MB (10^6 bytes) */
export function residentMb(pid: number): number {
  const status = `/proc/${pid}/status`;
  const kb = existsSync(status)
    ? /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(status, 'utf8'))?.[1]
    : execFileSync('ps', ['-o', 'rss=', '-p', `${pid}`], { encoding: 'utf8' }).trim();
  if (kb === undefined) throw new Error(`process ${pid} is gone`);
  return (Number(kb) * 1_024) / 1e6;
}

/**
 * Processor time that a process spent so far, in steps of 10 ms: what it costs, however busy the machine is with others.
 * @returns milliseconds; NaN where the system does not tell
 */
export function processorMs(pid: number): number {
  const path = `/proc/${pid}/stat`;
  if (!existsSync(path)) return Number.NaN;
  const stat = readFileSync(path, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
