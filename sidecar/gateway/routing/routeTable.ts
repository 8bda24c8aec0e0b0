import type { Params, Route } from './route.ts';

interface Node<R> {
  readonly words: Map<string, Node<R>>;
  parameter?: Node<R>;
  /** Rows that end here, by method. */
  readonly routes: Map<string, R>;
  /** Rows for all that is below here. */
  readonly below: Map<string, R>;
}

export interface Match<R extends Route = Route> {
  readonly route: R;
  readonly params: Params;
}

const node = <R>(): Node<R> => ({ words: new Map(), routes: new Map(), below: new Map() });

/**
 * Finds the row for a request by the decoded segments of its path: a word wins over a parameter, a parameter over `/**`, a
 * method over `ANY`. No expression is ever tried.
 */
export class RouteTable<R extends Route> {
  readonly #root = node<R>();

  /** @throws {Error} for two rows with one method and path */
  constructor(routes: readonly R[]) {
    for (const it of routes) {
      let at = this.#root;
      const names = segmentsOf(it.path);
      const isBelow = names.at(-1) === REST;
      for (const segment of isBelow ? names.slice(0, -1) : names) {
        let next = isParameter(segment) ? at.parameter : at.words.get(segment);
        if (!next) {
          next = node();
          if (isParameter(segment)) at.parameter = next;
          else at.words.set(segment, next);
        }
        at = next;
      }
      const rows = isBelow ? at.below : at.routes;
      if (rows.has(it.method)) throw new Error(`two routes for ${it.method} ${it.path}`);
      rows.set(it.method, it);
    }
  }

  /** @param pathname as it stood on the wire. @returns `undefined` also for a path that two readers could understand differently */
  find(method: string, pathname: string): Match<R> | undefined {
    if (!isPlain(pathname)) return undefined;
    const raw = segmentsOf(pathname);
    const asked = { method, pathname, raw, segments: raw.map(decodeURIComponent) };
    return found(this.#root, asked, 0);
  }
}

interface Asked {
  readonly method: string;
  readonly pathname: string;
  readonly raw: readonly string[];
  readonly segments: readonly string[];
}

function found<R extends Route>(at: Node<R>, asked: Asked, depth: number): Match<R> | undefined {
  const segment = asked.segments[depth];
  if (segment === undefined) return fitting(at.routes, asked) ?? fitting(at.below, asked);
  const word = at.words.get(segment);
  return (
    (word && found(word, asked, depth + 1)) ??
    (at.parameter && found(at.parameter, asked, depth + 1)) ??
    fitting(at.below, asked)
  );
}

function fitting<R extends Route>(rows: ReadonlyMap<string, R>, asked: Asked): Match<R> | undefined {
  for (const route of [rows.get(asked.method), rows.get('ANY')]) {
    if (!route || !isSpelled(route, asked)) continue;
    const params = paramsOf(route, asked);
    if (route.accepts?.(params) !== false) return { route, params };
  }
  return undefined;
}

function isSpelled({ path, spelled }: Route, { raw, pathname }: Asked): boolean {
  if (!spelled) return true;
  const names = segmentsOf(path);
  const first = names.findIndex((it) => isParameter(it) || it === REST);
  const root = first < 0 ? names : names.slice(0, first);
  const words = spelled === 'root' ? root : names;
  const isAsWritten = words.every((it, at) => isParameter(it) || it === REST || it === raw[at]);
  return isAsWritten && (spelled === 'root' || names.at(-1) === REST || path === '/' || !pathname.endsWith('/'));
}

function paramsOf({ path }: Route, { segments, raw, pathname }: Asked): Params {
  const params: Record<string, string> = {};
  for (const [at, name] of segmentsOf(path).entries()) {
    if (isParameter(name)) params[name.slice(1, -1)] = segments[at] ?? '';
    if (name === REST) params['rest'] = pathname.slice(raw.slice(0, at).reduce((sum, it) => sum + it.length + 1, 0));
  }
  return params;
}

const REST = '**';
const isParameter = (segment: string) => segment.startsWith('{');

/** `/mcp/` is read like `/mcp`: a redirect would lose the body. */
const segmentsOf = (path: string): readonly string[] => path.replace(/\/$/, '').split('/').slice(1);

/** Neither dot segments, doubled or encoded slashes, backslashes nor control characters, and no lone percent sign. */
function isPlain(pathname: string): boolean {
  if (!pathname.startsWith('/') || pathname.includes('//') || pathname.includes('\\')) return false;
  if (/%2f|%5c|%00/i.test(pathname)) return false;
  try {
    const decoded = decodeURIComponent(pathname);
    return !/\p{Cc}/u.test(decoded) && !decoded.split('/').some((it) => it === '.' || it === '..');
  } catch {
    return false; // a lone percent sign
  }
}
