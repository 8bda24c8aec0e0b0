/** Bytes that are not UTF-8: JavaScript reads each such sequence as one character. */
const NOT_UTF8 = String.raw`(?-u:[\x80-\xFF]{1,3})`;
const ANY = `(?:.|${NOT_UTF8})`;

/** What an escape matches, outside and inside of a class. Absent: the engines differ. */
const escapes: Readonly<Record<string, readonly [outside: string | undefined, inside: string | undefined]>> = {
  d: ['[0-9]', '0-9'],
  D: [`(?:[^0-9]|${NOT_UTF8})`, undefined],
  w: ['[0-9A-Za-z_]', '0-9A-Za-z_'],
  W: [`(?:[^0-9A-Za-z_]|${NOT_UTF8})`, undefined],
  s: [String.raw`[\s\x{FEFF}]`, String.raw`\s\x{FEFF}`],
  S: [String.raw`(?:\S|\x{85}|${NOT_UTF8})`, undefined],
  b: [String.raw`(?-u:\b)`, undefined],
  t: [String.raw`\t`, String.raw`\t`],
};

/**
 * Translates a JavaScript pattern for ripgrep, whose engine has other classes, escapes, and letter cases. The translation matches each
 * line that the pattern matches, and possibly others.
 *
 * @returns `undefined` for a pattern that cannot be translated, such as one with a lookahead
 */
export function toRipgrepPattern(pattern: string): string | undefined {
  let translated = '';
  for (let at = 0; at < pattern.length; ) {
    const piece = pieceAt(pattern, at);
    if (!piece) return undefined;
    translated += piece.text;
    at += piece.length;
  }
  return translated;
}

interface Piece {
  readonly text: string;
  /** In the JavaScript pattern. */
  readonly length: number;
}

function pieceAt(pattern: string, at: number): Piece | undefined {
  const rest = pattern.slice(at);
  const first = rest[0]!;
  if (first === '\\') return escapeAt(rest, 0);
  if (first === '[') return classAt(rest);
  if (first === '.') return { text: ANY, length: 1 };
  if (first === '(') {
    const opened = /^\((?:\?:|\?<[A-Za-z]\w*>|(?!\?))/.exec(rest)?.[0];
    return opened === undefined ? undefined : { text: '(?:', length: opened.length };
  }
  if (first === '{') {
    const count = /^\{\d{1,3}(?:,\d{0,3})?\}/.exec(rest)?.[0];
    return count === undefined ? undefined : { text: count, length: count.length };
  }
  // A brace or bracket without its partner is a character in JavaScript only.
  if (first === '}' || first === ']') return undefined;
  return isPlain(first) ? { text: first, length: 1 } : undefined;
}

/** The engines agree on the cases of ASCII letters. */
const isPlain = (character: string): boolean => /^[\x20-\x7E]$/.test(character);

function escapeAt(rest: string, where: 0 | 1): Piece | undefined {
  const escaped = rest[1] ?? '';
  if (/^[A-Za-z0-9]$/.test(escaped)) {
    const text = escapes[escaped]?.[where];
    return text === undefined ? undefined : { text, length: 2 };
  }
  return isPlain(escaped) ? { text: hex(escaped), length: 2 } : undefined;
}

function classAt(rest: string): Piece | undefined {
  const isNegated = rest[1] === '^';
  const start = isNegated ? 2 : 1;
  if (rest[start] === ']') return undefined; // an empty class
  let inside = '';
  let at = start;
  while (rest[at] !== ']') {
    const piece = memberAt(rest.slice(at), at === start);
    if (!piece) return undefined;
    inside += piece.text;
    at += piece.length;
  }
  return { text: isNegated ? `(?:[^${inside}]|${NOT_UTF8})` : `[${inside}]`, length: at + 1 };
}

/** Characters are written so that ripgrep sees no operator in them. */
function memberAt(rest: string, isFirst: boolean): Piece | undefined {
  const [, from, to] = /^([A-Za-z0-9])-([A-Za-z0-9])/.exec(rest) ?? [];
  if (from !== undefined && to !== undefined) return { text: `${hex(from)}-${hex(to)}`, length: 3 };
  const first = rest[0] ?? '';
  if (first === '\\') return escapeAt(rest, 1);
  // Between other characters, a hyphen is another kind of range.
  if (first === '-' && !isFirst && rest[1] !== ']') return undefined;
  return isPlain(first) ? { text: hex(first), length: 1 } : undefined;
}

const hex = (character: string): string => `\\x{${character.charCodeAt(0).toString(16)}}`;
