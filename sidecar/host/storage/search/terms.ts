/** A word or a quoted phrase of a query, as {@link fold} has it. */
export interface Term {
  readonly text: string;
  /** Too short for the index of three characters. */
  readonly isShort: boolean;
}
/** UTF-16 positions of a line: from, and before which. */
export type MatchRange = readonly [start: number, end: number];

export interface MatchedLine {
  readonly line: string;
  readonly ranges: readonly MatchRange[];
}

const MOST_TERMS = 10;
const MOST_RANGES = 20;
/** Characters of a line that are answered, and how many of them stand before the first match. */
const LINE_LENGTH = 300;
const BEFORE_MATCH = 60;
/** More trigrams of a term choose hardly better, and each costs a look into the index. */
const MOST_TRIGRAMS = 8;

const runs = /[\p{L}\p{N}]+/gu;
/** Scripts without spaces between words: a word of one or two characters is found inside of a run. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]+/gu;
const wordCharacter = /[\p{L}\p{N}]/u;

/** Small letters, each in the place of its letter: positions hold for the text as it was. */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower.replaceAll('\0', ' ');
  return Array.from(text, (it) => (it.toLowerCase().length === it.length ? it.toLowerCase() : it))
    .join('')
    .replaceAll('\0', ' ');
}

/** Words, and phrases in quotation marks. A line matches that has all of them. */
export function readQuery(query: string): Term[] {
  const found = [...fold(query).matchAll(/"([^"]+)"?|[^\s"]+/g)].map((it) => (it[1] ?? it[0]).trim());
  return [...new Set(found)]
    .filter((it) => it !== '')
    .slice(0, MOST_TERMS)
    .map((text) => ({ text, isShort: Array.from(text).length < 3 }));
}

/** The trigrams that every text with this term has, as a query of FTS5. */
export function trigramQuery(terms: readonly Term[]): string | undefined {
  const grams = new Set<string>();
  for (const { text, isShort } of terms) {
    if (isShort) continue;
    const characters = Array.from(text);
    const last = characters.length - 3;
    const steps = Math.min(last, MOST_TRIGRAMS - 1);
    for (let step = 0; step <= steps; step += 1) {
      const at = steps === 0 ? 0 : Math.round((step * last) / steps);
      grams.add(characters.slice(at, at + 3).join(''));
    }
  }
  return allOf(grams);
}

/** As {@link trigramQuery}, for terms that are too short for it. Absent where none has a letter or digit. */
export function shortQuery(terms: readonly Term[]): string | undefined {
  return allOf(new Set(terms.filter((it) => it.isShort).flatMap((it) => [...shortWords(it.text)])));
}

function allOf(words: ReadonlySet<string>): string | undefined {
  return words.size === 0 ? undefined : Array.from(words, (it) => `"${it.replaceAll('"', '""')}"`).join(' AND ');
}

/** What short terms are found by: characters and pairs of scripts without spaces, and whole words of at most two characters. */
export function shortWords(folded: string): Set<string> {
  const words = new Set<string>();
  for (const [run] of folded.matchAll(runs)) {
    for (const [part] of run.matchAll(unspaced)) {
      const characters = Array.from(part);
      for (const [at, it] of characters.entries()) {
        words.add(it);
        if (at > 0) words.add(`${characters[at - 1]}${it}`);
      }
    }
    for (const part of run.split(unspaced)) if (part !== '' && Array.from(part).length < 3) words.add(part);
  }
  return words;
}

/** The first line that has all terms, cut to what is shown of it. */
export function matchingLine(text: string, terms: readonly Term[]): MatchedLine | undefined {
  const folded = fold(text);
  if (!terms.every((it) => positionOf(folded, it, 0) >= 0)) return undefined;
  for (let from = 0; from <= folded.length; ) {
    const feed = folded.indexOf('\n', from);
    const end = feed < 0 ? folded.length : feed;
    const ranges = rangesIn(folded.slice(from, end), terms);
    if (ranges) return cut(text.slice(from, end), ranges);
    from = end + 1;
  }
  return undefined;
}

function rangesIn(line: string, terms: readonly Term[]): MatchRange[] | undefined {
  const found: MatchRange[] = [];
  for (const term of terms) {
    let at = positionOf(line, term, 0);
    if (at < 0) return undefined;
    for (let count = 0; at >= 0 && count < MOST_RANGES; count += 1) {
      found.push([at, at + term.text.length]);
      at = positionOf(line, term, at + term.text.length);
    }
  }
  return merged(found.toSorted(([a], [b]) => a - b)).slice(0, MOST_RANGES);
}

/** Terms may overlap: what is marked is marked once. */
function merged(sorted: readonly MatchRange[]): MatchRange[] {
  const ranges: MatchRange[] = [];
  for (const [start, end] of sorted) {
    const last = ranges.at(-1);
    if (last && start <= last[1]) ranges[ranges.length - 1] = [last[0], Math.max(last[1], end)];
    else ranges.push([start, end]);
  }
  return ranges;
}

/** A short word that has spaces around it counts only as a whole word: the index knows no other. */
function positionOf(text: string, { text: term, isShort }: Term, from: number): number {
  let at = text.indexOf(term, from);
  while (isShort && at >= 0 && !isWhole(text, at, at + term.length)) at = text.indexOf(term, at + 1);
  return at;
}

function isWhole(text: string, start: number, end: number): boolean {
  return !joins(text[start - 1], text[start]) && !joins(text[end - 1], text[end]);
}
function joins(before: string | undefined, after: string | undefined): boolean {
  return isSpaced(before) && isSpaced(after);
}
function isSpaced(character: string | undefined): boolean {
  return character !== undefined && wordCharacter.test(character) && !character.match(unspaced);
}

function cut(line: string, ranges: readonly MatchRange[]): MatchedLine {
  const first = ranges[0]?.[0] ?? 0;
  const isLong = line.length > LINE_LENGTH;
  const blanks = line.length - line.trimStart().length;
  const start = isLong && first > BEFORE_MATCH ? first - BEFORE_MATCH : Math.min(blanks, first);
  const end = Math.min(line.length, start + LINE_LENGTH);
  const [before, after] = [start > blanks ? '…' : '', end < line.length ? '…' : ''];
  const shift = before.length - start;
  return {
    line: `${before}${line.slice(start, end)}${after}`.replaceAll(/\p{Cs}/gu, '…'),
    ranges: ranges
      .filter(([from]) => from < end)
      .map(([from, to]) => [from + shift, Math.min(to, end) + shift] as const),
  };
}
