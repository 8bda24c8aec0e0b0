import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { killGroup } from './leash.ts';
import { processesMarked, processTable } from './processTable.ts';

/** One child as it stands in the registry file. */
export interface RegisteredChild {
  readonly leashId: string;
  readonly pid: number;
  readonly startedMark: string;
  readonly startedAt: string;
  readonly role: 'agent' | 'tool';
  readonly title: string;
  readonly session?: string;
}

/** Replaces the file in one step, so that a killed host leaves the old or the new list. */
export function writeRegistry(file: string, children: readonly RegisteredChild[]): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.new`, JSON.stringify(children), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** @returns what the file says; nothing when it is missing or not ours to read */
export function readRegistry(file: string): readonly RegisteredChild[] {
  let raw: unknown;
  try {
    raw = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return []; // no file: nothing was left behind; half a file: the marker in the environment is gone with it
  }
  return Array.isArray(raw) ? raw.filter(isRegisteredChild) : [];
}

/**
 * Ends what an earlier host left behind. Call it only with the lock of the data directory held.
 *
 * @returns how many processes were ended
 */
export function sweepChildren(file: string, platform: NodeJS.Platform = process.platform): number {
  const left = readRegistry(file);
  if (left.length === 0) return 0;
  const table = processTable(platform);
  let ended = 0;
  for (const child of left) {
    const leader = table.find((it) => it.pid === child.pid);
    const groupIsOurs = leader ? leader.startedMark === child.startedMark : false;
    if (groupIsOurs && killGroup(child.pid)) ended += 1;
    for (const pid of processesMarked(child.leashId, platform)) ended += kill(pid) ? 1 : 0;
  }
  rmSync(file, { force: true });
  return ended;
}

function kill(pid: number): boolean {
  try {
    process.kill(pid, 'SIGKILL');
    return true;
  } catch {
    return false; // it ended by itself
  }
}

function isRegisteredChild(value: unknown): value is RegisteredChild {
  if (typeof value !== 'object' || value === null) return false;
  const it = value as Record<string, unknown>;
  return (
    typeof it['leashId'] === 'string' &&
    /^[0-9a-f-]{36}$/.test(it['leashId']) &&
    Number.isInteger(it['pid']) &&
    Number(it['pid']) > 1 &&
    typeof it['startedMark'] === 'string'
  );
}
