/**
 * Performs `DELETE /xs/{id}` and `DELETE /xs`: responds 204 or as declared, or 409 if other records refer to the record
 * (R2.10).
 */
import { recordHeaders } from "./headers.ts";
import type { Row, Transaction } from "../../store/port/store.ts";
import { isBodiless } from "../../plan/endpoints/outcomes.ts";
import { emptyResponse, textResponse, representation } from "./responses.ts";
import { subjectOf } from "../context/caller.ts";
import { type Call, tableOf } from "../context/context.ts";
import { follow } from "../records/effects.ts";
import type { HttpResponse } from "../../http/message.ts";
import { checkGuard } from "./guard.ts";
import { tiedTo, conditionOf } from "../records/parents.ts";
import { decide } from "../../language/authentication/decide.ts";
import { absentParent, equalityOf, findParents, recordToChange, valuesInPath } from "../records/find-and-authorise.ts";
import { ApiError, referredTo, type Reference } from "../errors/api-error.ts";
import { viewOf } from "../records/views.ts";

export async function remove(call: Call, tx: Transaction): Promise<HttpResponse> {
  const row = await recordToChange(call, tx);
  await checkGuard(call, tx, row);
  await call.functions?.before(call, tx, {});
  // The response shows the record as it was before its deletion.
  const response = await deletedResponse(call, tx, row);
  await deleteAll(call, tx, [row]);
  return response;
}

/**
 * The most records that one request deletes, since deletions block other writes. To delete more, use a narrower `where` or
 * filters, or retention (part 8).
 */
const mostCleared = 10_000;

/** Deletes all records that match `where` and that the caller may delete, or none. */
export async function clear(call: Call, tx: Transaction): Promise<HttpResponse> {
  const { operation, table } = call.compiled;
  const parent = (await findParents(call, tx)).at(-1)?.["id"];
  await checkGuard(call, tx, undefined);
  await call.functions?.before(call, tx, {});
  const { allowed } = call.kind;
  const tied = operation.parents.at(-1);
  const like = valuesInPath(call);
  if (like === undefined) throw absentParent(call);
  const pathFields = operation.pathFields?.map(({ column }) => column) ?? [];
  const all = [
    ...(tied === undefined ? [] : [tiedTo(tied)]),
    ...(pathFields.length === 0 ? [] : [equalityOf(table, pathFields)]),
    ...(operation.where === undefined ? [] : [operation.where]),
  ];
  const where = { all, ...(allowed === "denied" ? {} : conditionOf(allowed)) };
  const variables = {
    ...call.variables,
    ...(parent === undefined ? {} : { parent }),
    ...(pathFields.length === 0 ? {} : { like }),
  };
  const rows = await tx.all(table.resource, where, variables, mostCleared + 1);
  if (rows.length > mostCleared) {
    const detail = `There are more than ${mostCleared} records to delete; nothing was deleted`;
    throw new ApiError("timed-out", { detail });
  }
  const response = await deletedResponse(call, tx, {});
  await deleteAll(call, tx, rows);
  return response;
}

async function deletedResponse(call: Call, tx: Transaction, row: Row): Promise<HttpResponse> {
  const { status, kind } = call.compiled.operation.response;
  const { own, record } = call.kind;
  const fields = await recordHeaders(call, tx, row);
  if (kind === "none" || isBodiless(status)) return emptyResponse(status, fields);
  if (own !== undefined) return textResponse(call, status, await tx.view(row, own, call.variables), fields);
  return representation(call, status, await tx.view(row, record.view, call.variables), row["_rev"] as number, fields);
}

async function deleteAll(call: Call, tx: Transaction, rows: readonly Row[]): Promise<void> {
  const { operation, table } = call.compiled;
  const deleted = await tx.deleteAll(table.resource, rows);
  if (deleted.kind === "referenced") throw stillReferenced(call, deleted);
  const { also, emits, effects } = operation;
  for (const row of rows) await follow(call, tx, { table, row, change: {}, emits, effects, also });
}

/**
 * Returns the error for a record that is still referenced. It names the referring resource and field only to callers who may
 * see that field (R5.8, R5.9).
 */
export function stillReferenced(call: Call, { resource, field }: Reference): ApiError {
  const { context } = call;
  const subject = subjectOf(call.caller);
  const isRead = [...context.compiled.values()].some(
    ({ operation }) => operation.resource === resource && decide(operation.visible, subject) !== "denied",
  );
  const isKnown = isRead && viewOf(tableOf(context, resource), subject).known.has(field);
  return new ApiError("still-referenced", isKnown ? referredTo({ resource, field }) : referredTo());
}
