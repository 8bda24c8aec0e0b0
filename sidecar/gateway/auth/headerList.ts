import type { RequestHeaders } from '../../platform/httpMessages.ts';

/**
 * The two families of routes. The MCP routes use MCP's own transport and read fewer headers
 * (`gateway.route.mcp.own-authentication`).
 */
export type Surface = 'mcp' | 'rest';

/** The longest value of a header that is read. */
export const MAX_HEADER_BYTES = 8_192;

/** The one header that differs between requests that are alike. */
const LENGTH = 'content-length';

/**
 * The headers of a request, read once: repetitions are kept, in order; names are compared ignoring case. Clients send the
 * same ones again and again over a connection: those are not read again, and have one {@link alike}.
 */
export class HeaderList implements RequestHeaders {
  /** By lower-case name; without the length. */
  readonly #values: ReadonlyMap<string, string | string[]>;
  readonly #raw: readonly string[];
  readonly #length: string | undefined;
  /** The same object for all requests whose headers differ only in their length: what was made of them can be used again. */
  readonly alike: object;

  /**
   * @param raw names and values in turn, as `node:http` has them
   * @param before the list of the request before, over the same connection
   */
  constructor(raw: readonly string[], before?: HeaderList) {
    this.#raw = raw;
    if (before && !before.#values.has(LENGTH) && areAlike(before.#raw, raw)) {
      this.#values = before.#values;
      this.alike = before.alike;
      this.#length = lengthIn(raw);
      return;
    }
    const values = new Map<string, string | string[]>();
    for (let at = 0; at + 1 < raw.length; at += 2) {
      const name = (raw[at] as string).toLowerCase();
      const value = (raw[at + 1] as string).trim();
      const known = values.get(name);
      if (known === undefined) values.set(name, value);
      else if (typeof known === 'string') values.set(name, [known, value]);
      else known.push(value);
    }
    const length = values.get(LENGTH);
    if (typeof length === 'string') values.delete(LENGTH);
    this.#length = typeof length === 'string' ? length : undefined;
    this.#values = values;
    this.alike = {};
  }

  /** @param name in lower case */
  values(name: string): readonly string[] {
    const found = this.#value(name);
    if (found === undefined) return none;
    return typeof found === 'string' ? [found] : found;
  }

  /** The first value that is not empty. @param name in lower case */
  first(name: string): string | undefined {
    const found = this.#value(name);
    if (found === undefined || typeof found === 'string') return found === '' ? undefined : found;
    return found.find((it) => it !== '');
  }

  get(name: string): string | null {
    const found = this.#value(name) ?? this.#value(name.toLowerCase());
    if (found === undefined) return null;
    return typeof found === 'string' ? found : found.join(', ');
  }

  /** In lower case, each once. */
  get names(): Iterable<string> {
    return this.#length === undefined ? this.#values.keys() : [...this.#values.keys(), LENGTH];
  }

  *[Symbol.iterator](): Iterator<[string, string]> {
    for (const [name, found] of this.#values) yield [name, typeof found === 'string' ? found : found.join(', ')];
    if (this.#length !== undefined) yield [LENGTH, this.#length];
  }

  #value(name: string): string | string[] | undefined {
    return name === LENGTH && this.#length !== undefined ? this.#length : this.#values.get(name);
  }
}

const isLength = (name: string | undefined): boolean => name?.length === LENGTH.length && name.toLowerCase() === LENGTH;

/** Each name with the value that it had, in the same places; only the length may be another one. */
function areAlike(one: readonly string[], other: readonly string[]): boolean {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at += 2) {
    if (one[at] !== other[at]) return false;
    if (one[at + 1] !== other[at + 1] && !isLength(one[at])) return false;
  }
  return true;
}

function lengthIn(raw: readonly string[]): string | undefined {
  for (let at = 0; at < raw.length; at += 2) if (isLength(raw[at])) return raw[at + 1]?.trim();
  return undefined;
}

const none: readonly string[] = [];
