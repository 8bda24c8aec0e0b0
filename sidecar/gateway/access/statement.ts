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
      /** The reserved word that shuts public servers out as well. */
      readonly excludesPublic?: true;
    };

export const inherit: Statement = { kind: 'inherit' };
export const all: Statement = { kind: 'all' };
export const only = (names: Iterable<string>): Statement => ({ kind: 'only', names: new Set(names) });

/** Both hold: a level that says nothing changes nothing, and no level widens another. */
export function meet(one: Statement, other: Statement): Statement {
  if (one.kind === 'inherit') return other;
  if (other.kind === 'inherit') return one;
  if (one.kind === 'all') return other;
  if (other.kind === 'all') return one;
  const names = new Set([...one.names].filter((it) => other.names.has(it)));
  const excludesPublic = one.excludesPublic ?? other.excludesPublic;
  return { kind: 'only', names, ...(excludesPublic && { excludesPublic }) };
}

/** Whether a finished statement lets `name` through; one that still inherits lets through what was asked for. */
export const lets = (statement: Statement, name: string): boolean =>
  statement.kind !== 'only' || statement.names.has(name);
