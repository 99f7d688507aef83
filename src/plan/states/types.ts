/** The types of a resource's states, transitions and timers. */
import type { Duration } from "../../base/duration.ts";
import type { TypedExpression } from "../../expression/typed.ts";
import type { Erasure } from "../limits/types.ts";

export interface LifecyclePlan {
  readonly states: readonly string[];
  readonly start: string;
  readonly final: readonly string[];
  /** By state, the events that records emit when they enter the state; without states that emit none. */
  readonly emits: Readonly<Record<string, readonly string[]>>;
}

/** A job that runs a duration `after` a moment for a record in one of `states` (R3.5; part 8, `keep`). */
export interface TimedJob {
  /** The states in which the job runs. Absent: in any state. */
  readonly states?: readonly string[];
  /**
   * The moment: when the record entered its state, or the value of a column (a timestamp, or a date, which means midnight in
   * UTC).
   */
  readonly since: { readonly kind: "entered" } | { readonly kind: "column"; readonly column: string };
  readonly after: Duration;
  /** The text in the document: `after 48h`, `at collectBy`, `keep 90d after final`. */
  readonly cause: string;
  readonly action: /** Makes the first possible transition of `moves`; `effects`: those of entering its state. */
    | { readonly kind: "move"; readonly moves: readonly TransitionPlan[]; readonly effects: readonly EffectPlan[] }
    | { readonly kind: "delete" }
    /** Erases the personal columns. */
    | { readonly kind: "erase"; readonly columns: readonly Erasure[] };
}

/** The records of a resource whose timed transition may become possible by a write of another record. */
export interface WakePlan {
  readonly resource: string;
  /** The writes that may change the guard; for an update, of these columns. */
  readonly on: { readonly insert: boolean; readonly delete: boolean; readonly columns: readonly string[] };
  readonly find: {
    /** A column of the written record: `where` reads its values, before and after the write, as `reach.value`. */
    readonly column?: string;
    /** The condition for the records; absent: all records. */
    readonly where?: TypedExpression;
    /** The condition in place of `where` if the value is null; absent: a null matches no record. */
    readonly absent?: TypedExpression;
  };
}

export interface TransitionPlan {
  /** The source states; `any` in the document means every state except final ones and the target. */
  readonly from: readonly string[];
  readonly to: string;
  /** Whether the record enters a state: false for a transition to the same state. */
  readonly changesState: boolean;
  /** The guard. In the guard and in `set`, `old` and bare names mean the record before the transition. */
  readonly if?: TypedExpression;
  readonly else?: string;
  readonly set: readonly { readonly field: string; readonly expression: TypedExpression }[];
  /** The further writes of the transition; absent: none. */
  readonly also?: readonly FurtherWritePlan[];
  /** For an event: the records that the transition is for, instead of the one to which the event's payload refers. */
  readonly selection?: SelectionPlan;
}

/** The records for which `where` is true, in the order of `sort` (default: oldest first), all or the first ones. */
export interface SelectionPlan {
  readonly where?: TypedExpression;
  readonly first?: number;
  readonly sort?: { readonly column: string; readonly descending: boolean };
}

/**
 * A write of other records in the same transaction. `each`, `if` and the values of a creation are evaluated over the record
 * around the write, all else over the written record; `this` is the record around the write.
 */
export interface FurtherWritePlan extends SelectionPlan {
  readonly kind: "create" | "change" | "delete";
  readonly resource: string;
  /** Repeats the write for each item of a list, which is the variable `name`. */
  readonly each?: { readonly name: string; readonly list: TypedExpression };
  readonly if?: TypedExpression;
  readonly values: readonly { readonly field: string; readonly expression: TypedExpression }[];
  /** The error if no record was selected. Absent: then nothing is written. */
  readonly else?: string;
  /** The effects of the state in which a created record begins. */
  readonly effects: readonly EffectPlan[];
}

export interface ChoicePlan {
  readonly field: string;
  readonly resource: string;
  readonly if?: TypedExpression;
  /** The error if there is no such record. Absent: then the field is absent. */
  readonly else?: string;
}

/**
 * An effect on another record: when the current record enters `state` (absent: whenever the operation succeeds), the record to
 * which `field` refers makes the first possible transition of `moves`; if none is possible, nothing happens. `field` is `id`
 * for the current record itself. Without `field`, the one transition in `moves` has a selection.
 */
export interface EffectPlan {
  readonly event: string;
  readonly state?: string;
  readonly field?: string;
  readonly resource: string;
  readonly moves: readonly TransitionPlan[];
  /** The columns of the current record in the event's payload: members of `input` in the guards and sets of `moves`. */
  readonly payload: readonly string[];
  /** The effects of the other record's transition. */
  readonly effects: readonly EffectPlan[];
}
