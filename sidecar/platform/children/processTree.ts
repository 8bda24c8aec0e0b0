import { type ProcessRow, processTable } from './processTable.ts';

/** Everything that a process started, and that was started by it, as far as their parents still live. Only Linux reports it. */
export function descendantsOf(pid: number, table: readonly ProcessRow[] = processTable()): readonly ProcessRow[] {
  const found: ProcessRow[] = [];
  const parents = new Set([pid]);
  for (let before = -1; before < found.length; ) {
    before = found.length;
    for (const it of table) {
      if (it.ppid === undefined || !parents.has(it.ppid) || parents.has(it.pid)) continue;
      parents.add(it.pid);
      found.push(it);
    }
  }
  return found;
}

/** Those of `rows` that live: an id that went to another process meanwhile counts for nothing. */
export function alive(
  rows: readonly ProcessRow[],
  table: readonly ProcessRow[] = processTable(),
): readonly ProcessRow[] {
  return table.filter(({ pid, startedMark }) => rows.some((it) => it.pid === pid && it.startedMark === startedMark));
}
