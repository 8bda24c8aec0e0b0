import { changedMiddle, changesOf, type Hunk } from '../../../lines/hunks.ts';

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
 * The counts of contents that need no comparison: they are binary (`null`) or equal, or have no line in common apart from their
 * equal first and last lines. `undefined` otherwise.
 */
export function countPlain(before: Uint8Array, after: Uint8Array): LineCounts | null | undefined {
  if (isBinary(before) || isBinary(after)) return null;
  const { removed, added } = changedMiddle(toLines(before), toLines(after));
  const old = new Set(removed);
  return added.some((it) => old.has(it)) ? undefined : { added: added.length, removed: removed.length };
}

/** Counts without git: the shortest difference, or all of the middle for what would take too long. */
export function countLines(before: Uint8Array, after: Uint8Array): LineCounts {
  return changesOf(toLines(before), toLines(after)).reduce(
    (sum, it) => ({ added: sum.added + it.added.length, removed: sum.removed + it.removed.length }),
    { added: 0, removed: 0 },
  );
}

/** Where the lines of two texts differ; `undefined` where one has no lines. */
export function hunksBetween(before: Uint8Array, after: Uint8Array): readonly Hunk[] | undefined {
  return isBinary(before) || isBinary(after) ? undefined : changesOf(toLines(before), toLines(after));
}
