/** Valid inputs of operations whose members set no fields: transitions, links, handlers, logins. */
import type { Json, JsonObject } from "../../base/json.ts";
import { NotTried } from "../case.ts";
import type { Caller } from "../caller.ts";
import { type Contract, type Operation, needsRecord } from "../contract.ts";
import { transitionsBy } from "../effects.ts";
import { truth } from "../expressions.ts";
import { expressionInput } from "../trial/inputs.ts";
import type { KnownRecord } from "../trial/known.ts";
import type { Trial } from "../trial/trial.ts";
import type { Query } from "../trial/parameters.ts";
import { writesOf } from "./writing.ts";

/** Returns the operations that set no fields and whose requests the document describes. */
export function otherOperations(contract: Contract): readonly Operation[] {
  const writing = new Set(writesOf(contract).map(({ called }) => called.operation));
  return [...contract.operations.values()].filter(
    ({ endpoint, operation }) => endpoint.wire === undefined && !writing.has(operation),
  );
}

/** Returns the errors that an operation may get for a body that is read in expressions. */
export function errorsOf(contract: Contract, { operation, endpoint }: Operation): readonly string[] {
  const guards = transitionsBy(contract, operation).flatMap(({ trigger }) => trigger.else ?? []);
  return [...guards, ...(endpoint.else === undefined ? [] : [endpoint.else]), "unauthenticated"];
}

export interface InputWith {
  readonly caller: Caller;
  readonly record: KnownRecord | undefined;
  readonly body: JsonObject;
  readonly query: Query;
}

/** Returns a valid input for an operation, if possible with a value of one member. */
export async function inputWith(trial: Trial, called: Operation, name?: string, value?: Json): Promise<InputWith> {
  const { contract } = trial;
  const { operation, resource } = called;
  const transition = transitionsBy(contract, operation).find((one) => one.resource === resource);
  const [state] = transition?.from ?? [];
  const record = resource !== undefined && needsRecord(called) ? await trial.make(resource, { state }) : undefined;
  const caller = await trial.callerFor(operation, record);
  const fixed = name === undefined || value === undefined ? {} : { [name]: value };
  const guard = transition === undefined ? undefined : contract.typed.get(`${transition.path}/if`);
  const found =
    guard === undefined || value !== undefined || transition === undefined
      ? undefined
      : await trial.inputWhere(operation, caller, record, `${transition.path}/if`, true);
  const { body = {}, query } = found ?? (await trial.inputFor(operation, caller, record, fixed));
  if (guard !== undefined && value !== undefined) {
    const scope = trial.scope(caller, record, expressionInput(trial, called, { body, query }));
    if (truth(guard, scope) !== true) throw new NotTried(`the guard of ${operation} does not allow this value`);
  }
  return { caller, record, body, query };
}
