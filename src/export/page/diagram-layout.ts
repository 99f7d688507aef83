/**
 * Places states and the transitions between them in layers, from the start down: dagre does, which gives the label of each
 * transition a place of its own between two layers of states. Where an arrow touches a state is decided here, because dagre
 * lets all of them point to the centre.
 */
import { Graph, layout } from "@dagrejs/dagre";

export interface LayoutNode {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  /** Space to its right, for the loops of transitions that lead to the same state. */
  readonly right: number;
}

export interface LayoutEdge {
  readonly from: string;
  readonly to: string;
  /** Of its label; 0 where it has none. */
  readonly width: number;
  readonly height: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The middle of a node or of a label, and its size. */
export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  /** Centres, in the order of the nodes given. */
  readonly nodes: readonly Point[];
  readonly edges: readonly RoutedEdge[];
}

export interface RoutedEdge {
  /** In the direction of the transition. */
  readonly points: readonly Point[];
  readonly label: Box;
}

/** Where an edge touches a node, with the next point of the edge. */
interface End {
  readonly box: Box;
  readonly next: Point;
}

/** `edges` without those that lead from a state to itself. */
export function layOut(nodes: readonly LayoutNode[], edges: readonly LayoutEdge[]): Layout {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ nodesep: 28, edgesep: 14, ranksep: 48 });
  for (const { name, width, height, right } of nodes) graph.setNode(id(name), { width: width + right, height });
  for (const [at, { from, to, width, height }] of edges.entries())
    graph.setEdge(id(from), id(to), { width, height, labelpos: "c" }, String(at));
  layout(graph);
  const boxes = new Map(
    nodes.map(({ name, width, height, right }): [string, Box] => {
      const { x, y } = graph.node(id(name)) as Point;
      return [name, { x: x - right / 2, y, width, height }];
    }),
  );
  const lines = edges.map(({ from, to, width, height }, at) => {
    const line = graph.edge(id(from), id(to), String(at)) as { readonly points: readonly Point[] };
    const inner = line.points.slice(1, -1);
    const first = inner[0] as Point;
    return {
      inner,
      label: { ...first, ...line, width, height },
      start: { box: boxes.get(from) as Box, next: first },
      end: { box: boxes.get(to) as Box, next: inner.at(-1) as Point },
    };
  });
  const ends = lines.flatMap(({ start, end }) => [start, end]);
  // What is in one layer has one middle line. An edge passes straight through a layer, however high others in it are.
  const heights = new Map<number, number>();
  for (const { y, height } of [...boxes.values(), ...lines.map(({ label }) => label)])
    heights.set(y, Math.max(height, heights.get(y) ?? 0));
  const through = ({ x, y }: Point, sign: number): readonly Point[] => {
    const half = (sign * (heights.get(y) ?? 0)) / 2;
    return [{ x, y: y - half }, { x, y: y + half }]; // biome-ignore format: two points
  };
  const { width = 0, height = 0 } = graph.graph() as Partial<Box>;
  return {
    width,
    height,
    nodes: [...boxes.values()],
    edges: lines.map(({ label, inner, start, end }) => ({
      label,
      points: [
        port(start, ends),
        ...inner.flatMap((point) => through(point, Math.sign(end.box.y - start.box.y))),
        port(end, ends),
      ],
    })),
  };
}

/** No state has a name that means something to an object, or to dagre. */
function id(name: string): string {
  return `=${name}`;
}

/** The edges at one side of a node are side by side, in the order in which they go on. */
function port({ box, next }: End, ends: readonly End[]): Point {
  const side = Math.sign(next.y - box.y);
  const order = ends
    .filter((one) => one.box === box && Math.sign(one.next.y - box.y) === side)
    .map((one) => one.next)
    .toSorted((one, other) => one.x - other.x);
  const step = order.length < 2 ? 0 : Math.min(24, Math.max(0, box.width - 24) / (order.length - 1));
  return { x: box.x + (order.indexOf(next) - (order.length - 1) / 2) * step, y: box.y + (side * box.height) / 2 };
}
