/** No state, label or loop lies on another one, whatever the moves are; and every move has its arrow. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Layout, layOut, type LayoutEdge, type LayoutNode, type RoutedEdge } from "./diagram-layout.ts";

interface Box {
  readonly what: string;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

function boxes(nodes: readonly LayoutNode[], edges: readonly LayoutEdge[], layout: Layout): readonly Box[] {
  return [
    ...nodes.map(({ name, width, height, right }, at): Box => {
      const { x, y } = layout.nodes[at] as { x: number; y: number };
      return {
        what: name,
        left: x - width / 2,
        right: x + width / 2 + right,
        top: y - height / 2,
        bottom: y + height / 2,
      };
    }),
    ...edges.flatMap(({ from, to, width, height }, at): Box[] => {
      const { x, y } = (layout.edges[at] as RoutedEdge).label;
      if (width === 0) return [];
      return [
        {
          what: `${from} -> ${to}`,
          left: x - width / 2,
          right: x + width / 2,
          top: y - height / 2,
          bottom: y + height / 2,
        },
      ];
    }),
  ];
}

function overlaps(all: readonly Box[]): readonly string[] {
  return all.flatMap((one, at) =>
    all
      .slice(at + 1)
      .filter(
        (other) =>
          one.left < other.right - 0.01 &&
          other.left < one.right - 0.01 &&
          one.top < other.bottom - 0.01 &&
          other.top < one.bottom - 0.01,
      )
      .map((other) => `${one.what} and ${other.what}`),
  );
}

const graphs = fc.integer({ min: 1, max: 20 }).chain((count) => {
  const node = fc.record({
    width: fc.integer({ min: 12, max: 160 }),
    height: fc.integer({ min: 12, max: 60 }),
    right: fc.integer({ min: 0, max: 150 }),
  });
  const end = fc.integer({ min: 0, max: count - 1 });
  return fc.record({
    nodes: fc
      .array(node, { minLength: count, maxLength: count })
      .map((nodes) => nodes.map((one, at): LayoutNode => ({ ...one, name: `s${at}` }))),
    edges: fc
      .array(
        fc.record({
          from: end,
          to: end,
          width: fc.integer({ min: 0, max: 200 }),
          height: fc.integer({ min: 1, max: 50 }),
        }),
        { maxLength: 40 },
      )
      .map((edges) =>
        edges
          .filter(({ from, to }) => from !== to)
          .map((edge): LayoutEdge => ({ ...edge, from: `s${edge.from}`, to: `s${edge.to}` })),
      ),
  });
});

test("nothing overlaps and nothing is outside, for any graph", () => {
  fc.assert(
    fc.property(graphs, ({ nodes, edges }) => {
      const layout = layOut(nodes, edges);
      const all = boxes(nodes, edges, layout);
      assert.deepEqual(overlaps(all), []);
      for (const { what, left, right, top, bottom } of all) {
        assert.ok(
          left >= -0.01 && top >= -0.01 && right <= layout.width + 0.01 && bottom <= layout.height + 0.01,
          what,
        );
      }
    }),
    { numRuns: 200 },
  );
});

test("every move runs from the edge of its first state to the edge of its second", () => {
  fc.assert(
    fc.property(graphs, ({ nodes, edges }) => {
      const layout = layOut(nodes, edges);
      for (const [at, { from, to }] of edges.entries()) {
        const points = layout.edges[at]?.points ?? [];
        for (const [name, point] of [
          [from, points[0]],
          [to, points.at(-1)],
        ] as const) {
          const index = nodes.findIndex((node) => node.name === name);
          const centre = layout.nodes[index] as { x: number; y: number };
          const node = nodes[index] as LayoutNode;
          assert.ok(point !== undefined);
          assert.ok(
            Math.abs(Math.abs(point.y - centre.y) - node.height / 2) < 0.01,
            `${from} -> ${to} touches ${name}`,
          );
          assert.ok(Math.abs(point.x - centre.x) <= node.width / 2 + 0.01, `${from} -> ${to} is at ${name}`);
        }
      }
    }),
    { numRuns: 200 },
  );
});

test("states follow one another downwards", () => {
  const plain = { width: 60, height: 30, right: 0 };
  const label = { width: 40, height: 16 };
  const nodes = ["a", "b", "c"].map((name) => ({ name, ...plain }));
  const { nodes: places } = layOut(nodes, [
    { from: "a", to: "b", ...label },
    { from: "b", to: "c", ...label },
    { from: "c", to: "a", ...label },
  ]);
  const heights = places.map(({ y }) => y);
  assert.deepEqual(
    heights,
    heights.toSorted((one, other) => one - other),
  );
});
