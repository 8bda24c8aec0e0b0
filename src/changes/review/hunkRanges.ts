import { changesOf, type Hunk } from '../../../sidecar/lines/hunks.ts';
import type { TextRange } from '../../../sidecar/protocol/shared.ts';

/** As the editor's quick diff names a change: lines from 1, and an end of 0 where a side has none. */
export interface EditorChange {
  readonly originalStartLineNumber: number;
  readonly originalEndLineNumber: number;
  readonly modifiedStartLineNumber: number;
  readonly modifiedEndLineNumber: number;
}

export function hunksOf(before: string, after: string): Hunk[] {
  return changesOf(toLines(before), toLines(after));
}

/** Where the hunk is in the text before: whole lines, or the place between two of them where lines only came. */
export function rangeOf({ beforeStart, removed }: Hunk): TextRange {
  return {
    start: { line: beforeStart, character: 0 },
    end: { line: beforeStart + removed.length, character: 0 },
  };
}

/** The hunk at a line of one side; where that side has no lines of it, the lines around the place count. */
export function hunkAt(hunks: readonly Hunk[], line: number, side: 'before' | 'after'): Hunk | undefined {
  const place = (it: Hunk) =>
    side === 'before' ? ([it.beforeStart, it.removed.length] as const) : ([it.afterStart, it.added.length] as const);
  const holds = (it: Hunk) => {
    const [start, count] = place(it);
    return start <= line && line < start + count;
  };
  const isBeside = (it: Hunk) => {
    const [start, count] = place(it);
    return count === 0 && (line === start || line === start - 1);
  };
  return hunks.find(holds) ?? hunks.find(isBeside);
}

/** What the editor shows as one change, which it may have put some lines higher or lower. */
export function hunkOf(hunks: readonly Hunk[], change: EditorChange): Hunk | undefined {
  const isRemoval = change.modifiedEndLineNumber === 0;
  const from = isRemoval ? change.originalStartLineNumber : change.modifiedStartLineNumber;
  const to = isRemoval ? change.originalEndLineNumber : change.modifiedEndLineNumber;
  for (let line = from - 1; line < to; line += 1) {
    const found = hunkAt(hunks, line, isRemoval ? 'before' : 'after');
    if (found) return found;
  }
  return undefined;
}

/** The hunk after or before a line of the text after; around the end it begins again. */
export function stepFrom(hunks: readonly Hunk[], line: number, by: 'next' | 'previous'): Hunk | undefined {
  if (by === 'next') return hunks.find((it) => it.afterStart > line) ?? hunks[0];
  return hunks.findLast((it) => it.afterStart < line) ?? hunks.at(-1);
}

function toLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}
