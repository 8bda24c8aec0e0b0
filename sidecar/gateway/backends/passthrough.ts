import { mayBeForwarded } from './headerNames.ts';

export type Surface = 'mcp' | 'a2a';

/** Who can be addressed by a per-user header, with the names to try in their order: alias then name; id then name. */
export interface Addressee {
  readonly id: string;
  readonly names: readonly (string | null | undefined)[];
}

/** These begin like per-user headers and are the gateway's own. */
const reserved: ReadonlySet<string> = new Set([
  'x-mcp-servers',
  'x-mcp-access-groups',
  'x-mcp-auth',
  'x-mcp-toolset-id',
  'x-mcp-channel-token',
]);

/**
 * Finds the backend that a header `x-mcp-{alias}-{header}` or `x-a2a-{name or id}-{header}` is for. The longest
 * registered name wins, so that names may hold hyphens; of two backends with the same word, the one whose first name it
 * is. Built once for all registrations.
 */
export class PassthroughIndex {
  readonly #prefix: string;
  readonly #owners = new Map<string, string>();
  readonly #longest: number;

  constructor(surface: Surface, registered: readonly Addressee[]) {
    this.#prefix = `x-${surface}-`;
    const ranks = Math.max(0, ...registered.map((it) => it.names.length));
    for (let rank = 0; rank < ranks; rank += 1) {
      for (const { id, names } of registered) this.#add(names[rank], id);
    }
    this.#longest = Math.max(0, ...[...this.#owners.keys()].map((it) => it.length));
  }

  #add(name: string | null | undefined, id: string): void {
    if (!name) return;
    const word = name.toLowerCase();
    for (const spelling of new Set([word, word.replaceAll(' ', '_')])) {
      if (!this.#owners.has(spelling)) this.#owners.set(spelling, id);
    }
  }

  /** The backend and the header's own name; undefined for every other header. @param name lower case */
  match(name: string): { readonly id: string; readonly header: string } | undefined {
    if (!name.startsWith(this.#prefix) || reserved.has(name) || name.startsWith('x-mcp-debug-')) return undefined;
    const rest = name.slice(this.#prefix.length);
    for (let end = Math.min(this.#longest, rest.length - 2); end > 0; end -= 1) {
      if (rest[end] !== '-') continue;
      const id = this.#owners.get(rest.slice(0, end));
      if (id !== undefined) return { id, header: rest.slice(end + 1) };
    }
    return undefined;
  }

  /** The per-user headers for one backend, under their own names. What may not be forwarded is left out. */
  headersFor(id: string, inbound: Iterable<readonly [string, string]>): (readonly [name: string, value: string])[] {
    const found: (readonly [string, string])[] = [];
    for (const [name, value] of inbound) {
      if (!name.startsWith(this.#prefix)) continue;
      const match = this.match(name);
      if (match?.id === id && mayBeForwarded(match.header)) found.push([match.header, value]);
    }
    return found;
  }
}
