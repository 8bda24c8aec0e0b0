import { changesOf } from '../../../../sidecar/lines/hunks.ts';

export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added' | 'gap';
  readonly text: string;
}

/** Lines around a change that did not change. */
const AROUND = 3;

/** What changed between two definitions, line by line. @param before absent for one that is new */
export function definitionDiff(before: unknown, after: unknown): DiffLine[] {
  const old = linesOf(before);
  const now = linesOf(after);
  const lines: DiffLine[] = [];
  const add = (kind: DiffLine['kind'], texts: readonly string[]) =>
    lines.push(...texts.map((text) => ({ kind, text })));
  const hunks = changesOf(old, now);
  /** The first line of the old text that is not shown yet. */
  let shown = 0;
  for (const [at, { beforeStart, removed, added }] of hunks.entries()) {
    const start = Math.max(shown, beforeStart - AROUND);
    if (start > shown) add('gap', ['']);
    add('same', old.slice(start, beforeStart));
    add('removed', removed);
    add('added', added);
    const end = beforeStart + removed.length;
    shown = Math.min(end + AROUND, hunks[at + 1]?.beforeStart ?? old.length, old.length);
    add('same', old.slice(end, shown));
  }
  if (hunks.length > 0 && shown < old.length) add('gap', ['']);
  return lines;
}

const linesOf = (value: unknown): string[] =>
  value == null ? [] : JSON.stringify(value, (_name, it: unknown) => inOrder(it), 2).split('\n');

/** The order of members means nothing: a server may change it with every answer. */
function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
