import { foldName, shownName } from './fold.ts';

/** A member of the object, with the position of its value. */
export interface Member {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

export interface TopLevel {
  readonly members: readonly Member[];
  /** The position of the brace that ends the object. */
  readonly end: number;
}
export type ReadTopLevel = TopLevel | { readonly refused: string };

/** Deeper nesting is refused, because it could overflow the stack of a recursive reader. */
const MAX_DEPTH = 256;

/**
 * Finds the members of a JSON object in one pass over its bytes. Values are skipped, but their structure must be JSON. A repeated
 * member is refused, because some readers use the first one and others the last.
 *
 * @param bytes UTF-8, checked by the caller
 */
export function readTopLevel(bytes: Buffer, from = 0, to = bytes.length): ReadTopLevel {
  const members: Member[] = [];
  const names = new Set<string>();
  /** For each open object or list: whether it is an object. */
  const open: boolean[] = [];
  let state: State = 'value';
  let name = '';
  let valueFrom = 0;
  let end = -1;
  for (let at = from; at < to; at += 1) {
    const code = bytes[at] as number;
    if (code === space || code === lineFeed || code === carriageReturn || code === tab) continue;
    if (end >= 0) return noJson;
    const depth = open.length;
    if (state === 'colon') {
      if (code !== colon) return noJson;
      state = 'value';
      continue;
    }
    const canEnd = state === 'after' || state === 'first name' || state === 'first value';
    if (canEnd && code === (open[depth - 1] ? closeObject : closeList)) {
      open.pop();
      state = 'after';
      if (depth === 1) end = at;
      else if (depth === 2) members.push({ name, from: valueFrom, to: at + 1 });
      continue;
    }
    if (state === 'name' || state === 'first name') {
      const last = code === quote ? endOfString(bytes, at, to) : -1;
      if (last < 0) return noJson;
      if (depth === 1) {
        const read = nameAt(bytes, at, last);
        if (read === undefined) return noJson;
        if (names.has(read)) return { refused: `the member '${shownName(read)}' appears more than once` };
        names.add((name = read));
      }
      at = last;
      state = 'colon';
      continue;
    }
    if (state === 'after') {
      if (code !== comma) return noJson;
      state = open[depth - 1] ? 'name' : 'value';
      continue;
    }
    if (depth === 0 && code !== openObject) return noJson;
    if (depth === 1) valueFrom = at;
    if (code === openObject || code === openList) {
      if (depth === MAX_DEPTH) return { refused: 'it is nested too deeply' };
      open.push(code === openObject);
      state = code === openObject ? 'first name' : 'first value';
      continue;
    }
    const last = code === quote ? endOfString(bytes, at, to) : endOfWord(bytes, at, to);
    if (last < 0) return noJson;
    if (depth === 1) members.push({ name, from: at, to: last + 1 });
    at = last;
    state = 'after';
  }
  return end < 0 ? noJson : { members, end };
}

/**
 * Finds a member that a lenient reader could take for one of `watched`: it has another spelling, appears in two spellings, or
 * contains U+0000.
 *
 * @param watched the known spellings of each member
 * @returns what is wrong with the first such member
 */
export function twinIn({ members }: TopLevel, watched: readonly Watched[]): string | undefined {
  for (const { name } of members) {
    // A reader that is written in C ends the name there.
    if (name.includes('\0')) return `the name of the member '${shownName(name)}' contains U+0000`;
    const folded = foldName(name);
    for (const it of watched) {
      if (it.folded !== folded) continue;
      if (!it.spellings.includes(name)) return `the member '${shownName(name)}' must be spelled '${it.spellings[0]}'`;
      const other = members.find((one) => one.name !== name && foldName(one.name) === folded);
      if (other) return `the members '${shownName(name)}' and '${shownName(other.name)}' mean the same`;
    }
  }
  return undefined;
}

export interface Watched {
  readonly folded: string;
  readonly spellings: readonly string[];
}
export const watchedOf = (...spellings: readonly string[]): Watched => ({
  folded: foldName(spellings[0] ?? ''),
  spellings,
});

type State = 'value' | 'first value' | 'after' | 'name' | 'first name' | 'colon';

const noJson = { refused: 'it is not a JSON object' } as const;

/** For this many bytes, a loop in JavaScript is faster than a native search. */
const SHORT = 24;

/** The position of the quote that ends the string at `from`; -1 if there is none. */
function endOfString(bytes: Buffer, from: number, to: number): number {
  const near = Math.min(to, from + SHORT);
  for (let at = from + 1; at < near; at += 1) {
    if (bytes[at] === backslash) at += 1;
    else if (bytes[at] === quote) return at;
  }
  let end = bytes.indexOf(quote, from + 1);
  while (end >= 0 && end < to && isEscaped(bytes, end, from)) end = bytes.indexOf(quote, end + 1);
  return end < to ? end : -1;
}

function isEscaped(bytes: Buffer, quoteAt: number, from: number): boolean {
  let before = quoteAt - 1;
  while (before > from && bytes[before] === backslash) before -= 1;
  return (quoteAt - before) % 2 === 0;
}

/** Reads a lone surrogate as U+FFFD, like a reader that decodes UTF-8. */
function nameAt(bytes: Buffer, from: number, last: number): string | undefined {
  const raw = bytes.toString('utf8', from + 1, last);
  if (!raw.includes('\\')) return raw;
  try {
    return (JSON.parse(`"${raw}"`) as string).replace(/\p{Surrogate}/gu, '\ufffd');
  } catch {
    return undefined;
  }
}

const word = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;

/** The position of the last byte of the number, `true`, `false`, or `null` at `from`; -1 if there is none. */
function endOfWord(bytes: Buffer, from: number, to: number): number {
  let at = from;
  while (at < to && isOfWord(bytes[at] as number)) at += 1;
  return word.test(bytes.toString('latin1', from, at)) ? at - 1 : -1;
}

const isOfWord = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) ||
  (code >= 0x61 && code <= 0x7a) ||
  code === 0x45 ||
  code === 0x2b ||
  code === 0x2d ||
  code === 0x2e;

const [quote, backslash, openObject, closeObject, openList, closeList] = [0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d];
const [comma, colon, space, tab, lineFeed, carriageReturn] = [0x2c, 0x3a, 0x20, 0x09, 0x0a, 0x0d];
