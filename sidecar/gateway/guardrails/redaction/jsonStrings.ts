import { namesSecret } from '../../../platform/redact.ts';

/** A JSON string in a text, which may be cut anywhere or hold more than JSON. */
export interface JsonString {
  /** Of what is between its quotes. */
  readonly start: number;
  readonly end: number;
  /** `undefined` where it cannot be read, as half an escape sequence. */
  readonly value: string | undefined;
  /** It names a member. */
  readonly isName: boolean;
  /** The nearest name before it. */
  readonly name: string;
  /** It, or what it is in, stands under a name such as `password`. */
  readonly isSecret: boolean;
}

/** The strings of a text, in order and in linear time. A line break ends a string, so that an event stream can be read too. */
export function jsonStrings(text: string): readonly JsonString[] {
  const found: JsonString[] = [];
  let name = '';
  let depth = 0;
  /** What is at least this deep is secret. */
  let secretFrom = Number.POSITIVE_INFINITY;
  /** The next value is. */
  let isNext = false;
  /** How deep an object is whose member `name` or `key` names a secret, which is its member `value`, as in lists of headers. */
  let namedAt = Number.POSITIVE_INFINITY;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '{' || character === '[') {
      depth += 1;
      if (isNext) secretFrom = Math.min(secretFrom, depth);
      isNext = false;
    } else if (character === '}' || character === ']') {
      depth -= 1;
      if (depth < secretFrom) secretFrom = Number.POSITIVE_INFINITY;
      if (depth < namedAt) namedAt = Number.POSITIVE_INFINITY;
    } else if (character === ',') isNext = false;
    else if (character === '\n' && text.startsWith('data:', at + 1)) {
      depth = 0;
      secretFrom = Number.POSITIVE_INFINITY;
      namedAt = Number.POSITIVE_INFINITY;
    } else if (character === '"') {
      const start = at + 1;
      const end = endOf(text, start);
      const value = read(text.slice(start, end), text[end] !== '"');
      const isName = text[end] === '"' && isColonNext(text, end + 1);
      found.push({ start, end, value, isName, name, isSecret: !isName && (isNext || depth >= secretFrom) });
      if (isName) name = value ?? '';
      else if (nameOfPair.test(name) && value !== undefined && namesSecret(value)) namedAt = depth;
      isNext = isName && (namesSecret(name) || (name === 'value' && depth === namedAt));
      at = end;
    }
  }
  return found;
}

const nameOfPair = /^(?:name|key|header)$/i;

function endOf(text: string, start: number): number {
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"' || character === '\n') return at;
    if (character === '\\') at += 1;
  }
  return text.length;
}

function isColonNext(text: string, from: number): boolean {
  let at = from;
  while (text[at] === ' ' || text[at] === '\t') at += 1;
  return text[at] === ':';
}

const halfEscape = /(?<=^|[^\\])(?<pairs>(?:\\\\)*)\\(?:u[0-9A-Fa-f]{0,3})?$/;

function read(raw: string, isCut: boolean): string | undefined {
  try {
    return JSON.parse(`"${isCut ? raw.replace(halfEscape, '$<pairs>') : raw}"`) as string;
  } catch {
    return undefined;
  }
}
