/** Runs an operation that a handler performs (`does: handler`), with all checks that other operations have. */
import { withArticle } from "../../base/case.ts";
import { onceFor } from "../../base/once.ts";
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { unixTimeOf } from "../../base/unix-time.ts";
import type { TransitionPlan } from "../../plan/states/types.ts";
import type { InputForm, Operation, ShapePlan } from "../../plan/endpoints/types.ts";
import type { Table } from "../../plan/resources/types.ts";
import type { Row, Transaction } from "../../store/port/store.ts";
import { emptyResponse, textResponse, representation } from "./responses.ts";
import type { Call } from "../context/context.ts";
import { follow, applyTransition } from "../records/effects.ts";
import type { HttpResponse } from "../../http/message.ts";
import { checkGuard } from "./guard.ts";
import { matchingTransition } from "./transition.ts";
import { findParents, holds, recordToChange } from "../records/find-and-authorise.ts";
import { malformedAll, ApiError } from "../errors/api-error.ts";
import { toStoredInput } from "../records/defaults-and-rules.ts";
import { versionedError, toVersionedRequest, upgradeRequest } from "../versions/request.ts";
import { wrong } from "../functions/request.ts";
import { contractResponse } from "../functions/contract-response.ts";
import { isOfParameters } from "../functions/contract-input.ts";

export async function handle(received: Call, tx: Transaction): Promise<HttpResponse> {
  const row = await recordAtHand(received, tx);
  const versioned = toVersionedRequest(received);
  const violations = versioned.compiled.validate?.(versioned.input) ?? [];
  if (violations.length > 0)
    throw isOfParameters(violations) ? malformedAll(violations) : versionedError(received, violations);
  const { call } = await toStoredInput(received, tx, upgradeRequest(received, versioned.input).input);
  await checkGuard(call, tx, row);
  const { operation, table } = call.compiled;
  // State and guard are checked first, so that a handler never runs for a conflict.
  const transition =
    row === undefined || operation.moves.length === 0 ? undefined : await matchingTransition(call, tx, row);
  const input = asSent(operation, call.variables["input"] as JsonObject);
  const result = await received.functions?.handle(call, tx, { input, row });
  if (row !== undefined && transition !== undefined) await makeTransition(call, tx, row, transition);
  const { response, about } = await responseOf(call, tx, result, row);
  if (transition === undefined && about !== undefined && (operation.emits.length > 0 || operation.effects.length > 0)) {
    const { emits, effects } = operation;
    await follow(call, tx, { table, row: about, change: {}, emits, effects });
  }
  return response;
}

/** Returns the input with moments as clients send them: functions see no other form than clients. */
function asSent(operation: Operation, input: JsonObject): JsonObject {
  const forms = formsOf(operation);
  if (forms.size === 0) return input;
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => {
      const form = forms.get(name);
      return [name, form === undefined ? value : unixTimes(form, value)];
    }),
  );
}

/** Returns the forms of the input in which there may be moments that clients send as Unix time. */
const formsOf = onceFor(({ body, query }: Operation): ReadonlyMap<string, InputForm> => {
  const members = [...(body?.fields ?? []), ...(body?.others ?? [])];
  return new Map([
    ...members.flatMap(({ name, form }) => (form !== undefined && hasUnixTime(form) ? [[name, form] as const] : [])),
    ...query.flatMap(({ name, type: unix }) =>
      unix === "seconds" || unix === "milliseconds" ? [[name, { kind: "timestamp", unix }] as const] : [],
    ),
  ]);
});

function hasUnixTime(form: InputForm): boolean {
  if (form.kind === "list" || form.kind === "map") return hasUnixTime(form.of);
  return form.kind === "timestamp" && form.unix !== undefined;
}

function unixTimes(form: InputForm, value: Json): Json {
  if (form.kind === "timestamp" && form.unix !== undefined && typeof value === "string")
    return unixTimeOf(value, form.unix);
  if (form.kind === "list" && Array.isArray(value)) return value.map((one: Json) => unixTimes(form.of, one));
  if (form.kind !== "map" || !isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, unixTimes(form.of, one as Json)]));
}

/** Applies the operation's transition to the record after its handler. */
async function makeTransition(call: Call, tx: Transaction, before: Row, transition: TransitionPlan): Promise<void> {
  const { operation, table } = call.compiled;
  const row = await tx.get(table.resource, "id", before["id"] ?? null);
  const wrongly = (detail: string): Error => wrong(call, "the handler", [{ detail }]);
  if (row === undefined) throw wrongly(`it deleted the ${table.resource} that \`${operation.name}\` moves`);
  if (row["state"] !== before["state"])
    throw wrongly(
      `it moved the ${table.resource} to \`${row["state"] as string}\`, which \`${operation.name}\` moves to \`${transition.to}\``,
    );
  await applyTransition(call, tx, { table, row, transition, emits: operation.emits, effects: operation.effects });
}

