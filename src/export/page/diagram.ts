/** Draws the states of a resource as SVG, which the page's stylesheet formats. */
import type { Lifecycle, Transition, Trigger } from "../../language/states/model.ts";
import { triggerText } from "../transitions.ts";
import { type Box, layOut, type LayoutEdge, type LayoutNode, type RoutedEdge, type Point } from "./diagram-layout.ts";
import { anchor } from "../document/content.ts";
import { html, type Html } from "../../base/html.ts";

/** The width of a character in the page's monospaced font, in pixels, with a small margin. */
const stateCharacter = 8.2;
const labelCharacter = 7.3;
const lineHeight = 16;
const boxHeight = 34;
const margin = 12;
const longestLine = 30;

type Text = readonly string[];

/** An arrow with its label; `timed` if only timers trigger the transition. */
interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly lines: Text;
  readonly timed: boolean;
}

interface Drawn {
  readonly node: LayoutNode;
  readonly kind: "state" | "start" | "any";
  readonly state: string;
  readonly loops: readonly Arrow[];
}

export function stateDiagram(resource: string, lifecycle: Lifecycle): Html {
  const arrows = arrowsOf(lifecycle);
  const drawn = nodesOf(lifecycle, arrows);
  const edges = arrows.filter(({ from, to }) => from !== to);
  const layout = layOut(
    drawn.map(({ node }) => node),
    edges.map(edgeOf),
  );
  const name = anchor("states", resource);
  const width = Math.ceil(layout.width + 2 * margin);
  const height = Math.ceil(layout.height + 2 * margin);
  return html`<div class="diagram scroll" tabindex="0" role="region" aria-label="States of ${resource}">
<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${-margin} ${-margin} ${width} ${height}" role="img" aria-labelledby="${name}-title ${name}-description">
<title id="${name}-title">The states of ${resource}</title>
<desc id="${name}-description">${description(lifecycle)}</desc>
<defs><marker id="${name}-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto-start-reverse"><path class="head" d="M0 0.5 7.5 4 0 7.5z"/></marker></defs>
${edges.map((arrow, at) => edgeSvg(arrow, layout.edges[at] as RoutedEdge, `${name}-arrow`))}
${drawn.map((one, at) => nodeSvg(one, layout.nodes[at] as Point, lifecycle, `${name}-arrow`))}
</svg></div>`;
}

// ── What there is to draw ──────────────────────────────────────────────────────────────────────────────────────────

const anyState = " any";
const startDot = " start";

function arrowsOf({ moves, start }: Lifecycle): readonly Arrow[] {
  const drawn = new Map<string, Arrow>();
  for (const transition of moves) {
    for (const from of startsOf(transition)) {
      for (const trigger of transition.triggers) {
        const timed = trigger.on.kind === "after" || trigger.on.kind === "at";
        const key = JSON.stringify([from, transition.to, timed]);
        const before = drawn.get(key)?.lines ?? [];
        drawn.set(key, { from, to: transition.to, timed, lines: [...before, ...linesOf(trigger)] });
      }
    }
  }
  const first = start === undefined ? [] : [{ from: startDot, to: start, lines: [], timed: false }];
  return [...first, ...drawn.values()];
}

function startsOf({ from }: Transition): readonly string[] {
  return from === "any" ? [anyState] : from;
}

function linesOf({ on, if: guard }: Trigger): Text {
  // Each event is on its own line, so that the diagram stays narrow.
  const label =
    on.kind === "when"
      ? triggerText(on)
          .split(" | ")
          .map((event, at) => (at === 0 ? event : `or ${event}`))
      : [triggerText(on)];
  return [...label, ...(guard === undefined ? [] : [shortened(`if ${guard}`)])];
}

function shortened(text: string): string {
  return text.length <= longestLine ? text : `${text.slice(0, longestLine - 1).trimEnd()}…`;
}

function nodesOf({ states, start, moves }: Lifecycle, arrows: readonly Arrow[]): readonly Drawn[] {
  const names = new Set([
    ...Object.keys(states),
    ...moves.flatMap(({ from, to }) => (from === "any" ? [to] : [...from, to])),
  ]);
  const boxes = [...names].map((state): Drawn => {
    const loops = arrows.filter(({ from, to }) => from === state && to === state);
    const ends = arrows.filter(({ from, to }) => (from === state) !== (to === state)).length;
    return { kind: "state", state, loops, node: boxOf(state, state, loops, ends) };
  });
  const any: readonly Drawn[] = moves.some(({ from }) => from === "any")
    ? [{ kind: "any", state: "any state", loops: [], node: { ...boxOf(anyState, "any state", [], 1) } }]
    : [];
  const dot: readonly Drawn[] =
    start === undefined
      ? []
      : [
          {
            kind: "start",
            state: "",
            loops: [],
            node: { name: startDot, width: 12, height: 12, right: 0 },
          },
        ];
  return [...dot, ...boxes, ...any];
}

