/**
 * What the plan says of versions: how a caller's is found, what each older one looks like, and how what is said in one is
 * said in the next. Nothing here runs an older version: its own plan only says what its callers may send and are given.
 */
import type { Json, JsonObject } from "../../base/json.ts";
import type { TypedExpression } from "../../expression/typed.ts";
import type { VersionResponse, VersionLocation } from "../../language/versioning/model.ts";
import type { Operation } from "../endpoints/types.ts";
import type { Plan } from "../plan.ts";
import type { VersionStep } from "./types.ts";

/** Part 9 of the plan. */
export interface VersioningPart {
  /** This version's name, where the document has versions. */
  readonly version?: string;
  /** The changes of stored data from one version to the next, newest first; every version is listed, also one without changes. */
  readonly history: readonly VersionStep[];
  /** The document's versions, this one first; only of the newest. */
  readonly versions?: VersionsPlan;
}

export type { VersionLocation };

export interface VersionsPlan {
  /** How the names of versions look. */
  readonly scheme: "dated" | "numbered";
  /** Where callers send the version; absent: nowhere. */
  readonly sent?: VersionLocation;
  readonly absent: "pinned" | "newest" | "oldest" | "refuse";
  /** The answer after a sunset. */
  readonly removed: VersionResponse;
  /** The answer to a version that there is not, and to none where one has to be said; absent: 400 `invalid-request`. */
  readonly unknown?: VersionResponse;
  /** Newest first, never empty. */
  readonly list: readonly VersionPlan[];
}

export interface VersionPlan {
  readonly name: string;
  /** Epoch milliseconds. From `sunset` on it is not served. */
  readonly deprecated?: { readonly since?: number; readonly sunset?: number; readonly guide?: string };
  /** Absent for the newest. */
  readonly older?: OlderPlan;
}

export interface OlderPlan {
  /** The API as this version's callers know it: paths, what may be sent, what is given, errors. */
  readonly received: Plan;
  /**
   * The operations that are run for them, by the names of the newest version and on its tables, at this version's paths;
   * those only that differ from the newest version's own.
   */
  readonly operations: readonly Operation[];
  /** From this version to the one after it. */
  readonly step: StepPlan;
}

/** How two versions that follow one another differ; `older` and `newer` are names in the one and the other. */
export interface StepPlan {
  /** Records and embedded values that differ, or whose name does. */
  readonly shapes: readonly ShapeStep[];
  readonly operations: readonly OperationStep[];
  readonly errors: readonly { readonly older: string; readonly newer: string }[];
  /** Without `older` the older version's receivers are not told of it. */
  readonly events: readonly { readonly older?: string; readonly newer: string }[];
  /** What the older version's events carry, where that is not the whole record. */
  readonly carries: Readonly<Record<string, readonly string[]>>;
}

export interface ShapeStep {
  readonly older: string;
  readonly newer: string;
  /** In the older version's order. Members that neither this nor `added` names are not known to one of them. */
  readonly members: readonly MemberStep[];
  /** Members that only the newer version has. */
  readonly added: readonly { readonly newer: string; readonly taken?: ConversionPlan }[];
}

export interface OperationStep {
  readonly older: string;
  readonly newer: string;
  /** Of a body that is not the resource's own fields; always there for such a one. */
  readonly takes?: ShapeStep;
  /** Of an answer in the operation's own members. */
  readonly gives?: ShapeStep;
}

export interface MemberStep {
  readonly older: string;
  /** Absent: the newer version has no such member. */
  readonly newer?: string;
  /** The embedded type, by its older name, that the value or what lists and maps of it hold is of, where that differs. */
  readonly shape?: string;
  /** The lists and maps around what `shape` and `values` speak of, outermost first. */
  readonly enclosing?: readonly ("list" | "map")[];
  /** By a newer value what is seen of it, also inside lists and maps. */
  readonly values?: Readonly<Record<string, ConversionPlan>>;
  /** What is seen whatever the value: of a member that is gone, or of another type. */
  readonly seen?: ConversionPlan;
  /** What is seen where there is no value, or none that fits the older schema. */
  readonly filled?: { readonly seen: ConversionPlan; readonly fits?: JsonObject };
  /** What is taken whenever something is sent: for another type. */
  readonly taken?: ConversionPlan;
  /** What is taken where nothing is sent for a whole record, or null. */
  readonly required?: ConversionPlan;
  /** How the older version says that there is no value. */
  readonly absent: "left out" | "null";
  /** Where the newer version leaves it out, and the older one says null. */
  readonly nulls?: true;
  /** Whole numbers only, where the newer version has others. */
  readonly rounded?: true;
  /** The name by which expressions know the newer value, where it is another than the member's. */
  readonly as?: string;
}

export type ConversionPlan =
  | { readonly kind: "value"; readonly value: Json }
  | { readonly kind: "expression"; readonly expression: TypedExpression };
