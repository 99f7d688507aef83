/** In which state a new record begins: its start state, or the target of a transition that its creation makes. */
import type { ResourceEndpoint } from "../../language/endpoints/resolve.ts";
import type { Caller } from "../caller.ts";
import { startOf, transitionsOfNew, type TriggeredTransition } from "../effects.ts";
import { truth } from "../expressions.ts";
import { expressionInput, type Input, scopeAfter } from "./inputs.ts";
import type { Trial } from "./trial.ts";
import type { Wish } from "./records.ts";

/** Whether the guard of a transition of a new record is true; undefined if the test cannot evaluate it. */
function isStartedBy(
  trial: Trial,
  called: ResourceEndpoint,
  caller: Caller,
  input: Input,
  { path, trigger }: TriggeredTransition,
): boolean | undefined {
  const guard = trial.contract.typed.get(`${path}/if`);
  if (guard === undefined) return trigger.if === undefined ? true : undefined;
  const context = expressionInput(trial, called, input);
  return truth(guard, scopeAfter(trial, called, { caller, record: undefined }, input.body ?? {}, context));
}

/**
 * Returns the transition that a creation with this input makes: the first one whose guard is true. `null`: none; undefined: the test
 * does not know it.
 */
export function transitionOfNew(
  trial: Trial,
  called: ResourceEndpoint,
  caller: Caller,
  input: Input,
): TriggeredTransition | null | undefined {
  for (const transition of transitionsOfNew(trial.contract, called.operation)) {
    const isStarted = isStartedBy(trial, called, caller, input, transition);
    if (isStarted !== false) return isStarted ? transition : undefined;
  }
  return null;
}

/** Returns the state in which a record with this input begins; undefined if the test does not know it. */
export function stateOfNew(trial: Trial, called: ResourceEndpoint, caller: Caller, input: Input): string | undefined {
  const transition = transitionOfNew(trial, called, caller, input);
  if (transition === undefined) return undefined;
  return transition === null ? startOf(trial.contract, called.resource) : transition.to;
}

/** How often the test tries other inputs. */
const attempts = 12;

/** Returns a valid input of a creation, if possible one with which the new record begins in its start state. */
export async function startingInput(
  trial: Trial,
  called: ResourceEndpoint,
  caller: Caller,
  { inner, values }: Pick<Wish, "inner" | "values">,
): Promise<Input> {
  const next = (): Promise<Input> => trial.inputFor(called.operation, caller, undefined, values, inner);
  let input = await next();
  if (transitionsOfNew(trial.contract, called.operation).length === 0) return input;
  const start = startOf(trial.contract, called.resource);
  for (let count = 1; count < attempts && stateOfNew(trial, called, caller, input) !== start; count += 1)
    input = await next();
  return input;
}

/** Returns an input with which the creation makes the transition, or with `false` one with which its guard is false. */
export async function inputThatStarts(
  trial: Trial,
  called: ResourceEndpoint,
  caller: Caller,
  transition: TriggeredTransition,
  isWanted = true,
): Promise<Input | undefined> {
  for (let count = 0; count < attempts * 3; count += 1) {
    const input = await trial.inputFor(called.operation, caller);
    const isFound = isWanted
      ? transitionOfNew(trial, called, caller, input)?.path === transition.path
      : isStartedBy(trial, called, caller, input, transition) === false;
    if (isFound) return input;
  }
  return undefined;
}