/** Computes the box of a state. `ends`: the number of arrows at the box; a box with many arrows is wider. */
function boxOf(name: string, text: string, loops: readonly Arrow[], ends: number): LayoutNode {
  const lines = loops.flatMap((loop) => loop.lines);
  const right = lines.length === 0 ? 0 : loopWidth + 6 + textWidth(lines);
  return {
    name,
    width: Math.max(64, text.length * stateCharacter + 28, Math.min(ends, 10) * 18),
    height: Math.max(boxHeight, lines.length * lineHeight + 4),
    right,
  };
}

function edgeOf({ from, to, lines }: Arrow): LayoutEdge {
  if (lines.length === 0) return { from, to, width: 0, height: 0 };
  return { from, to, width: textWidth(lines) + 8, height: lines.length * lineHeight + 6 };
}

function textWidth(lines: Text): number {
  return Math.max(...lines.map((line) => [...line].length)) * labelCharacter;
}

/** Describes the states in words, for screen readers. */
function description({ start, final = [], moves }: Lifecycle): string {
  const labels = moves.map(
    ({ from, to, triggers }) =>
      `${startsOf({ from, to, triggers }).join(" or ").trim()} to ${to}: ${triggers.map(({ on }) => triggerText(on)).join(" or ")}`,
  );
  return [
    start === undefined ? "" : `Starts as ${start}.`,
    ...labels.map((stateText) => `${stateText}.`),
    final.length === 0 ? "" : `Final: ${final.join(", ")}.`,
  ]
    .filter((stateText) => stateText !== "")
    .join(" ");
}

// ── Drawing ────────────────────────────────────────────────────────────────────────────────────────────────────────

const loopWidth = 26;

function edgeSvg({ lines, timed }: Arrow, { points, label }: RoutedEdge, marker: string): Html {
  return html`<g class="move${timed ? " timed" : ""}"><path d="${pathOf(points)}" marker-end="url(#${marker})"/>${
    lines.length === 0 ? undefined : html`${rectangle(label)}${textSvg(lines, label, "middle")}`
  }</g>
`;
}

/**
 * Returns the SVG path of an arrow: a straight line between two points of one column, otherwise a curve with vertical ends.
 */
function pathOf([first, ...rest]: readonly Point[]): string {
  if (first === undefined) return "";
  let path = `M${at(first)}`;
  let before = first;
  for (const point of rest) {
    const middle = (before.y + point.y) / 2;
    path +=
      Math.abs(before.x - point.x) < 0.5
        ? `L${at(point)}`
        : `C${at({ x: before.x, y: middle })} ${at({ x: point.x, y: middle })} ${at(point)}`;
    before = point;
  }
  return path;
}

function at({ x, y }: Point): string {
  return `${round(x)} ${round(y)}`;
}

function round(number: number): number {
  return Math.round(number * 10) / 10;
}

function textSvg(lines: Text, centre: Point, anchorAt: "middle" | "start"): Html {
  const top = centre.y - ((lines.length - 1) * lineHeight) / 2;
  return html`<text class="label" text-anchor="${anchorAt}">${lines.map(
    (line, index) =>
      html`<tspan x="${round(centre.x)}" y="${round(top + index * lineHeight + 4)}"${line.startsWith("if ") ? html` class="guard"` : undefined}>${line}</tspan>`,
  )}</text>`;
}

function nodeSvg(
  { node, kind, state, loops }: Drawn,
  { x, y }: Point,
  { states, final = [] }: Lifecycle,
  marker: string,
): Html {
  if (kind === "start")
    return html`<circle class="start" cx="${round(x)}" cy="${round(y)}" r="6"/>
`;
  const ends = final.includes(state);
  const box = (inset: number) => rectangle({ ...node, x, y }, inset);
  const stateText = states[state];
  return html`<g class="state${kind === "any" ? " any" : ""}${ends ? " final" : ""}">${
    stateText === undefined || stateText === "" ? undefined : html`<title>${state}: ${stateText}</title>`
  }${box(0)}${ends ? box(3.5) : undefined}<text x="${round(x)}" y="${round(y + 4.5)}" text-anchor="middle">${state}</text>${loopSvg(loops, x + node.width / 2, y, marker)}</g>
`;
}

function rectangle({ x, y, width, height }: Box, inset = 0): Html {
  return html`<rect x="${round(x - width / 2 + inset)}" y="${round(y - height / 2 + inset)}" width="${round(width - 2 * inset)}" height="${round(height - 2 * inset)}" rx="${Math.max(4, 10 - inset)}"/>`;
}

/** Draws one loop for all self-transitions of a state; it is dashed if only timers trigger them. */
function loopSvg(loops: readonly Arrow[], x: number, y: number, marker: string): Html | undefined {
  const lines = loops.flatMap((loop) => loop.lines);
  if (lines.length === 0) return undefined;
  const out = x + loopWidth;
  const path = `M${at({ x, y: y - 8 })}C${at({ x: out, y: y - 15 })} ${at({ x: out, y: y + 15 })} ${at({ x: x + 1, y: y + 8 })}`;
  return html`<g class="move${loops.every(({ timed }) => timed) ? " timed" : ""}"><path d="${path}" marker-end="url(#${marker})"/>${textSvg(lines, { x: out, y }, "start")}</g>`;
}
