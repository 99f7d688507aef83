/**
 * Reads nested names, `metadata[order]=6`, `items[0][price]=20` and `expand[]=customer`, of `application/x-www-form-urlencoded`
 * bodies (WHATWG URL) and of queries.
 */
import { fragmentTo } from "../../base/json-pointer.ts";
import { getOrMake } from "../../base/once.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import { malformed, type Violation } from "../errors/api-error.ts";
import { bodyText } from "../validation/read-body.ts";
import { type Pairs, pairsOf } from "../routing/target.ts";

/** A value in the form: texts that were sent under one name, or members by name. */
type Node = Map<string, Node> | string[];

/** The most levels of brackets, as in other parsers of such forms. */
const mostLevels = 10;

/** Returns the members of a form. */
export function readBracketedForm(bytes: Buffer): JsonObject {
  const locate = (name: string): { readonly pointer: string } => ({ pointer: fragmentTo([name]) });
  return readBrackets(pairsOf(bodyText(bytes), "&", locate), (name) => ({ ...locate(name), code: "bad-form" }));
}

/** Returns members by name: texts, lists of texts for a repeated name, and objects; a list with indexes is an object. */
export function readBrackets(pairs: Pairs, where: (name: string) => Omit<Violation, "detail">): JsonObject {
  const root = new Map<string, Node>();
  for (const [name, values] of pairs) {
    const reject = (what: string): Error => {
      const start = name.slice(0, 100);
      return malformed({ ...where(start), detail: `${start} ${what}` });
    };
    const path = pathOf(name);
    if (path.length > mostLevels) throw reject(`may have at most ${mostLevels} levels of brackets`);
    for (const value of values) put(root, path, value, reject);
  }
  return jsonOf(root) as JsonObject;
}

/** Returns the names of the objects and the member: `items[0][price]` is `items`, `0`, `price`. */
function pathOf(name: string): readonly string[] {
  const [, first = name, rest = ""] = /^([^[]+)((?:\[[^[\]]*\])+)$/.exec(name) ?? [];
  return [first, ...[...rest.matchAll(/\[([^\]]*)\]/g)].map(([, inner = ""]) => inner)];
}

function put(root: Map<string, Node>, path: readonly string[], value: string, reject: (what: string) => Error): void {
  let node = root;
  for (const [level, segment] of path.entries()) {
    // An empty name adds an item.
    const key = segment === "" ? String(node.size) : segment;
    const isLast = level === path.length - 1;
    const next = getOrMake(node, key, (): Node => (isLast ? [] : new Map()));
    if (Array.isArray(next) !== isLast) throw reject("is sent both with and without brackets");
    if (Array.isArray(next)) next.push(value);
    else node = next;
  }
}

function jsonOf(node: Node): Json {
  if (Array.isArray(node)) return node.length === 1 ? (node[0] ?? "") : node;
  return Object.fromEntries([...node].map(([name, inner]) => [name, jsonOf(inner)]));
}
