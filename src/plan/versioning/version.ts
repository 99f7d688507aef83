/**
 * The plan of versions: how to determine a caller's version, the API of each older version, and the conversions between
 * neighbours. An older version is never run; its plan only describes requests and responses.
 */
import type { Json, JsonObject } from "../../base/json.ts";
import type { TypedExpression } from "../../expression/typed.ts";
import type { VersionResponse, VersionLocation } from "../../language/versioning/model.ts";
import type { Operation } from "../endpoints/types.ts";
import type { Plan } from "../plan.ts";
import type { VersionStep } from "./types.ts";

/** Part 9 of the plan. */
export interface VersioningPart {
  /** This version's name, if the document has versions. */
  readonly version?: string;
  /** The changes of stored data from one version to the next, newest first; every version is listed, also one without changes. */
  readonly history: readonly VersionStep[];
  /** All versions, newest first; only in the newest plan. */
  readonly versions?: VersionsPlan;
}

export type { VersionLocation };

export interface VersionsPlan {
  /** The format of version names. */
  readonly scheme: "dated" | "numbered";
  /** Where callers send the version; absent: they do not. */
  readonly sent?: VersionLocation;
  readonly absent: "pinned" | "newest" | "oldest" | "refuse";
  /** The response after a sunset. */
  readonly removed: VersionResponse;
  /** The response to an unknown version, or to a missing required one; absent: 400 `invalid-request`. */
  readonly unknown?: VersionResponse;
  /** Newest first, never empty. */
  readonly list: readonly VersionPlan[];
}

export interface VersionPlan {
  readonly name: string;
  /** Epoch milliseconds. After `sunset` the version is not served. */
  readonly deprecated?: { readonly since?: number; readonly sunset?: number; readonly guide?: string };
  /** Absent for the newest. */
  readonly older?: OlderPlan;
}

export interface OlderPlan {
  /** This version's API: paths, requests, responses, errors. */
  readonly received: Plan;
  /**
   * The newest version's operations at this version's paths, by their newest names and on the newest tables; only those whose
   * path or method differs.
   */
  readonly operations: readonly Operation[];
  /** The step from this version to the next newer one. */
  readonly step: StepPlan;
}

/** The differences of two consecutive versions; `older` and `newer` are their names for the same item. */
export interface StepPlan {
  /** Records and embedded values that differ, or were renamed. */
  readonly shapes: readonly ShapeStep[];
  readonly operations: readonly OperationStep[];
  readonly errors: readonly { readonly older: string; readonly newer: string }[];
  /** Without `older`, receivers with the older version do not get the event. */
  readonly events: readonly { readonly older?: string; readonly newer: string }[];
  /** The members of the older version's events, if not the full record. */
  readonly carries: Readonly<Record<string, readonly string[]>>;
}

export interface ShapeStep {
  readonly older: string;
  readonly newer: string;
  /** In the older version's order. Only one of the versions knows members that are in neither `members` nor `added`. */
  readonly members: readonly MemberStep[];
  /** Members that only the newer version has. */
  readonly added: readonly { readonly newer: string; readonly taken?: ConversionPlan }[];
}

export interface OperationStep {
  readonly older: string;
  readonly newer: string;
  /** For a body other than the resource's fields; always present for one. */
  readonly takes?: ShapeStep;
  /** For a response with custom members. */
  readonly gives?: ShapeStep;
}

export interface MemberStep {
  readonly older: string;
  /** Absent: the newer version has no such member. */
  readonly newer?: string;
  /** The older name of the embedded type of the value, or of its list items and map values, if that type differs. */
  readonly shape?: string;
  /** The lists and maps around the values of `shape` and `values`, outermost first. */
  readonly enclosing?: readonly ("list" | "map")[];
  /** What the older version shows for a newer value, also inside lists and maps. */
  readonly values?: Readonly<Record<string, ConversionPlan>>;
  /** What the older version always shows: for a removed member, or one of another type. */
  readonly seen?: ConversionPlan;
  /** What the older version shows for an absent value, or one that does not match its schema (`fits`). */
  readonly filled?: { readonly seen: ConversionPlan; readonly fits?: JsonObject };
  /** Converts every sent value, for a changed type. */
  readonly taken?: ConversionPlan;
  /** The value if a full record lacks the member, or has null. */
  readonly required?: ConversionPlan;
  /** How the older version represents an absent value. */
  readonly absent: "left out" | "null";
  /** The newer version omits an absent value, the older one has null. */
  readonly nulls?: true;
  /** Rounds to integers, because the newer version has other numbers. */
  readonly rounded?: true;
  /** The name of the newer value in expressions, if it is not the member's. */
  readonly as?: string;
}

export type ConversionPlan =
  | { readonly kind: "value"; readonly value: Json }
  | { readonly kind: "expression"; readonly expression: TypedExpression };
