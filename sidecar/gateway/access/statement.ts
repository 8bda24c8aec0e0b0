/**
 * What one level (key, team, end user, agent, organisation) says about one kind of thing. It is never a bare list,
 * which cannot tell "says nothing" from "allows nothing".
 */
export type Statement =
  | { readonly kind: 'inherit' }
  | { readonly kind: 'all' }
  | {
      readonly kind: 'only';
      readonly names: ReadonlySet<string>;
      /** Every name that starts with one of these is allowed too. Used only for models. */
      readonly prefixes?: readonly string[];
      /** The reserved word that shuts public servers out as well. */
      readonly excludesPublic?: true;
    };

export const inherit: Statement = { kind: 'inherit' };
export const all: Statement = { kind: 'all' };
export const only = (names: Iterable<string>): Statement => ({ kind: 'only', names: new Set(names) });

/** Names of models. A name that ends in `*` stands for all names with that prefix. */
export function onlyModels(names: readonly string[]): Statement {
  const prefixes = names.filter(isPattern).map(prefixOf);
  const plain = new Set(names.filter((it) => !isPattern(it)));
  return { kind: 'only', names: plain, ...(prefixes.length > 0 && { prefixes }) };
}
export const isPattern = (name: string): boolean => name.endsWith('*');
export const prefixOf = (pattern: string): string => pattern.slice(0, -1);

/** Both hold: a level that says nothing changes nothing, and no level widens another. */
export function meet(one: Statement, other: Statement): Statement {
  if (one.kind === 'inherit') return other;
  if (other.kind === 'inherit') return one;
  if (one.kind === 'all') return other;
  if (other.kind === 'all') return one;
  const names = [...one.names, ...other.names].filter((it) => lets(one, it) && lets(other, it));
  const prefixes = [...(one.prefixes ?? []), ...(other.prefixes ?? [])].filter(
    (it) => letsAll(one, it) && letsAll(other, it),
  );
  const excludesPublic = one.excludesPublic ?? other.excludesPublic;
  return {
    kind: 'only',
    names: new Set(names),
    ...(prefixes.length > 0 && { prefixes: [...new Set(prefixes)] }),
    ...(excludesPublic && { excludesPublic }),
  };
}

/** Whether a finished statement lets `name` through; one that still inherits lets through what was asked for. */
export const lets = (statement: Statement, name: string): boolean =>
  statement.kind !== 'only' || statement.names.has(name) || letsAll(statement, name);

/** Whether it lets through everything that starts with `prefix`. */
export const letsAll = (statement: Statement, prefix: string): boolean =>
  statement.kind !== 'only' || (statement.prefixes?.some((it) => prefix.startsWith(it)) ?? false);
