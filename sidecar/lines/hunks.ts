import { diffArrays } from 'diff';

/** One place where lines differ. Indexes are of lines, zero-based. */
export interface Hunk {
  readonly beforeStart: number;
  readonly removed: readonly string[];
  readonly afterStart: number;
  readonly added: readonly string[];
}

/**
 * The places where two texts differ, top to bottom. Host and windows compare in this one way, so that both mean the same
 * place when they name a hunk.
 */
export function changesOf(before: readonly string[], after: readonly string[]): Hunk[] {
  const { start, removed, added } = changedMiddle(before, after);
  if (removed.length + added.length === 0) return [];
  const parts = diffArrays(removed, added, { maxEditLength: 4_000 });
  if (!parts) return [{ beforeStart: start, removed, afterStart: start, added }];
  const hunks: Hunk[] = [];
  let beforeAt = start;
  let afterAt = start;
  let open: { beforeStart: number; removed: string[]; afterStart: number; added: string[] } | undefined;
  for (const part of parts) {
    if (!part.added && !part.removed) {
      open = undefined;
      beforeAt += part.value.length;
      afterAt += part.value.length;
      continue;
    }
    if (!open) hunks.push((open = { beforeStart: beforeAt, removed: [], afterStart: afterAt, added: [] }));
    if (part.added) {
      open.added.push(...part.value);
      afterAt += part.value.length;
    } else {
      open.removed.push(...part.value);
      beforeAt += part.value.length;
    }
  }
  return hunks;
}

/** Without the lines that both begin and end with. */
export function changedMiddle(before: readonly string[], after: readonly string[]) {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < most - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return { start, removed: before.slice(start, before.length - end), added: after.slice(start, after.length - end) };
}
