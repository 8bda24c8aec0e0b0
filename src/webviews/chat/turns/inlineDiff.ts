import { changesOf, type Hunk } from '../../../../sidecar/lines/hunks.ts';
import { changedWords } from '../../../../sidecar/lines/words.ts';
import { visibleText } from '../../../../sidecar/protocol/visibleText.ts';
import type { DiffLine, InlineDiff } from '../../contract/inlineDiff.ts';

/** Lines in a card; the rest is in the diff editor. */
const mostLines = 20;
/** Lines around a change that did not change. */
const around = 2;
/** Longer lines are cut: they are minified, or data. */
const mostCharacters = 400;

/** The first changes from one text to the other, with the words that differ in lines that replace each other. */
export function inlineDiff(before: string, after: string): InlineDiff {
  if (before.includes('\0') || after.includes('\0')) return { lines: [], more: 0, problem: 'binary' };
  const [old, now] = [linesOf(before), linesOf(after)];
  const lines: DiffLine[] = [];
  let total = 0;
  /** The first line of the old text that is not shown yet. */
  let shown = 0;
  const add = (more: readonly DiffLine[]) => {
    total += more.length;
    for (const it of more) if (lines.length < mostLines) lines.push(it);
  };
  const hunks = changesOf(old, now);
  for (const [at, hunk] of hunks.entries()) {
    const start = Math.max(shown, hunk.beforeStart - around);
    if (start > shown) add([{ kind: 'gap', text: '' }]);
    add(old.slice(start, hunk.beforeStart).map(same));
    add(lines.length < mostLines ? changed(hunk) : [...hunk.removed, ...hunk.added].map(same));
    const end = hunk.beforeStart + hunk.removed.length;
    shown = Math.min(end + around, hunks[at + 1]?.beforeStart ?? old.length, old.length);
    add(old.slice(end, shown).map(same));
  }
  const gaps = lines.at(-1)?.kind === 'gap' ? lines.slice(0, -1) : lines;
  return { lines: gaps, more: total - gaps.length };
}

/** A text that ends in a line break has no line behind it. */
function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function same(text: string): DiffLine {
  return { kind: 'same', text: shownText(text) };
}

/** What went, then what came. As many lines for as many others are taken to replace each other, one for one. */
function changed({ removed, added }: Hunk): DiffLine[] {
  const isPaired = removed.length === added.length && removed.length <= mostLines;
  const pairs = isPaired ? removed.map((it, at) => changedWords(shownText(it), shownText(added[at]!))) : undefined;
  return [
    ...removed.map((it, at) => line('removed', it, pairs?.[at]?.removed)),
    ...added.map((it, at) => line('added', it, pairs?.[at]?.added)),
  ];
}

function line(kind: 'added' | 'removed', text: string, marks: DiffLine['marks']): DiffLine {
  return { kind, text: shownText(text), ...(marks && marks.length > 0 && { marks }) };
}

function shownText(text: string): string {
  const shown = visibleText(text);
  return shown.length > mostCharacters ? `${shown.slice(0, mostCharacters)}…` : shown;
}
