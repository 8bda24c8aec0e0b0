import { isPlain } from './plainPath.ts';
import type { Params, Route } from './route.ts';

/** A row with what its path says, read once. */
interface Row<R> {
  readonly route: R;
  readonly names: readonly string[];
  /** How many of them a request has to write as they stand here. */
  readonly spelled: number;
}

interface Node<R> {
  readonly words: Map<string, Node<R>>;
  /** By the suffix after them in their segment, such as `:generateContent` or an empty one. The longest comes first. */
  readonly parameters: [suffix: string, node: Node<R>][];
  /** Rows that end here, by method. */
  readonly routes: Map<string, Row<R>>;
  /** Rows for all that is below here. */
  readonly below: Map<string, Row<R>>;
}

export interface Match<R extends Route = Route> {
  readonly route: R;
  readonly params: Params;
}

/** Rows that are not loaded before the first request for an address of theirs. */
export interface RoutesOnUse<R extends Route> {
  /** Templates that together fit every address of the rows. `/**` at the end is everything that follows, or nothing. */
  readonly paths: readonly string[];
  load(): Promise<readonly R[]>;
}

/** A template of rows that are not loaded. */
interface Waiting {
  readonly names: readonly string[];
  readonly isBelow: boolean;
  /** Loads the rows, once for all who ask. */
  readonly load: () => Promise<void>;
}

const node = <R>(): Node<R> => ({ words: new Map(), parameters: [], routes: new Map(), below: new Map() });

/**
 * Finds the row for a request by the decoded segments of its path: a word wins over a parameter, a parameter over `/**`, a
 * method over `ANY`. No expression is ever tried.
 */
export class RouteTable<R extends Route> {
  readonly #root = node<R>();
  /** By the first word of the path: most requests are for words that nothing waits for. */
  readonly #waiting = new Map<string, Waiting[]>();

  /** @throws {Error} for two rows with one method and path */
  constructor(routes: readonly R[], later: readonly RoutesOnUse<R>[] = []) {
    for (const it of routes) this.#add(it);
    for (const it of later) this.#await(it);
  }

