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
  /** The guard: the text of an expression. */
  readonly if?: string;
  /** The error of part 7 if the guard of an operation's transition is false. */
  readonly else?: string;
  /** By field, the expression for its new value. */
  readonly set?: Readonly<Record<string, string>>;
}

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
