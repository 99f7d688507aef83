/**
 * Reads `application/x-www-form-urlencoded` bodies (WHATWG URL) with nested names: `metadata[order]=6`, `items[0][price]=20`,
 * `expand[]=customer`.
 */
import { fragmentTo } from "../../base/json-pointer.ts";
import { getOrMake } from "../../base/once.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import { malformed } from "../errors/api-error.ts";
import { bodyText } from "../validation/read-body.ts";
import { pairsOf } from "../routing/target.ts";

/** A value in the form: texts that were sent under one name, or members by name. */
type Node = Map<string, Node> | string[];

/** The most levels of brackets, as in other parsers of such forms. */
const mostLevels = 10;

/** Returns the members of a form: texts, lists of texts for a repeated name, and objects; a list with indexes is an object. */
export function readBracketedForm(bytes: Buffer): JsonObject {
  const root = new Map<string, Node>();
  for (const [name, values] of pairsOf(bodyText(bytes), "&", (at) => ({ pointer: fragmentTo([at]) }))) {
    const path = pathOf(name);
    if (path.length > mostLevels) throw malformedName(name, `may have at most ${mostLevels} levels of brackets`);
    for (const value of values) put(root, path, value, name);
  }
  return jsonOf(root) as JsonObject;
}

/** Returns the names of the objects and the member: `items[0][price]` is `items`, `0`, `price`. */
function pathOf(name: string): readonly string[] {
  const [, first = name, rest = ""] = /^([^[]+)((?:\[[^[\]]*\])+)$/.exec(name) ?? [];
  return [first, ...[...rest.matchAll(/\[([^\]]*)\]/g)].map(([, inner = ""]) => inner)];
}

function put(root: Map<string, Node>, path: readonly string[], value: string, name: string): void {
  let node = root;
  for (const [level, segment] of path.entries()) {
    // An empty name adds an item.
    const key = segment === "" ? String(node.size) : segment;
    const isLast = level === path.length - 1;
    const next = getOrMake(node, key, (): Node => (isLast ? [] : new Map()));
    if (Array.isArray(next) !== isLast) throw malformedName(name, "is sent both with and without brackets");
    if (Array.isArray(next)) next.push(value);
    else node = next;
  }
}

function malformedName(name: string, what: string): Error {
  return malformed({
    pointer: fragmentTo([name.slice(0, 100)]),
    code: "bad-form",
    detail: `${name.slice(0, 100)} ${what}`,
  });
}

function jsonOf(node: Node): Json {
  if (Array.isArray(node)) return node.length === 1 ? (node[0] ?? "") : node;
  return Object.fromEntries([...node].map(([name, inner]) => [name, jsonOf(inner)]));
}
