/** Part 3, states and transitions. */

/** By resource; `none` if the document declares that the resource has no states. */
export type States = Readonly<Record<string, Lifecycle | "none">>;

export interface Lifecycle {
  /** Every state with its sentence (empty when none is given), in the document's order. */
  readonly states: Readonly<Record<string, string>>;
  readonly start?: string;
  /** Absent: not declared. */
  readonly final?: readonly string[];
  readonly moves: readonly Transition[];
}

/** One line of `moves:`; `from` is `any` or the states it lists. */
export interface Transition {
  readonly from: readonly string[] | "any";
  readonly to: string;
  /** Alternatives: each of them makes the move. */
  readonly triggers: readonly Trigger[];
}

export interface Trigger {
  readonly on: TriggerSource;
  /** Guard, the text of an expression. */
  readonly if?: string;
  /** The error of part 7 when a guard of a `by` move is false. */
  readonly else?: string;
  /** Fields with the expressions that give their new values. */
  readonly set?: Readonly<Record<string, string>>;
}

export type TriggerSource =
  | { readonly kind: "by"; readonly operation: string }
  /** A duration as written, since the state was entered. */
  | { readonly kind: "after"; readonly duration: string }
  | { readonly kind: "at"; readonly field: string }
  /** `field`: the payload member that refers to the record, if there are several. */
  | { readonly kind: "when"; readonly events: readonly string[]; readonly field?: string };

/** The name of a move as `moves:` writes it, `held | occupied -> free`; what `Places` has it under. */
export function transitionName(transition: Pick<Transition, "from" | "to">): string {
  return `${transition.from === "any" ? "any" : transition.from.join(" | ")} -> ${transition.to}`;
}
