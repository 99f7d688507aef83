/** The members that a request asks for, as a tree of their names. */
import { isObject, type Json } from "../../base/json.ts";
import type { MemberPath } from "../context/compiled.ts";

/** The requested members below each member; none: all of them. */
export type MemberTree = ReadonlyMap<string, MemberTree>;

/** Returns the value with only the members at the paths, in objects and in each object of a list. */
export function membersOfJson(value: Json, paths: readonly MemberPath[]): Json {
  return jsonAt(value, treeOf(outermost(paths)));
}

function jsonAt(value: Json, tree: MemberTree): Json {
  if (Array.isArray(value)) return value.map((item: Json) => jsonAt(item, tree));
  if (tree.size === 0 || !isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      const below = tree.get(name);
      return below === undefined ? [] : [[name, jsonAt(inner as Json, below)]];
    }),
  );
}

/** Returns the paths that are not inside another one: of `a` and `a.b` only `a`, which is whole. */
export function outermost(paths: readonly MemberPath[]): readonly MemberPath[] {
  const isInside = (path: MemberPath, other: MemberPath): boolean =>
    other.length < path.length && other.every((name, index) => path[index] === name);
  return paths.filter((path) => !paths.some((other) => isInside(path, other)));
}

export function treeOf(paths: readonly MemberPath[]): MemberTree {
  const below = Map.groupBy(
    paths.filter((path) => path.length > 0),
    ([name = ""]) => name,
  );
  return new Map([...below].map(([name, found]) => [name, treeOf(found.map((path) => path.slice(1)))]));
}
