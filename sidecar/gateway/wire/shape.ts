import { foldName, shownName, snakeOf } from './fold.ts';

/** Names that are known at a place of a message, and what is known of what they hold; `null` where that is nobody's to judge. */
export interface Members {
  readonly [name: string]: Members | null;
}

/** {@link Members}, made ready for comparing. */
export interface Shape {
  readonly members: ReadonlyMap<string, Shape | null>;
  readonly byFold: ReadonlyMap<string, string>;
  readonly bySnake: ReadonlyMap<string, string>;
}

export function shapeOf(members: Members): Shape {
  const names = Object.keys(members);
  return {
    members: new Map(names.map((it) => [it, members[it] ? shapeOf(members[it]) : null])),
    byFold: new Map(names.map((it) => [foldName(it), it])),
    bySnake: new Map(names.filter((it) => snakeOf(it) !== it).map((it) => [snakeOf(it), it])),
  };
}

/** A member whose name is not a known one, and that some readers take for it. */
export interface Twin {
  readonly path: string;
  readonly known: string;
}

export type Shaped = { readonly value: unknown } | { readonly twin: Twin };

/**
 * Compares the names of a value with those that are known there, in all the lists and objects that are described.
 *
 * @param isProtobuf both `snake_case` and `camelCase` are names of a member (ProtoJSON); what comes back has the latter
 */
export function readShape(value: unknown, shape: Shape, path = '', isProtobuf = false): Shaped {
  if (Array.isArray(value)) return readList(value, shape, path, isProtobuf);
  if (typeof value !== 'object' || value === null) return { value };
  if (!isProtobuf) return readMembers(value as Readonly<Record<string, unknown>>, shape, path);
  const changed: [name: string, held: unknown][] = [];
  let isChanged = false;
  for (const [written, held] of Object.entries(value)) {
    const name = shape.bySnake.get(written) ?? written;
    const isTwice = name !== written && Object.hasOwn(value, name);
    const inside = shape.members.get(name);
    const known = isTwice ? name : inside === undefined ? twinOf(name, shape) : undefined;
    if (known !== undefined) return { twin: { path: pathOf(path, written), known } };
    const inner = inside ? readShape(held, inside, pathOf(path, written), isProtobuf) : undefined;
    if (inner && 'twin' in inner) return inner;
    const read = inner ? inner.value : held;
    changed.push([name, read]);
    isChanged ||= name !== written || read !== held;
  }
  return { value: isChanged ? Object.fromEntries(changed) : value };
}

/** Where each member has one name, nothing changes. */
function readMembers(value: Readonly<Record<string, unknown>>, shape: Shape, path: string): Shaped {
  for (const name of Object.keys(value)) {
    const inside = shape.members.get(name);
    const known = inside === undefined ? twinOf(name, shape) : undefined;
    if (known !== undefined) return { twin: { path: pathOf(path, name), known } };
    const held = value[name];
    if (!inside || typeof held !== 'object') continue;
    const inner = readShape(held, inside, pathOf(path, name));
    if ('twin' in inner) return inner;
  }
  return { value };
}

const pathOf = (path: string, name: string): string => (path === '' ? shownName(name) : `${path}.${shownName(name)}`);

function readList(list: readonly unknown[], shape: Shape, path: string, isProtobuf: boolean): Shaped {
  let isChanged = false;
  const items: unknown[] = [];
  for (const [at, item] of list.entries()) {
    const read = readShape(item, shape, `${path}.${at}`, isProtobuf);
    if ('twin' in read) return read;
    isChanged ||= read.value !== item;
    items.push(read.value);
  }
  return { value: isChanged ? items : list };
}

/** What a name that is not known is taken for by some. One with a NUL ends there for readers written in C. */
function twinOf(name: string, { byFold }: Shape): string | undefined {
  const known = byFold.get(foldName(name));
  if (known !== undefined || !name.includes('\0')) return known;
  return name.slice(0, name.indexOf('\0'));
}

/** The first name that folds to another one of the list, or to a known one that it is not. */
export function twinAmong(names: readonly string[], known: readonly string[] = []): Twin | undefined {
  const isKnown = new Set(known);
  const knownByFold = new Map(known.map((it) => [foldName(it), it]));
  const seen = new Map<string, string>();
  for (const name of names) {
    const folded = foldName(name);
    const other = seen.get(folded) ?? (isKnown.has(name) ? undefined : knownByFold.get(folded));
    if (other !== undefined) return { path: shownName(name), known: other };
    if (name.includes('\0')) return { path: shownName(name), known: name.slice(0, name.indexOf('\0')) };
    seen.set(folded, name);
  }
  return undefined;
}

export const twinWords = ({ path, known }: Twin): string =>
  `some JSON readers interpret the member '${path}' as '${shownName(known)}'`;
