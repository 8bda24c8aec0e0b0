/** The plan of one part of the sidecar. A box is a folder directly below it, or a loose file in it. */
export interface Plan {
  readonly boxes: readonly string[];
  /** `from -> to`: at least one import that is not of types alone. */
  readonly arrows: readonly string[];
}

export function planOf(part: string, imports: ReadonlyMap<string, readonly string[]>): Plan {
  const boxOf = (path: string) => (path.startsWith(`${part}/`) ? path.slice(part.length + 1).split('/')[0] : undefined);
  const boxes = new Set<string>();
  const arrows = new Set<string>();
  for (const [path, targets] of imports) {
    const from = boxOf(path);
    if (from === undefined) continue;
    boxes.add(from);
    for (const target of targets) {
      const to = boxOf(target);
      if (to !== undefined && to !== from) arrows.add(`${from} -> ${to}`);
    }
  }
  return { boxes: [...boxes].sort(), arrows: [...arrows].sort() };
}

/**
 * The floors of a plan, the lowest first: a box stands one floor above the highest box that it imports.
 * Boxes that import each other in a circle share a floor, and each arrow between two of one floor is an import up.
 */
export function floorsOf({ boxes, arrows }: Plan): { floors: string[][]; importsUp: string[] } {
  const imports = new Map(boxes.map((box) => [box, targetsOf(box, arrows)]));
  const circles = circlesOf(imports);
  const heights = new Map<string, number>();
  const heightOf = (box: string): number => {
    const known = heights.get(box);
    if (known !== undefined) return known;
    const group = circles.find((it) => it.includes(box)) ?? [box];
    const below = group.flatMap((it) => imports.get(it) ?? []).filter((it) => !group.includes(it));
    const height = below.reduce((highest, it) => Math.max(highest, heightOf(it) + 1), 0);
    for (const it of group) heights.set(it, height);
    return height;
  };
  const floors: string[][] = [];
  for (const box of boxes) {
    const height = heightOf(box);
    while (floors.length <= height) floors.push([]);
    floors[height]?.push(box);
  }
  const importsUp = arrows.filter((arrow) => {
    const [from = '', to = ''] = arrow.split(' -> ');
    return heightOf(to) >= heightOf(from);
  });
  return { floors, importsUp };
}

export function targetsOf(box: string, arrows: readonly string[]): string[] {
  return arrows.filter((it) => it.startsWith(`${box} -> `)).map((it) => it.slice(box.length + 4));
}

/** Groups of more than one node that reach each other: circles. Tarjan's algorithm. */
export function circlesOf(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const onStack = new Set<string>();
  const circles: string[][] = [];
  const visit = (node: string): void => {
    order.set(node, order.size);
    low.set(node, order.size - 1);
    stack.push(node);
    onStack.add(node);
    for (const target of imports.get(node) ?? []) {
      if (!order.has(target)) visit(target);
      if (onStack.has(target)) low.set(node, Math.min(low.get(node) ?? 0, low.get(target) ?? 0));
    }
    if (low.get(node) !== order.get(node)) return;
    const group: string[] = [];
    for (let last = stack.pop(); last !== undefined; last = stack.pop()) {
      onStack.delete(last);
      group.push(last);
      if (last === node) break;
    }
    if (group.length > 1) circles.push(group.sort());
  };
  for (const node of imports.keys()) if (!order.has(node)) visit(node);
  return circles;
}
