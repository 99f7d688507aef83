/** `PUT /xs/{id}`: the whole record anew; creates it where the id is the client's to give (R4.7, R4.16). */
import type { Json, JsonObject } from "../base/json.ts";
import type { Row, Transaction } from "../store/store.ts";
import type { Call } from "./context.ts";
import { insertRecord, judgeNew } from "./create.ts";
import type { Answer } from "./exchange.ts";
import {
  absent,
  checkAllowed,
  checkPreconditions,
  columnOf,
  findParents,
  findRecord,
  keyOf,
  tagsOf,
} from "./record.ts";
import type { Fault } from "./refusal.ts";
import { invalid, Refusal } from "./refusal.ts";
import { asRead, isFixed, readOnly, saveRecord, visibleRow } from "./update.ts";
import { Uploaded } from "./upload.ts";
import { sameValue, stays, take } from "./values.ts";
import type { Values } from "./values.ts";
import { inOwnTerms, ownFaults, ownTerms, raised } from "./versions/terms.ts";

export async function replace(call: Call, tx: Transaction): Promise<Answer> {
  const parents = await findParents(call, tx);
  const row = await findRecord(call, tx, parents);
  if (row === undefined) return createByClient(call, tx, parents);
  await checkAllowed(call, tx, row);
  await checkPreconditions(call, tx, row);
  const seen = await asRead(call, tx, row);
  const judged = inOwnTerms(call, (own) => judgeWhole(own, seen));
  const visible = call.own === undefined ? row : await visibleRow(call, tx, row);
  const { input } = raised(call, judged, {
    whole: true,
    present: row as JsonObject,
    visible: visible as JsonObject,
  });
  const taken = await take(call, tx, call.own === undefined ? judged : input, row);
  return saveRecord(taken.call, tx, row, withOmitted(call, taken.values));
}

/** What a whole record leaves out becomes absent, or what its default says; what the service made once stays. */
function withOmitted(call: Call, values: Values): Values {
  const next: Values = { ...values };
  for (const { name } of call.prepared.operation.body?.fields ?? []) {
    const made = columnOf(call.prepared.table, name).default;
    if (!(name in next) && !stays(call, name) && (made === undefined || made.kind === "literal")) next[name] = null;
  }
  return next;
}

async function createByClient(call: Call, tx: Transaction, parents: readonly Row[]): Promise<Answer> {
  if (!call.prepared.operation.creates) throw absent(call);
  if (tagsOf(call, "if-match") !== undefined) throw new Refusal("stale", { detail: "There is no such record yet" });
  const id = keyOf(call) as Json;
  const own = ownTerms(call);
  const sent = own.input["id"];
  const faults = [...judgeNew(own, { ...own.input, id })];
  if (sent !== undefined && sent !== id) faults.push(readOnly(own, "id"));
  if (faults.length > 0) throw ownFaults(call, faults);
  return insertRecord(raised(call, own.input), tx, parents, { id });
}

/**
 * What may not change must be as it is, and what the schema does not know of it is taken out before it is asked; so is what
 * the record says of a file, in a record that is sent as it was read.
 */
function judgeWhole(call: Call, seen: JsonObject): JsonObject {
  const properties = (call.prepared.operation.body?.schema["properties"] ?? {}) as JsonObject;
  const faults: Fault[] = [];
  const members: [string, Json][] = [];
  for (const [name, value] of Object.entries(call.input)) {
    if (isFileAsRead(call, seen, name, value)) continue;
    const fixed = isFixed(call, seen, name);
    if (fixed && !sameValue(seen[name] ?? null, value)) faults.push(readOnly(call, name));
    if (!fixed || Object.hasOwn(properties, name)) members.push([name, value]);
  }
  const input: JsonObject = Object.fromEntries(members);
  const wrong = call.prepared.judge?.(input) ?? [];
  const { differs } = call.prepared.operation.answer;
  if (faults.length > 0 && wrong.length === 0 && differs !== undefined) throw new Refusal(differs);
  faults.push(...wrong);
  if (faults.length > 0) throw invalid(faults);
  return input;
}

function isFileAsRead({ prepared }: Call, seen: JsonObject, name: string, value: Json): boolean {
  const { files = {} } = prepared.operation.body ?? {};
  const isFacts = Object.hasOwn(files, name) && Object.hasOwn(seen, name) && !(value instanceof Uploaded);
  return isFacts && sameValue(seen[name] ?? null, value);
}
