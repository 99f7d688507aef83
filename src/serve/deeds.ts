/** What operations that write do, each within a transaction, with the quotas that it counts for (R8.7). */
import type { Json } from "../base/json.ts";
import type { Operation } from "../plan/plan.ts";
import { isJson } from "../plan/wire.ts";
import type { Awaitable, Row, Transaction } from "../store/store.ts";
import { readAll } from "./collective.ts";
import type { Call } from "./context.ts";
import { create } from "./create.ts";
import { movedBy } from "./effects.ts";
import type { Answer } from "./exchange.ts";
import { handle } from "./functions/handle.ts";
import { countSuccess } from "./limits/quotas.ts";
import { history } from "./history.ts";
import { list } from "./list.ts";
import { link, unlink } from "./link.ts";
import { login, logout, renew } from "./login.ts";
import { move } from "./move.ts";
import { read } from "./read.ts";
import { keyOf } from "./record.ts";
import { receive } from "./receive.ts";
import type { Refusal } from "./refusal.ts";
import { clear, remove } from "./remove.ts";
import { replace } from "./replace.ts";
import { update } from "./update.ts";

export type Deed = (call: Call, tx: Transaction) => Promise<Answer>;

const deeds: Readonly<Record<Exclude<Operation["deed"], "renew">, Deed>> = {
  read: reading((call) => (call.prepared.operation.collective === true ? readAll(call) : read(call))),
  list: reading(list),
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

/** `refused` makes the answer of a refusal that undoes nothing. */
export function deedOf({ deed, effects, quotas }: Operation, refused: (refusal: Refusal) => Answer = thrown): Deed {
  const alone: Deed = deed === "renew" ? (call, tx) => renew(call, tx, refused) : deeds[deed];
  const perform: Deed = effects.length === 0 ? alone : holding(alone, movedBy(effects));
  return (call, tx) => {
    const answered = perform(call, tx);
    const isOver = quotas.length === 0 && call.functions?.hasAfter !== true;
    return isOver ? answered : answered.then((answer) => conclude(call, tx, answer));
  };
}

/** What its events may move is held so from the first look at it. */
function holding(perform: Deed, resources: ReadonlySet<string>): Deed {
  return (call, tx) => {
    const held = tx.mayChange(resources);
    return held instanceof Promise ? held.then(() => perform(call, tx)) : perform(call, tx);
  };
}

/** The function after the operation, then the quotas that count it. */
async function conclude(call: Call, tx: Transaction, answer: Answer): Promise<Answer> {
  if (call.functions?.hasAfter === true) await afterwards(call, tx, answer);
  await countSuccess(call, tx, answer);
  return answer;
}

function thrown(refusal: Refusal): never {
  throw refusal;
}

/** Only what has functions around it is read within a transaction; a caller who may not read it is refused before them. */
function reading(read: (call: Call) => Awaitable<Answer>): Deed {
  return async (call, tx) => {
    const answer = await read(call);
    const { key, resource } = call.prepared.operation;
    const value = keyOf(call);
    const row = key === undefined || value === undefined ? undefined : await tx.get(resource, key.column, value);
    if (row !== undefined) call.noted.record = row["id"] ?? null;
    await call.functions?.before(call, tx, {});
    return answer;
  };
}

/** The function after an operation sees what that answers, and the record as it is now. */
async function afterwards(call: Call, tx: Transaction, { body, headers }: Answer): Promise<void> {
  const { table } = call.prepared;
  const row: Row | undefined =
    call.noted.record === undefined ? undefined : await tx.get(table.resource, "id", call.noted.record);
  const media = headers[headers.indexOf("Content-Type") + 1] ?? "";
  const answer = typeof body === "string" && isJson(media) ? { answer: JSON.parse(body) as Json } : {};
  await call.functions?.after(call, tx, { input: call.input, row, ...answer });
}
