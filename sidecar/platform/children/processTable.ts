import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessRow {
  readonly pid: number;
  readonly pgid: number;
  /** Absent where the table does not say it. */
  readonly ppid?: number;
  /** Unequal for two processes that had the same id one after the other. */
  readonly startedMark: string;
  readonly memoryBytes: number;
}

/** Every process that may be seen. From `/proc` where there is one (a bare machine has no `ps`), else from `ps`. */
export function processTable(platform: NodeJS.Platform = process.platform): readonly ProcessRow[] {
  if (platform === 'linux') return processIds().flatMap((pid) => rowFromProc(pid) ?? []);
  if (platform === 'win32') return [];
  const text = execFileSync('ps', ['-axo', 'pid=,pgid=,rss=,lstart='], { encoding: 'utf8' });
  return text.split('\n').flatMap((line) => rowFromPs(line) ?? []);
}

/** Processes whose environment carries the marker. Empty where environments of others cannot be read. */
export function processesMarked(leashId: string, platform: NodeJS.Platform = process.platform): readonly number[] {
  if (platform !== 'linux') return [];
  return processIds().filter((pid) => {
    const environ = readOrNothing(`/proc/${pid}/environ`);
    return environ?.split('\0').includes(`SWITCHBOARD_LEASH=${leashId}`) ?? false;
  });
}

/** One line of `ps -axo pid=,pgid=,rss=,lstart=`. */
export function rowFromPs(line: string): ProcessRow | undefined {
  const found = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(.+?)\s*$/.exec(line);
  if (!found) return undefined;
  const [, pid, pgid, rss, startedMark] = found;
  return { pid: Number(pid), pgid: Number(pgid), startedMark: startedMark!, memoryBytes: Number(rss) * 1024 };
}

function rowFromProc(pid: number): ProcessRow | undefined {
  const stat = readOrNothing(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The name, in parentheses, may hold anything: count from behind it. State is field 3, so index 0 here.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z') return undefined;
  const [ppid, pgid] = [Number(fields[1]), Number(fields[2])];
  return { pid, ppid, pgid, startedMark: fields[19] ?? '', memoryBytes: Number(fields[21]) * 4096 };
}

function processIds(): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((it) => Number.isInteger(it));
}

function readOrNothing(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined; // it ended, or belongs to another user
  }
}
