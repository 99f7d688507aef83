/** The comparison of two schemas: its changes, and what its parts share. */
import { isObject, type Json, type JsonObject } from "../base/json.ts";
import { referredName } from "./flat-schema.ts";

/** Who reads the value: the service (`request`) or its callers (`response`). */
export type Use = "request" | "response";

export type SchemaChangeKind =
  | "type" | "null" | "value" | "range" | "pattern" | "member-added" | "member-removed" | "member-required" | "other-members"
  | "alternative" | "condition" | "default" | "annotation"; // biome-ignore format: a list

export interface SchemaChange {
  /**
   * The path of the value: names of members, `*` for each item and each other member, the index in a tuple; empty for the value
   * itself.
   */
  readonly place: readonly string[];
  readonly kind: SchemaChangeKind;
  /** `narrower`: fewer values; `wider`: more values; `other`: each schema has values that the other lacks; `same`: neither. */
  readonly direction: Direction;
  /** The change as a text after the place, such as `can be null`. */
  readonly wording: string;
  /** For a removed member: the date that its `x-sunset` announced. */
  readonly sunset?: string;
}

export type Direction = "narrower" | "wider" | "other" | "same";

export interface SchemaWalk {
  readonly use: Use;
  /** The values that are texts, so that the type string accepts them: scalars in parameters and forms, all in plain text. */
  readonly texts: "none" | "scalars" | "all";
  /** Returns a named schema of the old or the new description. */
  readonly old: (name: string) => Json | undefined;
  readonly now: (name: string) => Json | undefined;
  /** Receives the names of schemas in both descriptions whose differences are at their own place. */
  readonly visit: (old: string, now: string) => void;
  /** The pairs of schemas around the current one: schemas may be recursive. */
  readonly around: readonly (readonly [old: JsonObject, now: JsonObject])[];
  /** How many more pairs of schemas the comparison looks at: nested alternatives would multiply. */
  readonly budget: { left: number };
}

export type Changes = Iterable<SchemaChange>;
export type Path = readonly string[];

/** A comparison that is inside of a schema. */
export interface InnerWalk extends SchemaWalk {
  /** Compares two schemas at a place. The parts of a comparison call it, so that no module imports the one that imports it. */
  readonly changes: (walk: SchemaWalk, old: Json, now: Json, place?: Path) => Changes;
}

/** Visits every named schema that the schema refers to and that both descriptions have. */
export function visitNames(walk: SchemaWalk, schema: Json): void {
  if (Array.isArray(schema)) for (const one of schema as readonly Json[]) visitNames(walk, one);
  else if (isObject(schema)) {
    const { $ref: reference } = schema;
    const name = typeof reference === "string" ? referredName(reference) : undefined;
    if (name !== undefined && walk.old(name) !== undefined && walk.now(name) !== undefined) walk.visit(name, name);
    for (const part of Object.values(schema)) visitNames(walk, part);
  }
}

/** Returns the direction of all changes together. */
export function overall(walk: InnerWalk, old: Json, now: Json): Direction {
  if (old === now) return "same";
  return joined([...walk.changes(walk, old, now)].map(({ direction }) => direction));
}

/** Like `overall`, for a trial: visits no named schemas, which are the same only by name. */
export function overallQuietly(walk: InnerWalk, old: Json, now: Json): Direction {
  return overall({ ...walk, visit: () => {} }, old, now);
}

export function joined(directions: readonly Direction[]): Direction {
  const all = new Set(directions.filter((direction) => direction !== "same"));
  const [only = "same"] = all;
  return all.size > 1 ? "other" : only;
}

export function conditionChange(old: Json | undefined, now: Json | undefined, what: string, place: Path): SchemaChange {
  if (old === undefined && now !== undefined)
    return { place, kind: "condition", direction: "narrower", wording: `has to match ${what}` };
  return { place, kind: "condition", direction: "wider", wording: `no longer has to match ${what}` };
}

/** Returns the texts with commas, and `and` before the last one. */
export function listText(texts: readonly string[]): string {
  return texts.length < 2 ? texts.join("") : `${texts.slice(0, -1).join(", ")} and ${texts.at(-1)}`;
}
