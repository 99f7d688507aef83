/** The model of part 3, states and transitions. */

/** The lifecycles by resource; `none` if the document declares that the resource has no states. */
export type States = Readonly<Record<string, Lifecycle | "none">>;

export interface Lifecycle {
  /** Every state with its sentence (empty if there is none), in the document's order. */
  readonly states: Readonly<Record<string, string>>;
  readonly start?: string;
  /** The final states. Absent: not declared. */
  readonly final?: readonly string[];
  readonly moves: readonly Transition[];
}

/** One line of `moves:`; `from` is `any` or a list of states. */
export interface Transition {
  readonly from: readonly string[] | "any";
  readonly to: string;
  /** The alternative triggers: each of them alone causes the transition. */
  readonly triggers: readonly Trigger[];
}

export interface Trigger {
  readonly on: TriggerSource;
  /** For events: the records that the transition is for, instead of the one to which the payload refers. */
  readonly where?: string;
  readonly first?: number;
  readonly sort?: string;
  /** The guard: the text of an expression. */
  readonly if?: string;
  /** The error of part 7 if the guard of an operation's transition is false. */
  readonly else?: string;
  /** By field, the expression for its new value. */
  readonly set?: Readonly<Record<string, string>>;
  /** The writes of other records in the same transaction, in order. */
  readonly also?: readonly FurtherWrite[];
}

/** A write of other records in the transaction of an operation, a transition or an incoming event: an item of `also`. */
export interface FurtherWrite {
  readonly kind: (typeof furtherWrites)[number];
  readonly resource: string;
  /** Repeats the write for each item of a list, which expressions know by this name. */
  readonly each?: { readonly name: string; readonly list: string };
  /** The condition of the write: the text of an expression. */
  readonly if?: string;
  /** The records of the resource to change or delete: those for which the expression is true. Absent: any. */
  readonly where?: string;
  /** How many of them, in the order of `sort`. Absent: all. */
  readonly first?: number;
  /** A field, with `-` in front for descending order. Absent: oldest first. */
  readonly sort?: string;
  /** For `create`, by field, the expression for its value. */
  readonly with?: Readonly<Record<string, string>>;
  /** For `change`, by field, the expression for its new value. */
  readonly set?: Readonly<Record<string, string>>;
  /** The error of part 7 if no record was selected. */
  readonly else?: string;
}

export const furtherWrites = ["create", "change", "delete"] as const;

export type TriggerSource =
  | { readonly kind: "by"; readonly operation: string }
  /** A timer: a duration as written, which starts when the record enters the state. */
  | { readonly kind: "after"; readonly duration: string }
  | { readonly kind: "at"; readonly field: string }
  /** Events. `field`: the payload member that refers to the record, if the payload has several. */
  | { readonly kind: "when"; readonly events: readonly string[]; readonly field?: string };

/**
 * Returns the name of a transition as `moves:` writes it, `held | occupied -> free`: the key of its path in `SourceLocations`.
 */
export function transitionName(transition: Pick<Transition, "from" | "to">): string {
  return `${transition.from === "any" ? "any" : transition.from.join(" | ")} -> ${transition.to}`;
}
