import { changesOf, type Hunk } from '../../../lines/hunks.ts';
import { fromLines, isBinary, toLines } from '../snapshots/lineCounts.ts';

/** What is at a path; `undefined`: nothing. */
export type Content = { readonly kind: 'file' | 'link'; readonly mode: number; readonly bytes: Uint8Array } | undefined;

/** What one session made of a file, and which of its hunks are taken; absent: all of it. */
export interface Choice {
  readonly after: Content;
  readonly hunks?: readonly number[];
}

/**
 * A file with what several sessions changed in it, and what a person did. All began with the same content.
 * @param base what they began with @param mine what the person has
 * @returns `conflict` where two change the same place
 */
export function mergeChosen(
  base: Content,
  mine: Content,
  chosen: readonly Choice[],
): { content: Content } | 'conflict' {
  const all = [mine, ...chosen.map((it) => it.after)];
  if (isText(base) && all.every(isText)) return mergeLines(base, mine, chosen);
  const changed = all.filter((it) => !isSame(it, base));
  const [first, ...others] = changed;
  if (changed.length === 0) return { content: base };
  return others.every((it) => isSame(it, first)) ? { content: first } : 'conflict';
}

/** Hunks of a file that is text before and after; `undefined`: it is taken whole or not at all. */
export function hunksOfContents(base: Content, after: Content): readonly Hunk[] | undefined {
  return isText(base) && isText(after) ? changesOf(toLines(base.bytes), toLines(after.bytes)) : undefined;
}

function mergeLines(base: Text, mine: Content, chosen: readonly Choice[]): { content: Content } | 'conflict' {
  const before = toLines(base.bytes);
  const taken = chosen.flatMap(({ after, hunks }) => {
    const all = hunksOfContents(base, after) ?? [];
    return hunks ? all.filter((_, at) => hunks.includes(at)) : all;
  });
  const hunks = [...(hunksOfContents(base, mine) ?? []), ...taken].sort((a, b) => a.beforeStart - b.beforeStart);
  const lines: string[] = [];
  let at = 0;
  let last: Hunk | undefined;
  for (const hunk of hunks) {
    if (last && isSameHunk(last, hunk)) continue;
    if (last && (hunk.beforeStart < at || hunk.beforeStart === last.beforeStart)) return 'conflict';
    lines.push(...before.slice(at, hunk.beforeStart), ...hunk.added);
    at = hunk.beforeStart + hunk.removed.length;
    last = hunk;
  }
  const whole = chosen.filter((it) => it.hunks === undefined).map((it) => it.after?.mode ?? base.mode);
  const mode = whole.find((it) => it !== base.mode) ?? mine?.mode ?? base.mode;
  return { content: { kind: 'file', mode, bytes: fromLines([...lines, ...before.slice(at)]) } };
}

type Text = NonNullable<Content>;

function isText(content: Content): content is Text {
  return content?.kind === 'file' && !isBinary(content.bytes);
}

function isSame(one: Content, other: Content): boolean {
  if (!one || !other) return one === other;
  return one.kind === other.kind && one.mode === other.mode && Buffer.from(one.bytes).equals(other.bytes);
}

function isSameHunk(one: Hunk, other: Hunk): boolean {
  const text = (it: Hunk) => JSON.stringify([it.beforeStart, it.removed, it.added]);
  return text(one) === text(other);
}
