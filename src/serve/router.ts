/** From a request target to what serves it. Paths are case-sensitive, without a trailing-slash alias (R4.3). */
import type { Segment } from "../plan/plan.ts";

export interface Routed<T> {
  /** What each method of this path runs. */
  readonly methods: ReadonlyMap<string, T>;
  /** The path as it was declared: `/parcels/{parcel}`. */
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
  parameter?: Branch<T>;
  leaf?: Leaf<T>;
}

interface Leaf<T> {
  readonly methods: Map<string, T>;
  /** By method, since two methods may name the same segment differently. */
  readonly names: Map<string, readonly string[]>;
  readonly templates: Map<string, string>;
  /** For a method that the path does not have: that of its first one. */
  readonly template: string;
}

/** A literal segment wins over a parameter at the same place. The cost of a look-up is the path's own length. */
export function createRouter<T>(
  routes: readonly Route<T>[],
): (segments: readonly string[], method: string) => Routed<T> | undefined {
  const root: Branch<T> = { literals: new Map() };
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
      let next = branch.literals.get(segment.text);
      if (next === undefined) {
        next = { literals: new Map() };
        branch.literals.set(segment.text, next);
      }
      branch = next;
    } else {
      names.push(segment.name);
      branch = branch.parameter ??= { literals: new Map() };
    }
  }
  const template = templateOf(path);
  branch.leaf ??= { methods: new Map(), names: new Map(), templates: new Map(), template };
  branch.leaf.methods.set(method, target);
  branch.leaf.names.set(method, names);
  branch.leaf.templates.set(method, template);
}

function find<T>(branch: Branch<T>, segments: readonly string[], at: number, values: string[]): Leaf<T> | undefined {
  const segment = segments[at];
  if (segment === undefined) return branch.leaf;
  // A map looks an id up among all texts of the process, even where it holds nothing.
  const literal = branch.literals.size === 0 ? undefined : branch.literals.get(segment);
  if (literal !== undefined) {
    const found = find(literal, segments, at + 1, values);
    if (found !== undefined) return found;
  }
  if (branch.parameter === undefined || segment === "") return undefined;
  values.push(segment);
  const found = find(branch.parameter, segments, at + 1, values);
  if (found === undefined) values.pop();
  return found;
}

function templateOf(path: readonly Segment[]): string {
  return (
    path.map((segment) => (segment.kind === "literal" ? `/${segment.text}` : `/{${segment.name}}`)).join("") || "/"
  );
}

/** The path of a template's segments, for a mount point before them. */
export function literalPath(path: string): Segment[] {
  return path
    .split("/")
    .filter((text) => text !== "")
    .map((text) => ({ kind: "literal", text }));
}
