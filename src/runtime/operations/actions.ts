/** The actions that write, each of them in a transaction, including the quotas that they count for (R8.7). */
import type { Json } from "../../base/json.ts";
import type { Operation } from "../../plan/endpoints/types.ts";
import { isJson } from "../../plan/endpoints/contract.ts";
import type { Awaitable, Row, Transaction } from "../../store/port/store.ts";
import { read } from "./read.ts";
import type { Call } from "../context/context.ts";
import { create } from "./create.ts";
import { changedBy } from "../records/effects.ts";
import type { HttpResponse } from "../../http/message.ts";
import { handle } from "./handler.ts";
import { countSuccess } from "../records/quotas.ts";
import { history } from "./history.ts";
import { list } from "./list.ts";
import { link, unlink } from "./link.ts";
import { login, logout, renew } from "./login.ts";
import { move } from "./transition.ts";
import { findParents, findRecord } from "../records/find-and-authorise.ts";
import { receive } from "./incoming.ts";
import type { ApiError } from "../errors/api-error.ts";
import { clear, remove } from "./delete.ts";
import { replace } from "./replace.ts";
import { update } from "./update.ts";

export type Action = (call: Call, tx: Transaction) => Promise<HttpResponse>;

const actions: Readonly<Record<Exclude<Operation["action"], "renew">, Action>> = {
  read: reading(read),
  list: reading(list),
  summary: reading(list),
  history: reading(history),
  create,
  update,
  replace,
  delete: remove,
  clear,
  link,
  unlink,
  move,
  receive,
  handler: handle,
  login,
  logout,
};

/** Returns the action of an operation. `rejected`: makes the response of an error without a rollback. */
export function actionOf(
  { action, also = [], effects, moves, quotas }: Operation,
  rejected: (error: ApiError) => HttpResponse = thrown,
): Action {
  const single: Action = action === "renew" ? (call, tx) => renew(call, tx, rejected) : actions[action];
  const further = [...moves.flatMap((transition) => transition.also ?? []), ...also];
  const isSimple = effects.length === 0 && further.length === 0;
  const perform: Action = isSimple ? single : holding(single, changedBy(effects, further));
  return (call, tx) => {
    const responding = perform(call, tx);
    const isOver = quotas.length === 0 && call.functions?.hasAfter !== true;
    return isOver ? responding : responding.then((response) => conclude(call, tx, response));
  };
}

/** Wraps an action: locks the resources that events and further writes may change, before the first read. */
function holding(perform: Action, resources: ReadonlySet<string>): Action {
  return (call, tx) => {
    const held = tx.declareWrites(resources);
    return held instanceof Promise ? held.then(() => perform(call, tx)) : perform(call, tx);
  };
}

/** Runs the `after` function, then counts the quotas. */
async function conclude(call: Call, tx: Transaction, response: HttpResponse): Promise<HttpResponse> {
  if (call.functions?.hasAfter === true) await afterwards(call, tx, response);
  await countSuccess(call, tx, response);
  return response;
}

function thrown(error: ApiError): never {
  throw error;
}

/** Wraps a read: it runs in a transaction only if it has functions, after the permission checks. */
function reading(read: (call: Call) => Awaitable<HttpResponse>): Action {
  return async (call, tx) => {
    const response = await read(call);
    if (call.compiled.operation.key !== undefined) await findRecord(call, tx, await findParents(call, tx));
    await call.functions?.before(call, tx, {});
    return response;
  };
}

/** Runs the `after` function with the response body and the current record. */
async function afterwards(call: Call, tx: Transaction, { body, headers }: HttpResponse): Promise<void> {
  const { table } = call.compiled;
  const row: Row | undefined =
    call.observation.record === undefined ? undefined : await tx.get(table.resource, "id", call.observation.record);
  const media = headers[headers.indexOf("Content-Type") + 1] ?? "";
  const response = typeof body === "string" && isJson(media) ? { answer: JSON.parse(body) as Json } : {};
  await call.functions?.after(call, tx, { input: call.input, row, ...response });
}
