/** The types of the steps between versions: changes of data, conversions of embedded types, default values. */
import type { Json } from "../../base/json.ts";
import type { TypedExpression } from "../../expression/typed.ts";
import type { ColumnType } from "../resources/types.ts";
import type { ConversionPlan } from "./conversion-types.ts";

// ── Versions of the data ───────────────────────────────────────────────────────────────────────────────────────────

/** The data changes between the version before and this version. */
export interface VersionStep {
  readonly version: string;
  readonly changes: readonly DataChange[];
}

export type DataChange =
  | { readonly kind: "rename-resource"; readonly from: string; readonly to: string }
  /** Renames a field. `resource`: its name in this version. */
  | { readonly kind: "rename-field"; readonly resource: string; readonly from: string; readonly to: string }
  /** Fills a field that had no value; with the document's names. */
  | { readonly kind: "fill"; readonly resource: string; readonly field: string; readonly taken: FallbackPlan }
  /** Replaces a value stored with the type `was`. */
  | {
      readonly kind: "convert";
      readonly resource: string;
      readonly field: string;
      readonly was: ColumnType;
      readonly taken: FallbackPlan;
    }
  /** Converts the embedded values of a field. */
  | { readonly kind: "reshape"; readonly resource: string; readonly field: string; readonly reshape: ReshapePlan };

/** The conversion of embedded values, with the type names of their version. */
export interface ReshapePlan extends HeldType {
  readonly kind: "reshape";
  /** All types that are reachable from `type`, by name. */
  readonly types: Readonly<Record<string, TypeStep>>;
}

/** An embedded type, and the lists and maps around its values, outermost first. */
export interface HeldType {
  readonly type: string;
  readonly enclosing: readonly ("list" | "map")[];
}

export interface TypeStep {
  readonly renames: readonly (readonly [from: string, to: string])[];
  /**
   * Expressions over the former value, with its former names: for a missing member, or with `was` (the member's former name)
   * for a present one.
   */
  readonly taken: readonly { readonly member: string; readonly was?: string; readonly taken: ConversionPlan }[];
  /** The members that contain embedded values, by their new names. */
  readonly holds: Readonly<Record<string, HeldType>>;
}

export type FallbackPlan =
  | { readonly kind: "literal"; readonly value: Json }
  /** An expression over the record, for `convert` also over `value`, the former value. */
  | { readonly kind: "expression"; readonly expression: TypedExpression };
