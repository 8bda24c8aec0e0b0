import { Fault } from '../../platform/faults.ts';
import type { Route } from './route.ts';

interface Node {
  readonly literals: Map<string, Node>;
  parameter?: Node;
  readonly routes: Map<string, Route>;
}
export interface Found {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}
const node = (): Node => ({ literals: new Map(), routes: new Map() });

/** Finds the row for a path by its decoded segments: a word wins over a parameter, and no expression is ever tried. */
export class RouteTable {
  readonly #root = node();

  /** @throws {Error} for two rows with one method and path */
  constructor(routes: readonly Route[]) {
    for (const it of routes) {
      let at = this.#root;
      for (const segment of it.path.split('/').slice(1)) {
        let next = segment.startsWith('{') ? at.parameter : at.literals.get(segment);
        if (!next) {
          next = node();
          if (segment.startsWith('{')) at.parameter = next;
          else at.literals.set(segment, next);
        }
        at = next;
      }
      if (at.routes.has(it.method)) throw new Error(`two routes for ${it.method} ${it.path}`);
      at.routes.set(it.method, it);
    }
  }

  /** @throws {Fault} `invalid_params` for a path below a known word whose segments hide a slash or are not decodable */
  find(method: string, pathname: string): Found | undefined {
    const raw = pathname.replace(/\/$/, '').split('/').slice(1);
    if (raw.length === 0 || raw.includes('') || !this.#root.literals.has(raw[0]!)) return undefined;
    const segments = raw.map(decoded);
    const found = walk(this.#root, method, segments, 0);
    if (!found) return undefined;
    const names = found.path.split('/').slice(1);
    const params = names.flatMap((it, at) => (it.startsWith('{') ? [[it.slice(1, -1), segments[at]!] as const] : []));
    return { route: found, params: Object.fromEntries(params) };
  }
}

function walk(at: Node, method: string, segments: readonly string[], depth: number): Route | undefined {
  const segment = segments[depth];
  if (segment === undefined) return at.routes.get(method);
  const literal = at.literals.get(segment);
  const found = literal && walk(literal, method, segments, depth + 1);
  return found ?? (at.parameter && walk(at.parameter, method, segments, depth + 1));
}

function decoded(segment: string): string {
  let text: string;
  try {
    text = decodeURIComponent(segment);
  } catch {
    throw refused();
  }
  if (/[/\\\p{Cc}]/u.test(text) || text === '.' || text === '..') throw refused();
  return text;
}

const refused = () => new Fault('invalid_params', 'The path cannot be read.', { data: { field: 'path' } });
