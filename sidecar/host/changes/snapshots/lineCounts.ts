import { diffArrays } from 'diff';

/** Lines as `git diff --numstat` counts them. */
export interface LineCounts {
  readonly added: number;
  readonly removed: number;
}

/** Git's own test: a NUL among the first 8,000 bytes. */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 8_000).includes(0);
}

/** Lines with their endings, one character a byte: joined again they are the same bytes, whatever the encoding. */
export function toLines(bytes: Uint8Array): string[] {
  return (
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      .toString('latin1')
      .match(/[^\n]*\n|[^\n]+$/g) ?? []
  );
}
export function fromLines(lines: readonly string[]): Buffer {
  return Buffer.from(lines.join(''), 'latin1');
}

/**
 * The counts where every way to compare gives the same: binary (`null`), equal, or one side is the other with lines put
 * in or taken out at one place. `undefined` otherwise.
 */
export function countPlain(before: Uint8Array, after: Uint8Array): LineCounts | null | undefined {
  if (isBinary(before) || isBinary(after)) return null;
  const { removed, added } = changedMiddle(toLines(before), toLines(after));
  return removed.length === 0 || added.length === 0 ? { added: added.length, removed: removed.length } : undefined;
}

/** Counts without git: the shortest difference, or all of the middle for what would take too long. */
export function countLines(before: Uint8Array, after: Uint8Array): LineCounts {
  return changesOf(toLines(before), toLines(after)).reduce(
    (sum, it) => ({ added: sum.added + it.added.length, removed: sum.removed + it.removed.length }),
    { added: 0, removed: 0 },
  );
}

/** One place where lines differ. Indexes are of lines, zero-based. */
export interface Hunk {
  readonly beforeStart: number;
  readonly removed: readonly string[];
  readonly afterStart: number;
  readonly added: readonly string[];
}

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

function changedMiddle(before: readonly string[], after: readonly string[]) {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < most - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return { start, removed: before.slice(start, before.length - end), added: after.slice(start, after.length - end) };
}
