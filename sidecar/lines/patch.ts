import { changesOf } from './hunks.ts';

/** Lines around a change that stand in a patch. */
const CONTEXT = 3;

/** One side of a file: its name in the patch, and its text; absent where there is no such file on this side. */
export interface PatchSide {
  readonly name: string;
  readonly text: string;
}

/** The difference of two texts as a unified diff, or an empty text where there is none. */
export function unifiedPatch(before: PatchSide | undefined, after: PatchSide | undefined): string {
  const old = toLines(before?.text ?? '');
  const now = toLines(after?.text ?? '');
  const header = `--- ${before?.name ?? '/dev/null'}\n+++ ${after?.name ?? '/dev/null'}\n`;
  const hunks = changesOf(old, now);
  const parts: string[] = [];
  for (let at = 0; at < hunks.length; ) {
    const first = hunks[at]!;
    const start = Math.max(0, first.beforeStart - CONTEXT);
    const lines: string[] = [];
    let reached = start;
    let next = at;
    // Changes that are closer than their contexts share one hunk.
    while (next < hunks.length && hunks[next]!.beforeStart - reached <= (next === at ? CONTEXT : 2 * CONTEXT)) {
      const { beforeStart, removed, added } = hunks[next]!;
      lines.push(
        ...old.slice(reached, beforeStart).map((it) => shown(' ', it)),
        ...removed.map((it) => shown('-', it)),
        ...added.map((it) => shown('+', it)),
      );
      reached = beforeStart + removed.length;
      next += 1;
    }
    const end = Math.min(old.length, reached + CONTEXT);
    lines.push(...old.slice(reached, end).map((it) => shown(' ', it)));
    const oldCount = end - start;
    const last = hunks[next - 1]!;
    const newStart = first.afterStart - (first.beforeStart - start);
    const newCount = last.afterStart + last.added.length + (end - reached) - newStart;
    parts.push(`@@ -${range(start, oldCount)} +${range(newStart, newCount)} @@\n${lines.join('')}`);
    at = next;
  }
  return parts.length === 0 ? '' : header + parts.join('');
}

/** Numbers count from 1, and an empty range names the line before it. */
function range(start: number, count: number): string {
  const line = count === 0 ? start : start + 1;
  return count === 1 ? `${line}` : `${line},${count}`;
}

function shown(mark: string, line: string): string {
  return line.endsWith('\n') ? `${mark}${line}` : `${mark}${line}\n\\ No newline at end of file\n`;
}

function toLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}
