/**
 * Places states and the moves between them in layers, from the start down. Every label of a move is given room of its own
 * in a layer between two layers of states, as the states are, so that no text can lie on another one.
 *
 * The steps are those of Sugiyama: turn edges round that close a cycle, rank, order within ranks by the neighbours'
 * average, then place each layer as near to its neighbours as the room it needs allows.
 */

export interface LayoutNode {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  /** Room that it needs to its right, for the loops of self-moves. */
  readonly right: number;
  /** Stands just above what it leads to, however far down that is. */
  readonly floats: boolean;
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

export interface Layout {
  readonly width: number;
  readonly height: number;
  /** Centres, in the order of the nodes given. */
  readonly nodes: readonly Point[];
  readonly edges: readonly PlacedEdge[];
}

export interface PlacedEdge {
  /** Drawn in the direction of the move; a curve runs between two points of different height, else a line. */
  readonly runs: readonly (readonly Point[])[];
  /** The centre of the label. */
  readonly label: Point;
}

const besideNodes = 28;
const besideLines = 14;
const betweenLayers = 24;
const sweeps = 12;

/** `edges` without self-moves. */
export function layOut(nodes: readonly LayoutNode[], edges: readonly LayoutEdge[]): Layout {
  const index = new Map(nodes.map(({ name }, at) => [name, at]));
  const links = edges.map(({ from, to }) => ({ from: index.get(from) ?? 0, to: index.get(to) ?? 0 }));
  const backward = backwardLinks(nodes.length, links);
  const downward = links.map(({ from, to }, at) => (backward.has(at) ? { from: to, to: from } : { from, to }));
  const ranks = ranksOf(nodes, downward);
  const places = placesOf(nodes, edges, downward, ranks, backward);
  const layers = layersOf(places);
  orderLayers(layers);
  for (let sweep = 0; sweep < sweeps; sweep += 1) {
    for (const layer of sweep % 2 === 0 ? layers : layers.toReversed())
      placeLayer(layer, sweep % 2 === 0 ? "above" : "below");
  }
  for (const layer of layers) placeLayer(layer, "both");
  return measured(nodes, downward, places, layers, backward);
}

// ── Ranks ──────────────────────────────────────────────────────────────────────────────────────────────────────────

interface Link {
  readonly from: number;
  readonly to: number;
}

/** The links that close a cycle when the graph is walked from its first node. */
function backwardLinks(count: number, links: readonly Link[]): ReadonlySet<number> {
  const found = new Set<number>();
  const state: ("open" | "done" | undefined)[] = [];
  const visit = (node: number): void => {
    state[node] = "open";
    for (const [at, { from, to }] of links.entries()) {
      if (from !== node) continue;
      if (state[to] === "open") found.add(at);
      else if (state[to] === undefined) visit(to);
    }
    state[node] = "done";
  };
  for (let node = 0; node < count; node += 1) if (state[node] === undefined) visit(node);
  return found;
}

/** The longest way from above; what floats is moved down to just above what it leads to. */
function ranksOf(nodes: readonly LayoutNode[], links: readonly Link[]): readonly number[] {
  const ranks = nodes.map(() => 0);
  for (let changed = true; changed; ) {
    changed = false;
    for (const { from, to } of links) {
      const least = (ranks[from] ?? 0) + 1;
      if ((ranks[to] ?? 0) < least) {
        ranks[to] = least;
        changed = true;
      }
    }
  }
  return ranks.map((rank, node) => {
    const below = links.filter(({ from }) => from === node).map(({ to }) => ranks[to] ?? 0);
    return nodes[node]?.floats === true && below.length > 0 ? Math.min(...below) - 1 : rank;
  });
}

// ── Places ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A node, a label, or the line of an edge where it passes a layer. */
interface Place {
  readonly layer: number;
  readonly left: number;
  readonly right: number;
  readonly height: number;
  readonly kind: "node" | "label" | "line";
  readonly above: Place[];
  readonly below: Place[];
  x: number;
  y: number;
}

interface Places {
  readonly nodes: readonly Place[];
  /** Of each edge, from the layer below its upper end to the one above its lower end. */
  readonly chains: readonly (readonly Place[])[];
}

function placesOf(
  nodes: readonly LayoutNode[],
  edges: readonly LayoutEdge[],
  links: readonly Link[],
  ranks: readonly number[],
  backward: ReadonlySet<number>,
): Places {
  const placed = nodes.map(({ width, height, right }, at): Place => {
    const layer = 2 * (ranks[at] ?? 0);
    return { layer, left: width / 2, right: width / 2 + right, height, kind: "node", above: [], below: [], x: 0, y: 0 };
  });
  const chains = links.map(({ from, to }, at) => {
    const edge = edges[at] as LayoutEdge;
    const upper = placed[from] as Place;
    const lower = placed[to] as Place;
    // The label is near the end that the move starts from.
    const labelled = backward.has(at) ? lower.layer - 1 : upper.layer + 1;
    const chain: Place[] = [];
    for (let layer = upper.layer + 1; layer < lower.layer; layer += 1) {
      const half = layer === labelled ? edge.width / 2 : 0;
      const kind = layer === labelled && edge.width > 0 ? "label" : "line";
      chain.push({
        layer,
        left: half,
        right: half,
        height: layer === labelled ? edge.height : 0,
        kind,
        above: [],
        below: [],
        x: 0,
        y: 0,
      });
    }
    const all = [upper, ...chain, lower];
    for (let step = 0; step + 1 < all.length; step += 1) {
      (all[step] as Place).below.push(all[step + 1] as Place);
      (all[step + 1] as Place).above.push(all[step] as Place);
    }
    return chain;
  });
  return { nodes: placed, chains };
}

function layersOf({ nodes, chains }: Places): Place[][] {
  const layers: Place[][] = [];
  for (const place of [...nodes, ...chains.flat()]) (layers[place.layer] ??= []).push(place);
  return Array.from(layers, (layer) => layer ?? []);
}

// ── Order ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Sorts each layer by the average place of its neighbours, down and up, and keeps the order with the fewest crossings. */
function orderLayers(layers: Place[][]): void {
  let best = layers.map((layer) => [...layer]);
  let fewest = crossings(best);
  for (let sweep = 0; sweep < 2 * sweeps && fewest > 0; sweep += 1) {
    const down = sweep % 2 === 0;
    for (const at of down ? layers.keys() : [...layers.keys()].toReversed()) sortLayer(layers, at, down);
    const count = crossings(layers);
    if (count < fewest) {
      fewest = count;
      best = layers.map((layer) => [...layer]);
    }
  }
  for (const [at, layer] of best.entries()) layers[at] = layer;
}

function sortLayer(layers: Place[][], at: number, down: boolean): void {
  const layer = layers[at] ?? [];
  const neighbours = layers[down ? at - 1 : at + 1];
  if (neighbours === undefined) return;
  const order = new Map(neighbours.map((place, index) => [place, index]));
  const keyed = layer.map((place, index) => {
    const near = (down ? place.above : place.below).map((one) => order.get(one) ?? 0);
    return { place, key: near.length === 0 ? index : near.reduce((sum, one) => sum + one, 0) / near.length };
  });
  layers[at] = keyed.toSorted((one, other) => one.key - other.key).map(({ place }) => place);
}

function crossings(layers: readonly (readonly Place[])[]): number {
  let count = 0;
  for (const [at, layer] of layers.entries()) {
    const order = new Map((layers[at + 1] ?? []).map((place, index) => [place, index]));
    const ends = layer.flatMap((place) => place.below.map((one) => order.get(one) ?? 0).toSorted((a, b) => a - b));
    const starts = layer.flatMap((place, index) => place.below.map(() => index));
    for (let one = 0; one < ends.length; one += 1) {
      for (let other = one + 1; other < ends.length; other += 1) {
        if (starts[one] !== starts[other] && (ends[one] ?? 0) > (ends[other] ?? 0)) count += 1;
      }
    }
  }
  return count;
}

// ── Coordinates ────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Puts each place of a layer as near as possible to the average of its neighbours, in order and without overlap: least
 * squares under least distances, which is isotonic regression (pool adjacent violators).
 */
function placeLayer(layer: readonly Place[], side: "above" | "below" | "both"): void {
  const offsets: number[] = [];
  let offset = 0;
  for (const [at, place] of layer.entries()) {
    const before = layer[at - 1];
    if (before !== undefined) offset += before.right + place.left + distance(before, place);
    offsets.push(offset);
  }
  const pools: { sum: number; weight: number; from: number; to: number }[] = [];
  for (const [at, place] of layer.entries()) {
    const weight = place.kind === "node" ? 1 : 2;
    let pool = { sum: (wish(place, side) - (offsets[at] ?? 0)) * weight, weight, from: at, to: at };
    for (
      let last = pools.at(-1);
      last !== undefined && last.sum / last.weight >= pool.sum / pool.weight;
      last = pools.at(-1)
    ) {
      pools.pop();
      pool = { sum: last.sum + pool.sum, weight: last.weight + pool.weight, from: last.from, to: pool.to };
    }
    pools.push(pool);
  }
  for (const { sum, weight, from, to } of pools) {
    for (let at = from; at <= to; at += 1) (layer[at] as Place).x = sum / weight + (offsets[at] ?? 0);
  }
}

function distance(one: Place, other: Place): number {
  return one.kind === "node" || other.kind === "node" ? besideNodes : besideLines;
}

function wish(place: Place, side: "above" | "below" | "both"): number {
  const near = side === "above" ? place.above : side === "below" ? place.below : [...place.above, ...place.below];
  return near.length === 0 ? place.x : near.reduce((sum, one) => sum + one.x, 0) / near.length;
}

/** Heights, ports, lines; everything moved so that it starts at 0. */
function measured(
  nodes: readonly LayoutNode[],
  links: readonly Link[],
  places: Places,
  layers: readonly (readonly Place[])[],
  backward: ReadonlySet<number>,
): Layout {
  let bottom = 0;
  for (const layer of layers) {
    const height = Math.max(0, ...layer.map((place) => place.height));
    for (const place of layer) place.y = bottom + height / 2;
    bottom += height + betweenLayers;
  }
  const all = layers.flat();
  const left = Math.min(0, ...all.map((place) => place.x - place.left));
  for (const place of all) place.x -= left;
  const heights = layers.map((layer) => Math.max(0, ...layer.map((place) => place.height)));
  const edges = links.map(({ from, to }, at): PlacedEdge => {
    const upper = places.nodes[from] as Place;
    const lower = places.nodes[to] as Place;
    const chain = places.chains[at] ?? [];
    const start = { x: port(upper, chain[0], "below"), y: upper.y + upper.height / 2 };
    const end = { x: port(lower, chain.at(-1), "above"), y: lower.y - lower.height / 2 };
    const runs: Point[][] = [[start]];
    let label: Point = start;
    for (const place of chain) {
      const half = (place.kind === "label" ? place.height : (heights[place.layer] ?? 0)) / 2;
      const layerHalf = (heights[place.layer] ?? 0) / 2;
      // Straight through the layer, whatever else is in it, and round a label.
      runs.at(-1)?.push({ x: place.x, y: place.y - layerHalf });
      if (place.kind === "label") {
        label = { x: place.x, y: place.y };
        if (layerHalf > half) runs.at(-1)?.push({ x: place.x, y: place.y - half });
        runs.push([{ x: place.x, y: place.y + half }]);
        if (layerHalf > half) runs.at(-1)?.push({ x: place.x, y: place.y + layerHalf });
      } else runs.at(-1)?.push({ x: place.x, y: place.y + layerHalf });
    }
    runs.at(-1)?.push(end);
    return { label, runs: backward.has(at) ? runs.map((run) => run.toReversed()).toReversed() : runs };
  });
  return {
    width: Math.max(0, ...all.map((place) => place.x + place.right)),
    height: Math.max(0, bottom - betweenLayers),
    nodes: nodes.map((_, at) => ({ x: places.nodes[at]?.x ?? 0, y: places.nodes[at]?.y ?? 0 })),
    edges,
  };
}

/** Where an edge leaves or enters a node: side by side, in the order in which they go on. */
function port(node: Place, next: Place | undefined, side: "above" | "below"): number {
  const order = [...node[side]].toSorted((one, other) => one.x - other.x);
  const at = next === undefined ? 0 : order.indexOf(next);
  const room = Math.max(0, 2 * node.left - 24);
  const step = order.length < 2 ? 0 : Math.min(24, room / (order.length - 1));
  return node.x + (at - (order.length - 1) / 2) * step;
}
