import type { RequestHeaders } from '../../platform/httpMessages.ts';

/**
 * The two families of routes. The MCP routes use MCP's own transport and read fewer headers
 * (`gateway.route.mcp.own-authentication`).
 */
export type Surface = 'mcp' | 'rest';

/** The longest value of a header that is read. */
export const MAX_HEADER_BYTES = 8_192;

/** The headers of a request, read once: repetitions are kept, in order; names are compared ignoring case. */
export class HeaderList implements RequestHeaders {
  /** By lower-case name. */
  readonly #values = new Map<string, string | string[]>();

  /** @param raw names and values in turn, as `node:http` has them */
  constructor(raw: readonly string[]) {
    for (let at = 0; at + 1 < raw.length; at += 2) {
      const name = (raw[at] as string).toLowerCase();
      const value = (raw[at + 1] as string).trim();
      const before = this.#values.get(name);
      if (before === undefined) this.#values.set(name, value);
      else if (typeof before === 'string') this.#values.set(name, [before, value]);
      else before.push(value);
    }
  }

  /** @param name in lower case */
  values(name: string): readonly string[] {
    const found = this.#values.get(name);
    if (found === undefined) return none;
    return typeof found === 'string' ? [found] : found;
  }

  /** The first value that is not empty. @param name in lower case */
  first(name: string): string | undefined {
    const found = this.#values.get(name);
    if (found === undefined || typeof found === 'string') return found === '' ? undefined : found;
    return found.find((it) => it !== '');
  }

  get(name: string): string | null {
    const found = this.#values.get(name) ?? this.#values.get(name.toLowerCase());
    if (found === undefined) return null;
    return typeof found === 'string' ? found : found.join(', ');
  }

  /** In lower case, each once. */
  get names(): Iterable<string> {
    return this.#values.keys();
  }

  *[Symbol.iterator](): Iterator<[string, string]> {
    for (const [name, found] of this.#values) yield [name, typeof found === 'string' ? found : found.join(', ')];
  }
}

const none: readonly string[] = [];
