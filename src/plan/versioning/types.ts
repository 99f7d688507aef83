/** Steps between versions: of data, types and defaults. */
import type { Json } from "../../base/json.ts";
import type { TypedExpression } from "../../expression/typed.ts";
import type { ColumnType } from "../resources/types.ts";
import type { ConversionPlan } from "./version.ts";

// ── Versions of the data ───────────────────────────────────────────────────────────────────────────────────────────

/** How the data of a version comes from that of the version before. */
export interface VersionStep {
  readonly version: string;
  readonly changes: readonly DataChange[];
}

export type DataChange =
  | { readonly kind: "rename-resource"; readonly from: string; readonly to: string }
  /** `resource` is named as this version does. */
  | { readonly kind: "rename-field"; readonly resource: string; readonly from: string; readonly to: string }
  /** What a field has where it had nothing; it and its resource are named as the document does. */
  | { readonly kind: "fill"; readonly resource: string; readonly field: string; readonly taken: FallbackPlan }
  /** What it has in place of a value that was kept as `was`. */
  | {
      readonly kind: "convert";
      readonly resource: string;
      readonly field: string;
      readonly was: ColumnType;
      readonly taken: FallbackPlan;
    }
  /** What becomes of the embedded values that it holds. */
  | { readonly kind: "reshape"; readonly resource: string; readonly field: string; readonly reshape: ReshapePlan };

/** The types are named as their version does. */
export interface ReshapePlan extends HeldType {
  readonly kind: "reshape";
  /** Every type that is reached, by its name. */
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
   * Over the value as it was, by its former names: of a member that is not there, or with `was`, what the member was
   * called, of one that is.
   */
  readonly taken: readonly { readonly member: string; readonly was?: string; readonly taken: ConversionPlan }[];
  /** Members that hold embedded values, by their names afterwards. */
  readonly holds: Readonly<Record<string, HeldType>>;
}

export type FallbackPlan =
  | { readonly kind: "literal"; readonly value: Json }
  /** Over the record, and for `convert` over `value`, what the field had. */
  | { readonly kind: "expression"; readonly expression: TypedExpression };
