/** `PUT /xs/{id}`: the whole record anew; creates it where the id is the client's to give (R4.7, R4.16). */
import type { Json, JsonObject } from "../base/json.ts";
import type { Row, Transaction } from "../store/store.ts";
import type { Call } from "./context.ts";
import { insertRecord } from "./create.ts";
import type { Answer } from "./exchange.ts";
import { absent, checkAllowed, checkPreconditions, findParents, findRecord, keyOf, tagsOf } from "./record.ts";
import type { Fault } from "./refusal.ts";
import { invalid, Refusal } from "./refusal.ts";
import { isFixed, readOnly, saveRecord } from "./update.ts";
import { checkReferences, fieldValues, sameValue } from "./values.ts";
import type { Values } from "./values.ts";

export async function replace(call: Call, tx: Transaction): Promise<Answer> {
  const parents = await findParents(call, tx);
  const row = await findRecord(call, tx, parents);
  if (row === undefined) return createByClient(call, tx, parents);
  await checkAllowed(call, tx, row);
  await checkPreconditions(call, tx, row);
  const input = judgeWhole(call, row);
  const fields = call.prepared.operation.body?.fields ?? [];
  const values = fieldValues(fields, input);
  await checkReferences(call, tx, fields, values);
  return saveRecord(call, tx, row, withOmitted(call, values));
}

/** What a whole record leaves out becomes absent, or what its default says. */
function withOmitted(call: Call, values: Values): Values {
  const next: Values = { ...values };
  for (const { name } of call.prepared.operation.body?.fields ?? []) next[name] ??= null;
  return next;
}

async function createByClient(call: Call, tx: Transaction, parents: readonly Row[]): Promise<Answer> {
  const { operation, table } = call.prepared;
  const key = operation.key;
  const column = table.columns.find(({ name }) => name === key?.column);
  const clientGiven =
    column !== undefined && column.name === "id" && column.default === undefined && !column.marks.includes("read-only");
  if (key === undefined || !clientGiven || call.kind.allowed === "denied") throw absent(call);
  if (tagsOf(call, "if-match") !== undefined) throw new Refusal("stale", { detail: "There is no such record yet" });
  const id = keyOf(call);
  const sent = call.input["id"];
  const faults = [
    ...(call.prepared.judge?.({ ...call.input, id: id as Json }) ?? []),
    ...(sent === undefined || sent === id
      ? []
      : [{ pointer: "#/id", code: "read-only", detail: "id is what the path says" }]),
  ];
  if (faults.length > 0) throw invalid(faults);
  return insertRecord(call, tx, parents, { id: id as Json as string });
}

function judgeWhole(call: Call, row: Row): JsonObject {
  const faults: Fault[] = [];
  const input: Record<string, Json> = {};
  for (const [name, value] of Object.entries(call.input)) {
    if (!isFixed(call, name)) input[name] = value;
    else if (!sameValue((row[name] ?? null) as Json, value)) faults.push(readOnly(name));
  }
  faults.push(...(call.prepared.judge?.(input) ?? []));
  if (faults.length > 0) throw invalid(faults);
  return input;
}
