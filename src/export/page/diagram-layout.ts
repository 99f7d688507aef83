/**
 * Places states and transitions in layers, from the initial state down. dagre computes the layout, with each transition's
 * label between two layers of states. This file computes where an arrow touches a state, because dagre points all arrows to
 * the centre.
 */
import { Graph, layout } from "@dagrejs/dagre";

export interface LayoutNode {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  /** Space on the right of the node for the loop of its self-transitions. */
  readonly right: number;
}

export interface LayoutEdge {
  readonly from: string;
  readonly to: string;
  /** The label's width; 0 without a label. */
  readonly width: number;
  readonly height: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The centre and the size of a node or a label. */
export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  /** The centres of the nodes, in the order of the input. */
  readonly nodes: readonly Point[];
  readonly edges: readonly RoutedEdge[];
}

export interface RoutedEdge {
  /** The points of the arrow, from the source state to the target state. */
  readonly points: readonly Point[];
  readonly label: Box;
}

/** The end of an edge at a node, and the next point of the edge. */
interface End {
  readonly box: Box;
  readonly next: Point;
}

/** Computes the layout. `edges` must not contain self-transitions. */
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
  // The height of each layer, by its centre line, which all of its boxes share. An edge crosses a layer straight, over the
  // height of its highest box.
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

/** Returns an id for dagre. The prefix distinguishes it from special names of JavaScript and dagre. */
function id(name: string): string {
  return `=${name}`;
}

/** Returns where an edge touches a node: the edges at one side are spread evenly, sorted by their next point. */
function port({ box, next }: End, ends: readonly End[]): Point {
  const side = Math.sign(next.y - box.y);
  const order = ends
    .filter((one) => one.box === box && Math.sign(one.next.y - box.y) === side)
    .map((one) => one.next)
    .toSorted((one, other) => one.x - other.x);
  const step = order.length < 2 ? 0 : Math.min(24, Math.max(0, box.width - 24) / (order.length - 1));
  return { x: box.x + (order.indexOf(next) - (order.length - 1) / 2) * step, y: box.y + (side * box.height) / 2 };
}
