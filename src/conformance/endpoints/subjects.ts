/** What the cases of part 4 have in common: the paths of its statements, and which operations and records they are about. */
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { lookup } from "../../language/resources/fields.ts";
import { type Aspect, type Case, NotTried } from "../case.ts";
import type { Caller } from "../caller.ts";
import { mayEverRun, mayRun } from "../permissions.ts";
import { type Contract, needsRecord, type Operation } from "../contract.ts";
import { expectError } from "../expect.ts";
import type { Interaction } from "../interaction.ts";
import { requestFor, subjectFor } from "../trial/calls.ts";
import type { Input } from "../trial/inputs.ts";
import type { KnownRecord } from "../trial/known.ts";
import { type Query, queryOf } from "../trial/parameters.ts";
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

/** A case about an operation. `what`: its name among the cases of the operation. */
export function operationCase(
  { operation }: Operation,
  what: string,
  aspects: Case["aspects"],
  run: Case["run"],
  more: Pick<Case, "exclusive" | "last"> = {},
): Case {
  return { id: `endpoints/${operation}: ${what}`, aspects, operation, run, ...more };
}

/** Returns the cases of a style, whose statement is the operation's own if it declares the style itself. */
export function withStyle(
  { places }: Contract,
  called: Operation,
  style: string,
  cases: readonly Case[],
): readonly Case[] {
  const local = pathOf(called, style);
  const path = places.has(local) ? local : `endpoints/${style}`;
  if (!places.has(path)) return [];
  const located = ({ aspects: [first, ...others], ...one }: Case): Case => ({
    ...one,
    aspects: [{ ...first, path }, ...others.map((aspect) => ({ ...aspect, path }))],
  });
  return cases.map(located);
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
export async function validOptions(
  trial: Trial,
  called: Operation,
  by?: Caller,
  about?: KnownRecord,
): Promise<ValidOptions> {
  const { operation } = called;
  if (!needsRecord(called)) {
    const caller = by ?? (await trial.callerFor(operation));
    const { body, query } = await trial.inputFor(operation, caller);
    return { caller, record: undefined, body: body ?? null, query };
  }
  const { record, caller } =
    about === undefined
      ? await subjectFor(trial, called, by)
      : { record: about, caller: by ?? (await trial.callerFor(operation, about)) };
  const { body, request } = await requestFor(trial, called, { record, caller });
  const { searchParams } = new URL(request.url);
  return { record, caller, body: body ?? null, query: queryOf([...searchParams]) };
}

/** A record that an operation has created. */
export interface Created {
  readonly record: KnownRecord;
  readonly input: Input;
  /** The creation. */
  readonly interaction: Interaction;
}

/** Creates a record by the operation. */
export async function created(trial: Trial, { operation, resource }: Operation): Promise<Created> {
  const caller = await trial.callerFor(operation);
  const input = await trial.inputFor(operation, caller);
  const record = await trial.make(resource as string, { by: operation, creator: caller, input });
  const interaction = trial.interactions.findLast((one) => one.operation === operation);
  if (interaction === undefined) throw new NotTried(`${operation} was not run`);
  return { record, input, interaction };
}

/** Returns the value of a member inside others; undefined if there is none. */
export function valueAt(body: Json | undefined, at: readonly string[]): Json | undefined {
  return at.reduce<Json | undefined>(
    (value, name) => (value !== undefined && isObject(value) ? lookup(value, name) : undefined),
    body,
  );
}

export interface ValidOptions {
  readonly caller: Caller;
  readonly record: KnownRecord | undefined;
  /** `null`: no body. */
  readonly body: JsonObject | null;
  readonly query: Query;
}
