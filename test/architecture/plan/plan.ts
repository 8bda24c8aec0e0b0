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
