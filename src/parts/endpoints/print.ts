/** Part 4, printed: the canonical, shortest form; reading it gives the same part. */
import type { Tree } from "../../document/print.ts";
import { type Below, nothingBelow } from "../grammar/grammar.ts";
import { printFields } from "../resources/field-print.ts";
import { own } from "../resources/fields.ts";
import type { Fields } from "../resources/model.ts";
import { printDeed, printStatuses } from "./deed-print.ts";
import type { Choice, EditStyle, Endpoint, Endpoints, ListStyle, RepeatStyle } from "./model.ts";
import { printCors } from "./cors.ts";
import { printWire } from "./wire-print.ts";

export function printEndpoints(part: Endpoints, below: Below = nothingBelow): Tree {
  const { base, lists, edits, repeats, wrap, cors, endpoints } = part;
  const lines = Object.entries(endpoints).map(([operation, endpoint]): [string, Tree] => [
    operation,
    printEndpoint(endpoint, (...path) => below("endpoints", operation, ...path)),
  ]);
  return {
    ...(base === undefined ? {} : { base }),
    ...(lists === undefined ? {} : { lists: printLists(lists, below("lists")) }),
    ...(edits === undefined ? {} : { edits: printEdits(edits) }),
    ...(repeats === undefined ? {} : { repeats: printRepeats(repeats, below("repeats")) }),
    ...(wrap === undefined ? {} : { wrap: { ...wrap } }),
    ...(cors === undefined ? {} : { cors: printCors(cors) }),
    ...(lines.length === 0 ? {} : { endpoints: Object.fromEntries(lines) }),
  };
}

function printLists(style: ListStyle, map: boolean): Tree {
  const { kind, size, max, bare, names } = style;
  if (map || names !== undefined)
    return {
      kind,
      ...(size === undefined ? {} : { size: String(size) }),
      ...(max === undefined ? {} : { max: String(max) }),
      ...(bare === undefined ? {} : { bare: "true" }),
      ...(names === undefined ? {} : { names: { ...names } }),
    };
  return [
    kind,
    ...(size === undefined ? [] : [`${size} per page`]),
    ...(max === undefined ? [] : [`at most ${max}`]),
    ...(bare === undefined ? [] : ["bare array"]),
  ].join(", ");
}

function printEdits(style: EditStyle): string {
  return style === "none" ? "none" : `If-Match ${style}`;
}

function printRepeats(style: RepeatStyle | "none", map: boolean): Tree {
  if (style === "none") return "none";
  const { header, on, required, kept } = style;
  if (map) return { header, on, ...(required ? { required: "true" } : {}), ...(kept === undefined ? {} : { kept }) };
  return `${header} ${required ? "required " : ""}on every ${on}${kept === undefined ? "" : `, kept ${kept}`}`;
}

function printEndpoint(endpoint: Endpoint, below: Below): Tree {
  const { method, path, of, does, takes, within = {}, takesView, gives, shape, choose, lists, where, wire } = endpoint;
  const at = `${method} ${path}`;
  const members: Tree = {
    ...(of === undefined ? {} : { of }),
    ...(does === undefined ? {} : { does }),
    ...(takes === undefined ? {} : { takes: orNone(printTaken(takes, within, below)) }),
    ...(takesView === undefined ? {} : { takes: takesView }),
    ...(gives === undefined ? {} : { gives }),
    ...(shape === undefined ? {} : { gives: orNone(printFields(shape, (...rest) => below("gives", ...rest))) }),
    ...(choose === undefined
      ? {}
      : { choose: orNone(Object.fromEntries(Object.entries(choose).map(([name, one]) => [name, printChoice(one)]))) }),
    ...printStatuses(endpoint, below("status")),
    ...(lists === undefined ? {} : { lists: printLists(lists, below("lists")) }),
    ...(where === undefined ? {} : { where }),
    ...(wire === undefined ? {} : { wire: printWire(wire) }),
    ...printDeed(endpoint, below),
  };
  return Object.keys(members).length === 0 && !below() ? at : { at, ...members };
}

/** Each field below the objects around it. */
function printTaken(takes: Fields, within: NonNullable<Endpoint["within"]>, below: Below): Record<string, Tree> {
  const top: Record<string, Tree> = {};
  for (const [name, field] of Object.entries(takes)) {
    let here = top;
    for (const around of own(within, name) ?? []) here = (here[around] ??= {}) as Record<string, Tree>;
    Object.assign(
      here,
      printFields({ [name]: field }, (...rest) => below("takes", ...rest)),
    );
  }
  return top;
}

function orNone(tree: Readonly<Record<string, Tree>>): Tree {
  return Object.keys(tree).length === 0 ? "none" : tree;
}

function printChoice(choice: Choice): Tree {
  return { from: choice.from, ...(choice.if === undefined ? {} : { if: choice.if }), else: choice.else };
}
