/** Validates and inserts new records: of a POST, or of a PUT that creates. */
import type { JsonObject } from "../../base/json.ts";
import type { TransitionPlan } from "../../plan/states/types.ts";
import type { Row, Transaction, View } from "../../store/port/store.ts";
import { absentParent, choose, columnOf, equalityOf, holds, valuesInPath } from "../records/find-and-authorise.ts";
import type { Call, Values } from "../context/context.ts";
import { applyEffects, firstTransition, transitioned } from "../records/effects.ts";
import type { HttpResponse } from "../../http/message.ts";
import { holdLive } from "../records/quotas.ts";
import { checkGuard } from "./guard.ts";
import { furtherWritesOf } from "./transition.ts";
import { type Outcome, respondWith } from "./outcome.ts";
import { type Violation, ApiError, invalid } from "../errors/api-error.ts";
import { unsettable, withoutUnsettable } from "./restricted-fields.ts";
import { isMade, readOnly } from "./update.ts";
import {
  created,
  defaultValue,
  duplicate,
  fillDefaults,
  operationTable,
  sameValue,
  checkRulesAndComputed,
  toStoredInput,
} from "../records/defaults-and-rules.ts";
import { withCounters } from "../records/counters.ts";
import { allowTokens } from "../auth/token-placeholders.ts";

/**
 * Returns the violations of a new record. For a member that the service sets, callers who see it get `read-only` (R2.4, R5.9).
 */
export function validateNew(call: Call, input: JsonObject): readonly Violation[] {
  const { validate, table } = call.compiled;
  const violations = validate?.(input) ?? [];
  if (violations.length === 0) return violations;
  return violations.map((violation) => {
    if (violation.isLocated === true) return violation;
    const name = violation.pointer?.slice(2) ?? "";
    const made = violation.code === "unknown-field" && call.kind.record.known.has(name) && isMade(table, name);
    return made ? readOnly(call, name) : violation;
  });
}

/** Inserts the record of a POST or of a PUT that creates; `initial` has the values from the path. */
export async function insertRecord(
  received: Call,
  tx: Transaction,
  parents: readonly Row[],
  initial: Values,
): Promise<HttpResponse> {
  const result = await inserted(received, tx, parents, initial);
  return respondWith(result.call, tx, result);
}

/** The outcome of an insertion, and the call whose input is in the form in which columns store it. */
export interface Inserted extends Outcome {
  readonly call: Call;
}

export async function inserted(
  received: Call,
  tx: Transaction,
  parents: readonly Row[],
  initial: Values,
): Promise<Inserted> {
  const { operation, table } = received.compiled;
  const { call, values: input } = await toStoredInput(received, tx, received.input);
  const values: Values = { ...input, ...initial };
  const parent = operation.parents.at(-1);
  if (parent !== undefined) values[parent.field] = parents.at(-1)?.["id"] ?? null;
  const pathFields = valuesInPath(call);
  if (pathFields === undefined) throw absentParent(call);
  Object.assign(values, pathFields);
  fillDefaults(call, table, values, call.secrets);
  if (call.kind.restricted !== undefined) await restrict(call, tx, values, received.input);
  if (!(await holds(call, tx, call.kind.allowed, values)))
    throw new ApiError("forbidden", { detail: "You may not create this record" });
  Object.assign(values, call.compiled.extension?.fill?.(call, values, undefined));
  await checkGuard(call, tx, undefined);
  await choose(call, tx, values);
  const view = call.kind.own ?? call.kind.record.view;
  const { first, written } = await withCounters(call, tx, table, values, async () => {
    const first = operation.moves.length === 0 ? undefined : await startTransition(call, tx, values);
    await checkRulesAndComputed(call, tx, operationTable(call), values, undefined, first?.set);
    return { first, written: await tx.insert(table.resource, values, call.now, view, call.variables) };
  });
  if (written.kind === "duplicate") return present(call, tx, input, values, written.columns, view);
  allowTokens(call, table.resource, written.row["id"]);
  const change = first === undefined ? created(table) : { to: first.to };
  const made = await applyEffects(call, tx, written, change, view, { also: furtherWritesOf(call, first) });
  await holdLive(call, tx, table, undefined, written.row);
  return { call, what: "created", ...made };
}

/**
 * Applies the first transition of the creation whose guard is true to the values of the new record, which then enters the
 * target state and is never in its start state (R3.8). Without one, the record stays in its start state, unless a transition
 * has an error for this case.
 */
async function startTransition(call: Call, tx: Transaction, values: Values): Promise<TransitionPlan | undefined> {
  const { operation, table } = call.compiled;
  const transition = await firstTransition(call, tx, operation.moves, values);
  if (transition !== undefined) Object.assign(values, await transitioned(call, tx, table, transition, values));
  const error = operation.moves.find((one) => one.else !== undefined)?.else;
  if (transition === undefined && error !== undefined) throw new ApiError(error);
  return transition;
}

/** Removes the values that the caller may not set from a new record, in whose place it has defaults. */
async function restrict(call: Call, tx: Transaction, values: Values, sent: JsonObject): Promise<void> {
  const names = (await unsettable(call, tx, values)).filter((name) => Object.hasOwn(sent, name));
  withoutUnsettable(call, names, values, undefined, () => true);
  const { operation, table } = call.compiled;
  for (const name of names) {
    const field = operation.body?.fields.find((one) => one.name === name);
    values[name] = (field?.default as Values[string] | undefined) ?? defaultValue(call, columnOf(table, name));
    if (values[name] === null && columnOf(table, name).nullable === false)
      throw invalid([{ pointer: `#/${name}`, code: "no-value", detail: `${name} would have no value` }]);
  }
}

/** Returns the existing record instead of a conflict, if the document declares `same`. */
async function present(
  call: Call,
  tx: Transaction,
  input: Values,
  values: Values,
  columns: readonly string[],
  view: View,
): Promise<Inserted> {
  const { operation, table } = call.compiled;
  const { same, differs } = operation.response;
  const like = Object.fromEntries(columns.map((name) => [name, values[name] ?? null]));
  const row =
    operation.action === "create" && same !== undefined
      ? await tx.first(table.resource, equalityOf(table, columns), { like })
      : undefined;
  // A caller who may not see the other record learns only that it exists (R5.8).
  if (row === undefined || !(await holds(call, tx, call.kind.visible, row))) throw duplicate(call, table, columns);
  if (differs !== undefined && !Object.entries(input).every(([name, value]) => sameValue(row[name] ?? null, value)))
    throw new ApiError(differs);
  const text = await tx.view(row, view, call.variables);
  return { call, what: "same", row, text, revision: row["_rev"] as number };
}
