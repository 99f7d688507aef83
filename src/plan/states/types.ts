/** States and transitions of a resource, and what time does to its records. */
import type { Duration } from "../../base/duration.ts";
import type { TypedExpression } from "../../expression/typed.ts";
import type { Erasure } from "../limits/types.ts";

export interface LifecyclePlan {
  readonly states: readonly string[];
  readonly start: string;
  readonly final: readonly string[];
  /** The events of part 6 that entering a state emits, by state; a state that emits none is not there. */
  readonly emits: Readonly<Record<string, readonly string[]>>;
}

/** Done to a record `after` a moment of it has come, while it is in one of `states` (R3.5; part 8, `keep`). */
export interface TimedJob {
  /** Absent: in whatever state. */
  readonly states?: readonly string[];
  /** When the present state was entered, or what a column says (`timestamp`, or a date, which is its midnight in UTC). */
  readonly since: { readonly kind: "entered" } | { readonly kind: "column"; readonly column: string };
  readonly after: Duration;
  /** As the document says it: `after 48h`, `at collectBy`, `keep 90d after final`. */
  readonly cause: string;
  readonly act: /** The first of `moves` that fits is made; `effects` are what entering its state causes. */
    | { readonly kind: "move"; readonly moves: readonly TransitionPlan[]; readonly effects: readonly EffectPlan[] }
    | { readonly kind: "delete" }
    /** The columns that are personal lose what they say. */
    | { readonly kind: "erase"; readonly columns: readonly Erasure[] };
}

export interface TransitionPlan {
  /** The states it starts from; `any` in the document is every state but final ones and the one it leads to. */
  readonly from: readonly string[];
  readonly to: string;
  /** Entering: false for a self-move. */
  readonly changesState: boolean;
  /** `old` in it, and in `set`, is the record before the move, and so are bare names. */
  readonly if?: TypedExpression;
  readonly else?: string;
  readonly set: readonly { readonly field: string; readonly expression: TypedExpression }[];
}

export interface ChoicePlan {
  readonly field: string;
  readonly resource: string;
  readonly if?: TypedExpression;
  readonly else: string;
}

/**
 * When the record at hand enters `state` (absent: whenever the operation succeeds), the record that `field` refers to
 * makes the first of `moves` that fits; where none does, nothing happens. `field` is `id` where it is the record itself.
 */
export interface EffectPlan {
  readonly event: string;
  readonly state?: string;
  readonly field: string;
  readonly resource: string;
  readonly moves: readonly TransitionPlan[];
  /** Columns of the record at hand that the event's payload has: the members of `input` in the guards and sets of `moves`. */
  readonly payload: readonly string[];
  /** What that in turn causes. */
  readonly effects: readonly EffectPlan[];
}
