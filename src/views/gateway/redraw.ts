import type { GatewayNode } from './nodes.ts';

/** What the view was given: the objects by which VS Code knows its rows. */
export interface GivenRows {
  readonly roots: readonly GatewayNode[];
  /** By the id of their group; groups that nobody opened have none. */
  readonly rows: ReadonlyMap<string, readonly GatewayNode[]>;
}

/**
 * Which rows have to be drawn again. Those that differ become what they are now and stay the same objects: while a row is
 * drawn anew under another object, a click on its menu would lose what it is about.
 *
 * @returns `all` where rows came or went at the top
 */
export function redrawn(
  given: GivenRows,
  roots: readonly GatewayNode[],
  rowsOf: (group: GatewayNode) => readonly GatewayNode[],
): readonly GatewayNode[] | 'all' {
  if (!areSame(given.roots, roots)) return 'all';
  return given.roots.flatMap((root, at) => {
    const isOther = become(root, roots[at]!);
    const rows = given.rows.get(root.id);
    const next = rows && rowsOf(root);
    if (rows && next && !areSame(rows, next)) return [root];
    const changed = (rows ?? []).filter((it, place) => become(it, next![place]!));
    return isOther ? [root] : changed;
  });
}

const areSame = (before: readonly GatewayNode[], after: readonly GatewayNode[]) =>
  before.length === after.length && before.every((it, at) => it.id === after[at]?.id);

/** @returns whether it was something else before */
function become(row: GatewayNode, next: GatewayNode): boolean {
  if (JSON.stringify(row) === JSON.stringify(next)) return false;
  for (const name of Object.keys(row)) Reflect.deleteProperty(row, name);
  Object.assign(row, next);
  return true;
}
