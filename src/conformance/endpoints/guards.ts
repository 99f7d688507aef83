/** Guards of operations: while one is false there is its error, and while it is true there is not. */
import { sessionActions } from "../../language/endpoints/model.ts";
import type { Json } from "../../base/json.ts";
import { creates } from "../../language/endpoints/input.ts";
import { lifecycleOf } from "../../language/resources/fields.ts";
import { type Aspect, Broken, type Case, NotTried } from "../case.ts";
import type { Caller } from "../caller.ts";
import { type Contract, needsRecord, type Operation } from "../contract.ts";
import { isError, statusText } from "../errors/expected.ts";
import { expectError } from "../expect.ts";
import { truth } from "../expressions.ts";
import { subjectFor } from "../trial/calls.ts";
import type { Input } from "../trial/inputs.ts";
import type { KnownRecord } from "../trial/known.ts";
import { newId, newNames } from "../trial/records.ts";
import type { Trial } from "../trial/trial.ts";
import { ifPossible, operationCase, pathOf, plainOperations } from "./subjects.ts";
import { samplesOf } from "./matching.ts";

export function guardCases(contract: Contract): readonly Case[] {
  return plainOperations(contract).flatMap((called): readonly Case[] => {
    const { action, endpoint } = called;
    if (endpoint.if === undefined || endpoint.else === undefined || sessionActions.has(action)) return [];
    return [rejects(called, endpoint.else), admits(contract, called, endpoint.else)];
  });
}

function about(called: Operation, expects: string): readonly [Aspect, Aspect] {
  return [
    { path: pathOf(called, "if"), expects },
    { path: pathOf(called, "else"), expects },
  ];
}

/** A request for which the guard has a value. */
interface Guarded {
  readonly caller: Caller;
  /** `null`: none, or one that does not exist yet. */
  readonly record: KnownRecord | null;
  readonly path: Readonly<Record<string, Json>>;
  readonly input: Input;
}

function rejects(called: Operation, code: string): Case {
  const { operation, endpoint } = called;
  const aspects = about(called, `while \`${endpoint.if}\` is false, ${operation} gets ${code}`);
  return operationCase(called, "guard is false", aspects, async (trial) => {
    const { caller, record, path, input } = await guarded(trial, called, false);
    const interaction = await trial.call(operation, { caller, record, path, ...input });
    expectError(trial, interaction, { code }, pathOf(called, "if"));
  });
}

/** How many requests the test tries for which the guard is true. */
const mostRequests = 3;

function admits(contract: Contract, called: Operation, code: string): Case {
  const { operation, endpoint } = called;
  const aspects = about(called, `while \`${endpoint.if}\` is true, ${operation} does not get ${code}`);
  return operationCase(called, "guard is true", aspects, async (trial) => {
    for (let count = 0; count < mostRequests; count += 1) {
      const { caller, record, path, input } = await guarded(trial, called, true);
      const interaction = await trial.call(operation, { caller, record, path, ...input });
      const response = trial.responseOf(interaction);
      if (!isError(contract, response, code, operation)) continue;
      throw new Broken(`no ${code}`, statusText(contract, response), interaction, pathOf(called, "if"));
    }
  });
}

/** Returns a request for which the guard is true, or false. */
async function guarded(trial: Trial, called: Operation, wanted: boolean): Promise<Guarded> {
  const { operation, endpoint } = called;
  const guard = pathOf(called, "if");
  for await (const { caller, record, path } of subjects(trial, called, wanted)) {
    const input = await trial.inputWhere(operation, caller, record ?? undefined, guard, wanted);
    if (input !== undefined) return { caller, record, path, input };
  }
  throw new NotTried(`the test finds no request for which \`${endpoint.if}\` is ${wanted}`);
}

/** Returns what the operation may be about: a new record if it creates one, else records in different states, with different values. */
async function* subjects(trial: Trial, called: Operation, wanted: boolean): AsyncGenerator<Omit<Guarded, "input">> {
  const { contract } = trial;
  const isNew = called.kind === "resource" && creates(contract.model, called);
  if (isNew || !needsRecord(called)) {
    const caller = await trial.callerFor(called.operation);
    const id = isNew ? newId(trial, called) : undefined;
    const path =
      id === undefined || called.key === undefined ? {} : newNames(trial, called.resource as string, called.key, id);
    yield { caller, record: null, path };
    return;
  }
  yield { ...(await subjectFor(trial, called)), path: {} };
  for (const state of Object.keys(lifecycleOf(contract.model, called.resource as string)?.states ?? {})) {
    const record = await ifPossible(() => trial.make(called.resource as string, { state }));
    if (record !== undefined) yield { record, caller: await trial.callerFor(called.operation, record), path: {} };
  }
  const condition = contract.typed.get(pathOf(called, "if"));
  if (condition === undefined || called.endpoint.the !== undefined) return;
  const caller = await trial.callerFor(called.operation);
  // What the input decides, the next step finds out.
  const holds = (record: KnownRecord): boolean => truth(condition, trial.scope(caller, record)) ?? wanted;
  const samples = await samplesOf(trial, { resource: called.resource as string, condition, caller, holds });
  for (const { record, isTrue } of samples)
    if (isTrue === wanted) yield { record, caller: await trial.callerFor(called.operation, record), path: {} };
}
