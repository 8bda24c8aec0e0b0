/** What TypeScript's library does not know yet of `JSON` in Node 22. */
interface JsonWithSource {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): object;
  isRawJSON(value: unknown): value is { readonly rawJSON: string };
}
const json = JSON as unknown as JsonWithSource;

/**
 * How JavaScript stands to a number of a text: `plain` where it writes it the same, `odd` where it writes the same number
 * otherwise (`1.0`, `1e2`) or another one (`9007199254740993`), `beyond` where it has none (`1e400`).
 */
export function spellingOf(text: string, from: number, end: number): 'plain' | 'odd' | 'beyond' {
  if (end - from <= 15 && isShortInteger(text, from, end)) return 'plain';
  const source = text.slice(from, end);
  const value = Number(source);
  if (value === Infinity || value === -Infinity) return 'beyond';
  return String(value) === source ? 'plain' : 'odd';
}

function isShortInteger(text: string, from: number, end: number): boolean {
  const start = text.charCodeAt(from) === minus ? from + 1 : from;
  if (start > from && text.charCodeAt(start) === zero) return false;
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code < zero || code > nine) return false;
  }
  return true;
}

/** Parses and keeps odd numbers as they are spelled, so that `JSON.stringify` writes them again. @throws {SyntaxError} */
export const parseExactly = (text: string): unknown =>
  json.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? json.rawJSON(source) : value,
  );

/** A value whose numbers are JavaScript's, and where one of them is another number than the one that is sent. */
export interface PlainNumbers {
  readonly value: unknown;
  /** Path of the first that was rounded. */
  readonly rounded?: string | undefined;
}

/** What code that computes may look at of what {@link parseExactly} read; the same object where no number is odd. */
export function plainNumbers(value: unknown): PlainNumbers {
  let rounded: string | undefined;
  const plain = (it: unknown, path: string): unknown => {
    if (typeof it !== 'object' || it === null) return it;
    if (json.isRawJSON(it)) {
      if (rounded === undefined && !isSame(it.rawJSON, String(Number(it.rawJSON)))) rounded = path;
      return Number(it.rawJSON);
    }
    const entries = Object.entries(it);
    const read = entries.map(([name, member]) => [name, plain(member, `${path}.${name}`)] as const);
    if (entries.every(([, member], at) => member === read[at]?.[1])) return it;
    return Array.isArray(it) ? read.map(([, member]) => member) : Object.fromEntries(read);
  };
  return { value: plain(value, ''), rounded: rounded?.slice(1) };
}

/** A number by its value where that is the same number, as ids are compared; anything else as it is. */
export function plainNumber(value: unknown): unknown {
  if (!json.isRawJSON(value)) return value;
  const number = Number(value.rawJSON);
  return isSame(value.rawJSON, String(number)) ? number : value;
}

/** Numbers that nobody changed, as they were spelled. @param exact what `changed` was made from */
export function withSpellings(changed: unknown, exact: unknown): unknown {
  if (json.isRawJSON(exact)) return changed === Number(exact.rawJSON) ? exact : changed;
  if (typeof changed !== 'object' || changed === null || typeof exact !== 'object' || exact === null) return changed;
  const before = new Map(Object.entries(exact));
  if (Array.isArray(changed)) return changed.map((it, at) => withSpellings(it, before.get(String(at))));
  return Object.fromEntries(Object.entries(changed).map(([name, it]) => [name, withSpellings(it, before.get(name))]));
}

/** Whether two spellings are one number, to the last digit. */
function isSame(a: string, b: string): boolean {
  return exactForm(a) === exactForm(b);
}

function exactForm(text: string): string {
  const [, sign, whole = '', part = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const all = `${whole}${part}`.replace(/^0+/, '');
  let end = all.length;
  while (end > 0 && all.charCodeAt(end - 1) === zero) end -= 1;
  if (end === 0) return '0';
  return `${sign}${all.slice(0, end)}e${Number(exponent) - part.length + all.length - end}`;
}

const [minus, zero, nine] = [0x2d, 0x30, 0x39];
