/** What is said of a record that cannot make a move from where it is (R3.2). */
import type { ApiErrorDetails } from "./api-error.ts";

export function stateConflict(state: string, moves: readonly string[]): ApiErrorDetails {
  return { detail: `It is ${state}, from where this cannot be done`, members: { state, moves } };
}
