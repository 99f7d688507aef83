/** `POST /xs`: a new record (R4.7). */
import type { JsonObject } from "../base/json.ts";
import type { Table } from "../plan/plan.ts";
import { valueTypeOfColumn } from "../plan/columns.ts";
import { both } from "../plan/sources.ts";
import { fieldEquals, type TypedExpression } from "../expression/typed.ts";
import type { Row, Transaction, View } from "../store/store.ts";
import { choose } from "./choices.ts";
import type { Call } from "./context.ts";
import type { Change } from "./effects.ts";
import { causeAll } from "./effects.ts";
import type { Answer } from "./exchange.ts";
import { holdLive } from "./limits/quotas.ts";
import { checkGuard } from "./guard.ts";
import { answerWith } from "./outcome.ts";
import { columnOf, findParents, holds } from "./record.ts";
import type { Fault } from "./refusal.ts";
import { Refusal } from "./refusal.ts";
import { isMade, readOnly } from "./update.ts";
import { duplicate, fillDefaults, ownTable, sameValue, settle, take } from "./values.ts";
import type { Values } from "./values.ts";
import { markProved } from "./tokens.ts";
import { ownFaults, ownTerms, raised } from "./versions/terms.ts";

export async function create(call: Call, tx: Transaction): Promise<Answer> {
  const parents = await findParents(call, tx);
  const own = ownTerms(call);
  const faults = judgeNew(own, own.input);
  if (faults.length > 0) throw ownFaults(call, faults);
  return insertRecord(raised(call, own.input), tx, parents, {});
}

/** The faults of a new record. A member that the service makes is no unknown one to who may see it (R2.4, R5.9). */
export function judgeNew(call: Call, input: JsonObject): readonly Fault[] {
  const { judge, table } = call.prepared;
  const faults = judge?.(input) ?? [];
  if (faults.length === 0) return faults;
  return faults.map((fault) => {
    if (fault.placed === true) return fault;
    const name = fault.pointer?.slice(2) ?? "";
    const made = fault.code === "unknown-field" && call.kind.record.known.has(name) && isMade(table, name);
    return made ? readOnly(call, name) : fault;
  });
}

/** The rest of a creation, for POST and for a PUT that creates: `given` holds columns that the path decides. */
export async function insertRecord(
  asked: Call,
  tx: Transaction,
  parents: readonly Row[],
  given: Values,
): Promise<Answer> {
  const { operation, table } = asked.prepared;
  const { own } = asked.kind;
  const { call, values: taken } = await take(asked, tx, asked.input);
  const values: Values = { ...taken, ...given };
  const parent = operation.parents.at(-1);
  if (parent !== undefined) values[parent.field] = parents.at(-1)?.["id"] ?? null;
  fillDefaults(call, table, values);
  if (!(await holds(call, tx, call.kind.allowed, values)))
    throw new Refusal("forbidden", { detail: "The record would not be yours to make" });
  Object.assign(values, call.prepared.extension?.fill?.(call, values, undefined));
  await checkGuard(call, tx, undefined);
  await choose(call, tx, values);
  await settle(call, tx, ownTable(call), values, undefined);
  const view = own ?? call.kind.record.view;
  const written = await tx.insert(table.resource, values, call.now, view, call.variables);
  if (written.kind === "duplicate") return givePresent(call, tx, taken, values, written.columns, view);
  markProved(call, table.resource, written.row["id"]);
  const made = await causeAll(call, tx, written, created(table), view);
  await holdLive(call, tx, table, undefined, written.row);
  return answerWith(call, tx, { what: "created", ...made });
}

/** The record that is there already, where the document says that it is given in place of the new one. */
async function givePresent(
  call: Call,
  tx: Transaction,
  taken: Values,
  values: Values,
  columns: readonly string[],
  view: View,
): Promise<Answer> {
  const { operation, table } = call.prepared;
  const { same, differs } = operation.answer;
  const like = Object.fromEntries(columns.map((name) => [name, values[name] ?? null]));
  const row =
    operation.deed === "create" && same !== undefined
      ? await tx.first(table.resource, likeness(table, columns), { like })
      : undefined;
  // Whoever may not see the other record learns no more of it than that it is there (R5.8).
  if (row === undefined || !(await holds(call, tx, call.kind.visible, row))) throw duplicate(call, table, columns);
  if (differs !== undefined && !Object.entries(taken).every(([name, value]) => sameValue(row[name] ?? null, value)))
    throw new Refusal(differs);
  const text = await tx.view(row, view, call.variables);
  return answerWith(call, tx, { what: "same", row, text, revision: row["_rev"] as number });
}

const likenesses = new WeakMap<Table, Map<string, TypedExpression>>();

/** Over a record: it has the values of `like` in these columns. Kept, since stores prepare an expression once. */
function likeness(table: Table, columns: readonly string[]): TypedExpression {
  const known = likenesses.get(table) ?? new Map<string, TypedExpression>();
  likenesses.set(table, known);
  const key = columns.join();
  const like = (name: string): TypedExpression =>
    fieldEquals(name, ["like", name], valueTypeOfColumn(columnOf(table, name).type));
  const found = known.get(key) ?? columns.map(like).reduce(both);
  known.set(key, found);
  return found;
}

/** What making a record does to its state. */
export function created({ lifecycle }: Table): Change {
  return lifecycle === undefined ? {} : { to: lifecycle.start };
}
