/** A new record begins in the target of the transition whose guard is true, with the values that the transition sets. */
import { withArticle } from "../../base/case.ts";
import type { ResourceEndpoint } from "../../language/endpoints/resolve.ts";
import { type Case, NotTried } from "../case.ts";
import type { Contract } from "../contract.ts";
import { startOf, transitionsOfNew, type TriggeredTransition } from "../effects.ts";
import { isRejectedByGuard } from "../errors/expected.ts";
import { expectSuccess } from "../expect.ts";
import { neededCreator } from "../resources/writing.ts";
import { expressionInput, recordAfter } from "../trial/inputs.ts";
import { inputThatStarts, stateOfNew } from "../trial/new-records.ts";
import { sendCreation } from "../trial/records.ts";
import type { Trial } from "../trial/trial.ts";
import { expectObservedState } from "./expected-state.ts";
import { expectSet } from "./set-values.ts";

/** Returns the cases of the transitions that a creation makes. */
export function beginnings(contract: Contract, operation: string): readonly Case[] {
  return transitionsOfNew(contract, operation).flatMap((transition): readonly Case[] => {
    const { path, resource, to, trigger } = transition;
    const called = contract.operations.get(operation) as ResourceEndpoint;
    const sets = Object.keys(trigger.set ?? {});
    const begins: Case = {
      id: `${path}: new`,
      aspects: [
        { path, expects: `${operation} creates ${withArticle(resource)} that begins as ${to}` },
        ...sets.map((field) => ({ path: `${path}/set/${field}`, expects: `\`${field}\` is set` })),
      ],
      operation,
      run: (trial) => expectBeginning(trial, called, transition, true),
    };
    if (trigger.if === undefined || trigger.else !== undefined) return [begins];
    const start = startOf(contract, resource);
    const stays: Case = {
      id: `${path}: guard`,
      aspects: [{ path: `${path}/if`, expects: `while \`${trigger.if}\` is false, a new ${resource} stays ${start}` }],
      operation,
      run: (trial) => expectBeginning(trial, called, transition, false),
    };
    return [begins, stays];
  });
}

async function expectBeginning(
  trial: Trial,
  called: ResourceEndpoint,
  transition: TriggeredTransition,
  isWanted: boolean,
): Promise<void> {
  const caller = await neededCreator(trial, called);
  const input = await inputThatStarts(trial, called, caller, transition, isWanted);
  const state = input === undefined ? undefined : stateOfNew(trial, called, caller, input);
  if (input === undefined || state === undefined)
    throw new NotTried(`the test finds no input with which the guard is ${isWanted}`);
  const before = recordAfter(trial, called, { caller, record: undefined }, input.body ?? {});
  const { interaction, record } = await sendCreation(trial, called, caller, { input });
  if (isRejectedByGuard(trial.contract, trial.responseOf(interaction), called))
    throw new NotTried(`the test finds nothing that ${called.operation} can choose`);
  expectSuccess(trial, interaction);
  if (record === undefined) return;
  await expectObservedState(trial, record, [state]);
  if (isWanted) expectSet(trial, transition, { before, record, caller, input: expressionInput(trial, called, input) });
}
