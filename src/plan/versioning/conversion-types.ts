/**
 * The plan of versions: how to determine a caller's version, the API of each older version, and the conversions between
 * consecutive versions. An older version is never run; its plan only describes requests and responses.
 */
import type { JsonObject } from "../../base/json.ts";
import type { Conversion } from "../../language/versioning/conversions.ts";
import type { VersionResponse, VersionLocation } from "../../language/versioning/model.ts";
import type { Operation } from "../endpoints/types.ts";
import type { Plan } from "../plan.ts";
import type { VersionStep } from "./data-change-types.ts";

/** The members of the plan for part 9. */
export interface VersioningPart {
  /** The name of this version, if the document has versions. */
  readonly version?: string;
  /**
   * The changes of stored data between consecutive versions, newest first; every version is listed, even one without changes.
   */
  readonly history: readonly VersionStep[];
  /** All versions, newest first; only in the plan of the newest version. */
  readonly versions?: VersionsPlan;
}

export type { VersionLocation };

export interface VersionsPlan {
  /** The format of version names. */
  readonly scheme: "dated" | "numbered";
  /** Where callers send the version; absent: they cannot. */
  readonly sent?: VersionLocation;
  readonly absent: "pinned" | "newest" | "oldest" | "refuse";
  /** The response to a version after its sunset. */
  readonly removed: VersionResponse;
  /** The response to an unknown version, or to a missing required one; absent: 400 `invalid-request`. */
  readonly unknown?: VersionResponse;
  /** The versions, newest first, never empty. */
  readonly list: readonly VersionPlan[];
}

/** The dates of a deprecation, in epoch milliseconds, and the address of the page about it. */
export interface DeprecationPlan {
  readonly since?: number;
  readonly sunset?: number;
  readonly guide?: string;
}

export interface VersionPlan {
  readonly name: string;
  /** After its sunset the version is not served. */
  readonly deprecated?: DeprecationPlan;
  /** The API and conversions of an older version; absent for the newest. */
  readonly older?: OlderPlan;
}

export interface OlderPlan {
  /** This version's API: paths, requests, responses, errors. */
  readonly received: Plan;
  /**
   * The newest version's operations at this version's paths, with their newest names and tables; only those whose path or
   * method differs.
   */
  readonly operations: readonly Operation[];
  /** The step from this version to the next newer one. */
  readonly step: StepPlan;
}

/** The differences between two consecutive versions; `older` and `newer` are the two names of the same item. */
export interface StepPlan {
  /** The records and embedded values that differ or were renamed. */
  readonly shapes: readonly ShapeStep[];
  readonly operations: readonly OperationStep[];
  readonly errors: readonly { readonly older: string; readonly newer: string }[];
  /** The events of both versions. Receivers with the older version do not get an event without `older`. */
  readonly events: readonly { readonly older?: string; readonly newer: string }[];
  /** The members of the older version's events by event, if they are not the full record. */
  readonly carries: Readonly<Record<string, readonly string[]>>;
}

export interface ShapeStep {
  readonly older: string;
  readonly newer: string;
  /**
   * The members in the older version's order. A member that is in neither `members` nor `added` exists in only one of the
   * versions and is not converted.
   */
  readonly members: readonly MemberStep[];
  /** The members that only the newer version has. */
  readonly added: readonly { readonly newer: string; readonly taken?: ConversionPlan }[];
}

export interface OperationStep {
  readonly older: string;
  readonly newer: string;
  /** The conversion of a body with other members than the resource's fields; always present for such a body. */
  readonly takes?: ShapeStep;
  /** The conversion of a response with custom members. */
  readonly gives?: ShapeStep;
}

export interface MemberStep {
  readonly older: string;
  /** The newer name. Absent: the newer version has no such member. */
  readonly newer?: string;
  /** The older name of the embedded type of the value, or of its list items and map values, if the type differs. */
  readonly shape?: string;
  /** The lists and maps around the values of `shape` and `values`, outermost first. */
  readonly enclosing?: readonly ("list" | "map")[];
  /** By newer value, what older callers receive instead, also inside lists and maps. */
  readonly values?: Readonly<Record<string, ConversionPlan>>;
  /** What older callers always receive: for a removed member, or a member of another type. */
  readonly seen?: ConversionPlan;
  /** What older callers receive for an absent value, or for a value that does not match the older schema (`fits`). */
  readonly filled?: { readonly seen: ConversionPlan; readonly fits?: JsonObject };
  /** Converts every value that older callers send, for a changed type. */
  readonly takenFromValue?: ConversionPlan;
  /** The value for a newer record that requires the member, if an older caller omits it or sends null. */
  readonly takenIfMissing?: ConversionPlan;
  /** How the older version represents an absent value. */
  readonly absent: "left out" | "null";
  /** Set if the newer version omits an absent value, while the older version has null. */
  readonly nulls?: true;
  /** Set if values are rounded to integers for older callers, because the newer version allows other numbers. */
  readonly rounded?: true;
  /** The name of the newer value in expressions, if it differs from the member's name. */
  readonly as?: string;
}

/** Returns the name of a view's step, which no resource or type can have. */
export function viewStep(view: string): string {
  return `view ${view}`;
}

export type ConversionPlan = Conversion;