async function recordAtHand(received: Call, tx: Transaction): Promise<Row | undefined> {
  if (received.compiled.operation.key !== undefined) return recordToChange(received, tx);
  await findParents(received, tx);
  // Without a record, a condition can only depend on the caller.
  if (!(await holds(received, tx, received.kind.allowed, {}))) throw new ApiError("forbidden");
  return undefined;
}

interface HandledResponse {
  readonly response: HttpResponse;
  /** The record of the operation, which the response is about. */
  readonly about: Row | undefined;
}

async function responseOf(
  call: Call,
  tx: Transaction,
  result: unknown,
  row: Row | undefined,
): Promise<HandledResponse> {
  const { operation, table } = call.compiled;
  const { status, kind, shape } = operation.response;
  const { wire } = call.compiled;
  const present = row && (await tx.get(table.resource, "id", row["id"] ?? null));
  if (wire !== undefined) return { response: contractResponse(call, wire, result), about: present };
  if (kind === "shape" && shape !== undefined) {
    const { strip = (value: Json) => value } = call.compiled;
    const text = JSON.stringify(strip(await shaped(call, tx, shape, result)));
    return { response: textResponse(call, status, text), about: present };
  }
  if (kind === "none") return { response: emptyResponse(status), about: present };
  const about = row === undefined ? await named(tx, table, result) : present;
  if (about === undefined)
    throw wrong(call, "the handler", [{ detail: `it has to give ${withArticle(table.resource)} that there is` }]);
  const text = await tx.view(about, call.kind.record.view, call.variables);
  return { response: representation(call, status, text, about["_rev"] as number), about };
}

/** Returns the record that a handler returned: as an object with an id, or as an id. */
async function named(
  tx: Transaction,
  { resource }: Pick<Table, "resource">,
  result: unknown,
): Promise<Row | undefined> {
  const id = idOf(result);
  return id === undefined ? undefined : tx.lockShared(resource, "id", id);
}

function idOf(result: unknown): string | number | undefined {
  const id = typeof result === "object" && result !== null && "id" in result ? result.id : result;
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}

/** Validates a handler's result against the declared shape; omits optional members that are null. */
async function shaped(call: Call, tx: Transaction, { schema, records }: ShapePlan, result: unknown): Promise<Json> {
  const plain = (result === undefined ? {} : JSON.parse(JSON.stringify(result))) as Json;
  if (plain === null || typeof plain !== "object" || Array.isArray(plain))
    throw wrong(call, "the handler", [{ detail: "an answer is an object" }]);
  const required = schema["required"] as readonly string[] | undefined;
  const members = Object.entries(plain as JsonObject).filter(
    ([name, value]) => value !== null || required?.includes(name) === true,
  );
  const output = Object.fromEntries(
    members.map(([name, value]): [string, Json] => {
      const record = records.find(({ member }) => member === name);
      if (record === undefined) return [name, value];
      return [name, record.many && Array.isArray(value) ? value.map(idInside) : idInside(value)];
    }),
  );
  const violations = call.compiled.validateResponse?.(output) ?? [];
  if (violations.length > 0)
    throw wrong(
      call,
      "the handler",
      violations.map((violation) => ({ ...violation, detail: violation.detail.replace("The body", "the answer") })),
    );
  const full: [string, Json][] = [];
  for (const [name, value] of Object.entries(output)) {
    const record = records.find(({ member }) => member === name);
    full.push([name, record === undefined ? value : await filledIn(call, tx, record.resource, value)]);
  }
  return Object.fromEntries(full);
}

function idInside(value: Json): Json {
  return idOf(value) ?? value;
}

/** Returns the records with these ids, as the caller sees them. */
async function filledIn(call: Call, tx: Transaction, resource: string, value: Json): Promise<Json> {
  if (Array.isArray(value)) {
    const all: Json[] = [];
    for (const one of value as readonly Json[]) all.push(await filledIn(call, tx, resource, one));
    return all;
  }
  const row = await tx.lockShared(resource, "id", value as string);
  const view = call.context.viewFor(resource, call.caller.kind).view;
  if (row === undefined)
    throw wrong(call, "the handler", [{ detail: `there is no ${resource} ${JSON.stringify(value)}` }]);
  const record = JSON.parse(await tx.view(row, view, call.variables)) as JsonObject;
  return call.own === undefined ? record : call.own.converter.downgrade({ kind: "record", resource }, record);
}
