/** The plan of a resource's states, transitions and timers. */
import type { Duration } from "../../base/duration.ts";
import type { TypedExpression } from "../../expression/typed.ts";
import type { Erasure } from "../limits/types.ts";

export interface LifecyclePlan {
  readonly states: readonly string[];
  readonly start: string;
  readonly final: readonly string[];
  /** Events emitted on entering a state, by state; without states that emit none. */
  readonly emits: Readonly<Record<string, readonly string[]>>;
}

/** A job that runs `after` a moment for a record in one of `states` (R3.5; part 8, `keep`). */
export interface TimedJob {
  /** Absent: in any state. */
  readonly states?: readonly string[];
  /** The time when the record entered its state, or the value of a column (`timestamp`, or a date, meaning midnight in UTC). */
  readonly since: { readonly kind: "entered" } | { readonly kind: "column"; readonly column: string };
  readonly after: Duration;
  /** The text in the document: `after 48h`, `at collectBy`, `keep 90d after final`. */
  readonly cause: string;
  readonly act: /** Makes the first possible transition of `moves`; `effects`: of entering its state. */
    | { readonly kind: "move"; readonly moves: readonly TransitionPlan[]; readonly effects: readonly EffectPlan[] }
    | { readonly kind: "delete" }
    /** Erases the personal columns. */
    | { readonly kind: "erase"; readonly columns: readonly Erasure[] };
}

export interface TransitionPlan {
  /** Source states; `any` in the document means every state except final ones and the target. */
  readonly from: readonly string[];
  readonly to: string;
  /** Whether it enters a state: false for a transition to the same state. */
  readonly changesState: boolean;
  /** In the guard and in `set`, `old` and bare names mean the record before the transition. */
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
 * When the current record enters `state` (absent: whenever the operation succeeds), the record that `field` refers to makes the
 * first possible transition of `moves`; without one nothing happens. `field` is `id` for the record itself.
 */
export interface EffectPlan {
  readonly event: string;
  readonly state?: string;
  readonly field: string;
  readonly resource: string;
  readonly moves: readonly TransitionPlan[];
  /** Columns of the current record in the event's payload: members of `input` in the guards and sets of `moves`. */
  readonly payload: readonly string[];
  /** Effects of the transition in turn. */
  readonly effects: readonly EffectPlan[];
}
