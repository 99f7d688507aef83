/** What is said of a record that cannot make a move from where it is (R3.2). */
import type { RefusalDetails } from "./refusal.ts";

export function stateConflict(state: string, moves: readonly string[]): RefusalDetails {
  return { detail: `It is ${state}, from where this cannot be done`, members: { state, moves } };
}
