/**
 * Finds the cycles of a graph: returns each node on a cycle with the number of its group. Any two nodes of a group are
 * reachable from each other. One pass (Tarjan 1972), iterative, so that a deep graph overflows no stack.
 */

export function onCircles(graph: ReadonlyMap<string, readonly string[]>): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const numbers = new Map<string, number>();
  /** By node, the lowest number of a node that can be reached from it. */
  const lows = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  for (const root of graph.keys()) {
    const path = numbers.has(root) ? [] : [visit(root)];
    for (let step = path.at(-1); step !== undefined; step = path.at(-1)) {
      const next = step.rest.pop();
      if (next === undefined) {
        path.pop();
        leave(step.node);
        const before = path.at(-1);
        if (before !== undefined) lower(before.node, lows.get(step.node));
      } else if (!numbers.has(next)) path.push(visit(next));
      else if (isOpen.has(next)) lower(step.node, numbers.get(next));
    }
  }
  return found;

  function visit(node: string): { readonly node: string; readonly rest: string[] } {
    numbers.set(node, numbers.size);
    lows.set(node, numbers.size - 1);
    open.push(node);
    isOpen.add(node);
    return { node, rest: [...(graph.get(node) ?? [])] };
  }

  function lower(node: string, to = Number.POSITIVE_INFINITY): void {
    lows.set(node, Math.min(lows.get(node) ?? to, to));
  }

  /**
   * Ends the group of nodes that begins at `node`, if there is one. A group of a single node is a cycle only if the node has
   * an edge to itself.
   */
  function leave(node: string): void {
    if (lows.get(node) !== numbers.get(node)) return;
    const group = open.splice(open.lastIndexOf(node));
    for (const member of group) isOpen.delete(member);
    const isSingle = group.length === 1 && !(graph.get(node) ?? []).includes(node);
    if (!isSingle) for (const member of group) found.set(member, numbers.get(node) ?? 0);
  }
}
