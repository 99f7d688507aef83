/** Finds the endpoint of a path. Paths are case-sensitive, and a trailing slash matters (R4.3). */
import { getOrMake } from "../../base/once.ts";
import { segmentText } from "../../plan/endpoints/segments.ts";
import type { Segment } from "../../plan/endpoints/types.ts";

export interface Routed<T> {
  /** The endpoint by method. */
  readonly methods: ReadonlyMap<string, T>;
  /** The path as declared: `/parcels/{parcel}`. */
  readonly template: string;
  readonly parameters: Readonly<Record<string, string>>;
}

export interface Route<T> {
  readonly method: string;
  readonly path: readonly Segment[];
  readonly target: T;
}

interface Branch<T> {
  readonly literals: Map<string, Branch<T>>;
  /** The branches of parameters with fixed text around them in the segment, longest text first. */
  readonly parts: Part<T>[];
  parameter?: Branch<T>;
  leaf?: Leaf<T>;
}

interface Part<T> {
  readonly before: string;
  readonly after: string;
  readonly branch: Branch<T>;
}

interface Leaf<T> {
  readonly methods: Map<string, T>;
  /** The names of the parameters by method, because methods may name the same segment differently. */
  readonly names: Map<string, readonly string[]>;
  readonly templates: Map<string, string>;
  /** The template for unknown methods: that of the path's first method. */
  readonly template: string;
}

/**
 * Creates a router. In each segment a literal precedes a parameter with fixed text, which precedes one without: `overdue`,
 * `{id}.json`, `{id}`. A lookup takes time proportional to the path.
 */
export function createRouter<T>(
  routes: readonly Route<T>[],
): (segments: readonly string[], method: string) => Routed<T> | undefined {
  const root: Branch<T> = emptyBranch();
  for (const route of routes) add(root, route);
  return (segments, method) => {
    const values: string[] = [];
    const leaf = find(root, segments, 0, values);
    if (leaf === undefined) return undefined;
    const like = method === "HEAD" ? "GET" : method;
    const names = leaf.names.get(like) ?? [];
    const parameters: Record<string, string> = {};
    for (const [index, name] of names.entries()) parameters[name] = values[index] as string;
    const template = leaf.templates.get(like) ?? leaf.template;
    return { methods: leaf.methods, template, parameters };
  };
}

function add<T>(root: Branch<T>, { method, path, target }: Route<T>): void {
  let branch = root;
  const names: string[] = [];
  for (const segment of path) {
    if (segment.kind === "literal") {
      branch = getOrMake(branch.literals, segment.text, () => emptyBranch<T>());
    } else {
      names.push(segment.name);
      branch = branchOf(branch, segment.before ?? "", segment.after ?? "");
    }
  }
  const template = templateOf(path);
  branch.leaf ??= { methods: new Map(), names: new Map(), templates: new Map(), template };
  branch.leaf.methods.set(method, target);
  branch.leaf.names.set(method, names);
  branch.leaf.templates.set(method, template);
}

function emptyBranch<T>(): Branch<T> {
  return { literals: new Map(), parts: [] };
}

function branchOf<T>(branch: Branch<T>, before: string, after: string): Branch<T> {
  if (before === "" && after === "") return (branch.parameter ??= emptyBranch());
  const known = branch.parts.find((part) => part.before === before && part.after === after);
  if (known !== undefined) return known.branch;
  const made: Part<T> = { before, after, branch: emptyBranch() };
  branch.parts.push(made);
  // Sorted, so that the precedence does not depend on the document's order.
  branch.parts.sort((one, other) => lengthAround(other) - lengthAround(one) || (one.before < other.before ? 1 : -1));
  return made.branch;
}

function lengthAround({ before, after }: Pick<Part<unknown>, "before" | "after">): number {
  return before.length + after.length;
}

function find<T>(branch: Branch<T>, segments: readonly string[], at: number, values: string[]): Leaf<T> | undefined {
  const segment = segments[at];
  if (segment === undefined) return branch.leaf;
  // The size is tested first, since a map lookup hashes the id even if the map is empty.
  const literal = branch.literals.size === 0 ? undefined : branch.literals.get(segment);
  if (literal !== undefined) {
    const found = find(literal, segments, at + 1, values);
    if (found !== undefined) return found;
  }
  for (const { before, after, branch: part } of branch.parts) {
    if (segment.length <= before.length + after.length) continue;
    if (!segment.startsWith(before) || !segment.endsWith(after)) continue;
    const value = segment.slice(before.length, segment.length - after.length);
    const found = findBehind(part, value, segments, at, values);
    if (found !== undefined) return found;
  }
  if (branch.parameter === undefined || segment === "") return undefined;
  return findBehind(branch.parameter, segment, segments, at, values);
}

function findBehind<T>(
  branch: Branch<T>,
  value: string,
  segments: readonly string[],
  at: number,
  values: string[],
): Leaf<T> | undefined {
  values.push(value);
  const found = find(branch, segments, at + 1, values);
  if (found === undefined) values.pop();
  return found;
}

export function templateOf(path: readonly Segment[]): string {
  return path.map((segment) => `/${segmentText(segment)}`).join("") || "/";
}

/** Returns the literal segments of a path. */
export function literalPath(path: string): Segment[] {
  return path
    .split("/")
    .filter((text) => text !== "")
    .map((text) => ({ kind: "literal", text }));
}
