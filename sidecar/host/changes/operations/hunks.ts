import { changesOf, type Hunk } from '../../../lines/hunks.ts';
import { Fault } from '../../../platform/faults.ts';
import type { TextRange } from '../../../protocol/shared.ts';
import { fromLines, isBinary, toLines } from '../snapshots/lineCounts.ts';

export interface HunkSplit {
  /** The agent's text with the chosen hunks taken back. */
  readonly undone: Buffer;
  /** The text before with the chosen hunks put in. */
  readonly kept: Buffer;
}

/**
 * Splits a change at the hunks that touch `range`. Byte for byte, whatever encoding and line ends.
 * @param side which text the range counts in
 * @throws {Fault} `invalid_params` when the file has no lines or no change lies there
 */
export function splitHunks(
  before: Uint8Array,
  after: Uint8Array,
  range: TextRange,
  side: 'before' | 'after',
): HunkSplit {
  if (isBinary(before) || isBinary(after))
    throw new Fault('invalid_params', 'ranges are not supported for binary files', { data: { field: 'target.range' } });
  const [beforeLines, afterLines] = [toLines(before), toLines(after)];
  const hunks = changesOf(beforeLines, afterLines);
  const chosen = new Set(hunks.filter((it) => touches(it, range, side)));
  if (chosen.size === 0)
    throw new Fault('invalid_params', 'there are no changes in this range', { data: { field: 'target.range' } });
  return {
    undone: fromLines(replace(afterLines, hunks, (it) => chosen.has(it))),
    kept: fromLines(replace(afterLines, hunks, (it) => !chosen.has(it))),
  };
}

function touches(hunk: Hunk, { start, end }: TextRange, side: 'before' | 'after'): boolean {
  const from = side === 'before' ? hunk.beforeStart : hunk.afterStart;
  const count = side === 'before' ? hunk.removed.length : hunk.added.length;
  const isWholeLines = end.character === 0 && end.line > start.line;
  const until = isWholeLines ? end.line : end.line + 1;
  // Where lines are only missing on this side, the place between two lines counts; an empty range names one such place.
  const isPlace = start.line === end.line && start.character === end.character;
  if (count === 0 && isPlace) return start.line === from;
  if (count === 0) return start.line <= from && from <= until;
  return from < until && start.line < from + count;
}

/** The text after, with the hunks that `isBack` names as they were before. */
function replace(after: readonly string[], hunks: readonly Hunk[], isBack: (hunk: Hunk) => boolean): string[] {
  const lines: string[] = [];
  let at = 0;
  for (const hunk of hunks) {
    lines.push(...after.slice(at, hunk.afterStart), ...(isBack(hunk) ? hunk.removed : hunk.added));
    at = hunk.afterStart + hunk.added.length;
  }
  return [...lines, ...after.slice(at)];
}
