import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

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

/** Processor time of the threads of a process that live, as exact as the kernel counts it. @returns milliseconds */
export function threadsMs(pid: number): number {
  const tasks = `/proc/${pid}/task`;
  const spent = readdirSync(tasks).map((it) => Number(readFileSync(`${tasks}/${it}/schedstat`, 'utf8').split(' ')[0]));
  return spent.reduce((sum, it) => sum + it, 0) / 1e6;
}

/** Since a process was started, as the kernel counts it, in steps of 10 ms. @returns milliseconds */
export function ageMs(pid: number): number {
  const upSeconds = Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]);
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const startTicks = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
  return upSeconds * 1_000 - startTicks * 10;
}