  #add(route: R): void {
    let at = this.#root;
    const names = segmentsOf(route.path);
    const isBelow = names.at(-1) === REST;
    for (const segment of isBelow ? names.slice(0, -1) : names) {
      at = isParameter(segment) ? parameterOf(at, suffixOf(segment)) : wordOf(at, segment);
    }
    const rows = isBelow ? at.below : at.routes;
    if (rows.has(route.method)) throw new Error(`two routes for ${route.method} ${route.path}`);
    rows.set(route.method, { route, names, spelled: spelledOf(route, names) });
  }

  #await({ paths, load }: RoutesOnUse<R>): void {
    let loading: Promise<void> | undefined;
    const loaded = async () => {
      for (const it of await load()) this.#add(it);
      for (const [word, all] of this.#waiting) {
        const left = all.filter((it) => it.load !== once);
        if (left.length > 0) this.#waiting.set(word, left);
        else this.#waiting.delete(word);
      }
    };
    const once = () =>
      (loading ??= loaded().catch((thrown: unknown) => {
        loading = undefined; // the next request tries it again
        throw thrown;
      }));
    for (const path of paths) {
      const names = segmentsOf(path);
      const isBelow = names.at(-1) === REST;
      const [word = ''] = names;
      const waiting = { names: isBelow ? names.slice(0, -1) : names, isBelow, load: once };
      this.#waiting.set(word, [...(this.#waiting.get(word) ?? []), waiting]);
    }
  }

  /**
   * Rows that {@link find} needs first for this path, and that are not there yet.
   *
   * @returns `undefined` where nothing has to be waited for
   */
  loading(pathname: string): Promise<unknown> | undefined {
    if (this.#waiting.size === 0 || !isPlain(pathname)) return undefined;
    const { segments } = segmentsRead(pathname);
    const waiting = this.#waiting.get(segments[0] ?? '')?.filter((it) => isOn(it, segments));
    return waiting?.length ? Promise.all(waiting.map((it) => it.load())) : undefined;
  }

  /** @param pathname as it stood on the wire. @returns `undefined` also for a path that two readers could understand differently */
  find(method: string, pathname: string): Match<R> | undefined {
    if (!isPlain(pathname)) return undefined;
    return found(this.#root, { method, pathname, ...segmentsRead(pathname) }, 0);
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
  const match = word && found(word, asked, depth + 1);
  if (match) return match;
  for (const [suffix, node] of at.parameters) {
    const fits = suffix === '' || (segment.endsWith(suffix) && segment.length > suffix.length);
    const match = fits ? found(node, asked, depth + 1) : undefined;
    if (match) return match;
  }
  return fitting(at.below, asked);
}

function wordOf<R>({ words }: Node<R>, segment: string): Node<R> {
  const known = words.get(segment) ?? node();
  words.set(segment, known);
  return known;
}

function parameterOf<R>({ parameters }: Node<R>, suffix: string): Node<R> {
  const known = parameters.find(([it]) => it === suffix)?.[1];
  if (known) return known;
  const added = node<R>();
  parameters.push([suffix, added]);
  parameters.sort(([one], [other]) => other.length - one.length);
  return added;
}

function fitting<R extends Route>(rows: ReadonlyMap<string, Row<R>>, asked: Asked): Match<R> | undefined {
  if (rows.size === 0) return undefined;
  return matchOf(rows.get(asked.method), asked) ?? matchOf(rows.get('ANY'), asked);
}

function matchOf<R extends Route>(row: Row<R> | undefined, asked: Asked): Match<R> | undefined {
  if (!row || !isSpelled(row, asked)) return undefined;
  const { route } = row;
  const params = paramsOf(row, asked);
  return route.accepts?.(params) === false ? undefined : { route, params };
}

function isSpelled<R extends Route>({ route, names, spelled }: Row<R>, { raw, pathname }: Asked): boolean {
  if (!route.spelled) return true;
  for (let at = 0; at < spelled; at += 1) {
    const name = names[at] ?? '';
    if (name !== raw[at] && !isParameter(name) && name !== REST) return false;
  }
  return route.spelled === 'root' || names.at(-1) === REST || route.path === '/' || !pathname.endsWith('/');
}

function spelledOf({ spelled }: Route, names: readonly string[]): number {
  const first = names.findIndex((it) => isParameter(it) || it === REST);
  return spelled === 'root' && first >= 0 ? first : names.length;
}

function paramsOf<R>({ names }: Row<R>, { segments, raw, pathname }: Asked): Params {
  const params: Record<string, string> = {};
  for (let at = 0; at < names.length; at += 1) {
    const name = names[at] ?? '';
    if (isParameter(name)) {
      const { length } = suffixOf(name);
      const segment = segments[at] ?? '';
      params[name.slice(1, name.indexOf('}'))] = length === 0 ? segment : segment.slice(0, -length);
    }
    if (name === REST) params['rest'] = pathname.slice(raw.slice(0, at).reduce((sum, it) => sum + it.length + 1, 0));
  }
  return params;
}

const REST = '**';
const isParameter = (segment: string) => segment.startsWith('{');
const suffixOf = (segment: string) => segment.slice(segment.indexOf('}') + 1);

const isOn = ({ names, isBelow }: Waiting, segments: readonly string[]): boolean =>
  (isBelow ? segments.length >= names.length : segments.length === names.length) &&
  names.every((it, at) => it === segments[at] || isParameter(it));

/** As they stood on the wire, and decoded. @param pathname a plain one */
function segmentsRead(pathname: string) {
  const raw = segmentsOf(pathname);
  return { raw, segments: pathname.includes('%') ? raw.map(decodeURIComponent) : raw };
}

/** `/mcp/` is read like `/mcp`: a redirect would lose the body. */
function segmentsOf(path: string): readonly string[] {
  const segments = path.split('/').slice(1);
  return segments.at(-1) === '' ? segments.slice(0, -1) : segments;
}
