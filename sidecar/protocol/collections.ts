/** For the last case of a switch: the compiler proves that nothing comes here. */
export function assertNever(value: never): never {
  throw new Error(`not handled: ${JSON.stringify(value)}`);
}

/** Replaces the first item with the same key in place, or appends. `items` itself when it holds an equal one already. */
export function upsertBy<T>(items: T[], item: T, key: (item: T) => unknown): T[] {
  const at = items.findIndex((it) => key(it) === key(item));
  if (at < 0) return [...items, item];
  return sameJson(items[at], item) ? items : items.with(at, item);
}

/** `items` itself when nothing matches. */
export function removeWhere<T>(items: T[], matches: (item: T) => boolean): T[] {
  const kept = items.filter((it) => !matches(it));
  return kept.length === items.length ? items : kept;
}

/** A copy without `keys`: a cleared field is an absent key, never `null` or `undefined`. */
export function without<T extends object, K extends keyof T>(value: T, ...keys: readonly K[]): Omit<T, K> {
  const copy = { ...value };
  for (const key of keys) delete copy[key];
  return copy;
}

/** Sets `key`, or clears it when `value` is absent. Answers `state` itself when nothing differs. */
export function setOrClear<T extends object, K extends keyof T>(state: T, key: K, value: T[K] | undefined): T {
  if (value !== undefined) return sameJson(state[key], value) ? state : { ...state, [key]: value };
  return Object.hasOwn(state, key) ? (without(state, key) as T) : state;
}

/** Equal as JSON values; the order of keys does not matter, and an absent key equals `undefined`. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((it, at) => sameJson(it, b[at]));
  }
  const left = a as Record<string, unknown>;
  const right = b as Record<string, unknown>;
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].every((key) => sameJson(left[key], right[key]));
}
