/** Performs `POST /xs`: creates a record (R4.7), or all records of an array. */
import type { Transaction } from "../../store/port/store.ts";
import type { HttpResponse } from "../../http/message.ts";
import type { Call } from "../context/context.ts";
import { findParents } from "../records/find-and-authorise.ts";
import { toVersionedRequest, upgradeRequest, versionedError } from "../versions/request.ts";
import { createMany } from "./create-many.ts";
import { insertRecord, validateNew } from "./insert-record.ts";

export async function create(call: Call, tx: Transaction): Promise<HttpResponse> {
  if (call.compiled.operation.batch !== undefined) return createMany(call, tx, call.compiled.operation.batch);
  const parents = await findParents(call, tx);
  const own = toVersionedRequest(call);
  const violations = validateNew(own, own.input);
  if (violations.length > 0) throw versionedError(call, violations);
  return insertRecord(upgradeRequest(call, own.input), tx, parents, {});
}
