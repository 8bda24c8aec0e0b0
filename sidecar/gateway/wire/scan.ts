import { shownName } from './fold.ts';
import { spellingOf } from './numbers.ts';

/** What makes a JSON text mean different things to different readers, or too much for some. */
export interface Ambiguity {
  readonly kind: 'repeated' | 'depth' | 'number';
  /** The member in question, as `params.arguments.repo`. */
  readonly path: string;
}

export interface Scanned {
  readonly ambiguity?: Ambiguity | undefined;
  /** Some number is spelled as JavaScript would not write it, or is more than JavaScript can hold. */
  readonly hasOddNumbers: boolean;
}

export interface ScanLimits {
  readonly maxDepth: number;
  /** How deep repeats are looked for. Default: everywhere. */
  readonly namesDepth?: number;
  /** Numbers are looked at. Default: true. */
  readonly numbers?: boolean;
}

/** An object or list that is open at a place of the text. */
interface Open {
  /** Of an object whose names are looked at. */
  readonly names: Names | undefined;
  readonly isObject: boolean;
  awaitsName: boolean;
  /** Of the member or item that is being read. */
  at: string | number;
}

/** So many names are compared one by one, which takes less than a set. */
const FEW = 16;

/** The names of one object. Most have few. */
class Names {
  readonly #few: string[] = [];
  #all: Set<string> | undefined;

  /** @returns false for one that was there */
  add(name: string): boolean {
    if (this.#all ? this.#all.has(name) : this.#few.includes(name)) return false;
    if (this.#all) this.#all.add(name);
    else if (this.#few.push(name) === FEW) this.#all = new Set(this.#few);
    return true;
  }
}

/**
 * Reads a text once and finds the first thing that readers differ on: a member that is there twice, of which one reader
 * takes the first and another the last (GHSA-4gph-2hhr-5mwg); nesting without measure; a number beyond all numbers.
 * The work grows with the text alone. What is no JSON is for the parser to say.
 */
export function scan(text: string, { maxDepth, namesDepth = maxDepth, numbers = true }: ScanLimits): Scanned {
  const open: Open[] = [];
  let hasOddNumbers = false;
  let ambiguity: Ambiguity | undefined;
  const found = (kind: Ambiguity['kind']) => {
    ambiguity ??= { kind, path: open.map((it) => (typeof it.at === 'string' ? shownName(it.at) : it.at)).join('.') };
  };
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      const end = endOfString(text, at);
      if (end < 0) break;
      const top = open.at(-1);
      if (top?.awaitsName) {
        top.awaitsName = false;
        if (top.names) {
          const name = nameAt(text, at, end);
          if (name === undefined) break;
          top.at = name;
          if (!top.names.add(name)) found('repeated');
        }
      }
      at = end;
    } else if (code === openObject || code === openList) {
      if (open.length === maxDepth) {
        found('depth');
        return { ambiguity, hasOddNumbers };
      }
      const isObject = code === openObject;
      const names = isObject && open.length < namesDepth ? new Names() : undefined;
      open.push({ names, isObject, awaitsName: isObject, at: 0 });
    } else if (code === closeObject || code === closeList) open.pop();
    else if (code === comma) {
      const top = open.at(-1);
      if (top?.isObject) top.awaitsName = true;
      else if (top) top.at = (top.at as number) + 1;
    } else if (numbers && (code === minus || (code >= zero && code <= nine))) {
      const end = endOfNumber(text, at);
      const spelling = spellingOf(text, at, end);
      if (spelling === 'beyond') found('number');
      if (spelling !== 'plain') hasOddNumbers = true;
      at = end - 1;
    }
  }
  return { ambiguity, hasOddNumbers };
}

/** Where a string ends that begins at `from`; -1 where it does not. */
function endOfString(text: string, from: number): number {
  let end = text.indexOf('"', from + 1);
  while (end >= 0 && isEscaped(text, end, from)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text: string, quoteAt: number, from: number): boolean {
  let before = quoteAt - 1;
  while (before > from && text.charCodeAt(before) === backslash) before -= 1;
  return (quoteAt - before) % 2 === 0;
}

/** The name that stands there; `undefined` where it is none. What is no character reads like the sign for that. */
function nameAt(text: string, from: number, end: number): string | undefined {
  const raw = text.slice(from + 1, end);
  if (!raw.includes('\\')) return raw;
  try {
    return (JSON.parse(`"${raw}"`) as string).replace(/\p{Surrogate}/gu, '\ufffd');
  } catch {
    return undefined; // a wrong escape: the parser complains
  }
}

function endOfNumber(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && isOfNumber(text.charCodeAt(at))) at += 1;
  return at;
}

const isOfNumber = (code: number) =>
  (code >= zero && code <= nine) || code === dot || code === plus || code === minus || code === smallE || code === bigE;

const [quote, backslash, openObject, closeObject, openList, closeList] = [0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d];
const [comma, minus, plus, dot, zero, nine, smallE, bigE] = [0x2c, 0x2d, 0x2b, 0x2e, 0x30, 0x39, 0x65, 0x45];
