/** What the cases of part 4 have in common: the paths of its statements, and which operations and records they are about. */
import type { JsonObject } from "../../base/json.ts";
import type { Aspect } from "../case.ts";
import type { Caller } from "../caller.ts";
import { mayEverRun, mayRun } from "../permissions.ts";
import { type Contract, needsRecord, type Operation } from "../contract.ts";
import { expectError } from "../expect.ts";
import type { Interaction } from "../interaction.ts";
import { requestFor, subjectFor } from "../trial/calls.ts";
import type { KnownRecord } from "../trial/known.ts";
import type { Trial } from "../trial/trial.ts";

export { ifPossible } from "../attempts.ts";

/** Returns the path of an operation, or of one of its members. */
export function pathOf({ operation }: Pick<Operation, "operation">, member?: string): string {
  return `endpoints/endpoints/${operation}${member === undefined ? "" : `/${member}`}`;
}

/** Returns the aspects of an operation: its path, and those of the members that the document writes. */
export function aspectsOf(
  { places }: Contract,
  called: Operation,
  members: readonly string[],
  expects: string,
): readonly [Aspect, ...Aspect[]] {
  const written = members.map((member) => pathOf(called, member)).filter((path) => places.has(path));
  return [{ path: pathOf(called), expects }, ...written.map((path) => ({ path, expects }))];
}

/** The operations whose requests and responses the test knows: those of part 4 without a complete contract of their own. */
export function plainOperations({ operations }: Contract): readonly Operation[] {
  return [...operations.values()].filter(({ endpoint }) => endpoint.wire === undefined);
}

/** Expects the response for a record that does not exist. */
export function expectMissing(trial: Trial, interaction: Interaction, path?: string): void {
  const response = trial.responseOf(interaction);
  if (trial.contract.model.authentication.unseen === 403 && response.status === 403) return;
  expectError(trial, interaction, { code: "not-found" }, path);
}

/** Returns the callers of the test who may run the operation, whatever its record is; those who certainly may come first. */
export async function callersOf(trial: Trial, called: Operation, record?: KnownRecord): Promise<readonly Caller[]> {
  const { contract } = trial;
  const may = (caller: Caller): boolean | undefined =>
    record === undefined
      ? mayEverRun(contract, called.operation, caller)
      : mayRun(contract, called.operation, caller, trial.around(record));
  const all = await trial.callers();
  return [...all.filter((one) => may(one) === true), ...all.filter((one) => may(one) === undefined)];
}

/** Returns everything that a valid request needs, so that it can be sent again, or with one difference. */
export async function validOptions(trial: Trial, called: Operation, by?: Caller): Promise<ValidOptions> {
  const { operation } = called;
  if (!needsRecord(called)) {
    const caller = by ?? (await trial.callerFor(operation));
    const { body, query } = await trial.inputFor(operation, caller);
    return { caller, record: null, body: body ?? null, query };
  }
  const { record, caller } = await subjectFor(trial, called, by);
  const { body, request } = await requestFor(trial, called, { record, caller });
  const { searchParams } = new URL(request.url);
  return { record, caller, body: body ?? null, query: Object.fromEntries(searchParams) };
}

export interface ValidOptions {
  readonly caller: Caller;
  readonly record: KnownRecord | null;
  /** `null`: no body. */
  readonly body: JsonObject | null;
  readonly query: Readonly<Record<string, string>>;
}
