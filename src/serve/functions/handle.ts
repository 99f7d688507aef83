/** An operation that a function of the service's owner does (`does: handler`): around it everything that any operation has. */
import type { Json, JsonObject } from "../../base/json.ts";
import type { MovePlan, ShapePlan, Table } from "../../plan/plan.ts";
import type { Row, Transaction } from "../../store/store.ts";
import { emptyAnswer, ownAnswer, representation } from "../answers.ts";
import type { Call } from "../context.ts";
import { follow, makeMove } from "../effects.ts";
import type { Answer } from "../exchange.ts";
import { checkGuard } from "../guard.ts";
import { matchingMove } from "../move.ts";
import { absent, checkAllowed, checkPreconditions, findParents, findRecord, holds } from "../record.ts";
import { malformedAll, Refusal } from "../refusal.ts";
import { take } from "../values.ts";
import { ownFaults, ownTerms, raised } from "../versions/terms.ts";
import { wrong } from "./call.ts";
import { wireAnswer } from "./wire-answer.ts";
import { isOfParameters } from "./wire-input.ts";

export async function handle(asked: Call, tx: Transaction): Promise<Answer> {
  const row = await recordAtHand(asked, tx);
  const said = ownTerms(asked);
  const faults = said.prepared.judge?.(said.input) ?? [];
  if (faults.length > 0) throw isOfParameters(faults) ? malformedAll(faults) : ownFaults(asked, faults);
  const { call } = await take(asked, tx, raised(asked, said.input).input);
  await checkGuard(call, tx, row);
  const { operation, table } = call.prepared;
  // The state and the guard of the transition are checked first: a function never runs for a request that is a conflict.
  const transition = row === undefined || operation.moves.length === 0 ? undefined : await matchingMove(call, tx, row);
  const input = call.variables["input"] as JsonObject;
  const given = await asked.functions?.handle(call, tx, { input, row });
  if (row !== undefined && transition !== undefined) await makeTransition(call, tx, row, transition);
  const { answer, about } = await answerOf(call, tx, given, row);
  if (transition === undefined && about !== undefined && (operation.emits.length > 0 || operation.effects.length > 0)) {
    const { emits, effects } = operation;
    await follow(call, tx, { table, row: about, change: {}, emits, effects });
  }
  return answer;
}

/** The transition of the operation, of the record as its function left it. */
async function makeTransition(call: Call, tx: Transaction, before: Row, move: MovePlan): Promise<void> {
  const { operation, table } = call.prepared;
  const row = await tx.get(table.resource, "id", before["id"] ?? null);
  const wrongly = (detail: string): Error => wrong(call, "the handler", [{ detail }]);
  if (row === undefined) throw wrongly(`it deleted the ${table.resource} that \`${operation.name}\` moves`);
  if (row["state"] !== before["state"])
    throw wrongly(
      `it moved the ${table.resource} to \`${row["state"] as string}\`, which \`${operation.name}\` moves to \`${move.to}\``,
    );
  await makeMove(call, tx, { table, row, move, emits: operation.emits, effects: operation.effects });
}

async function recordAtHand(asked: Call, tx: Transaction): Promise<Row | undefined> {
  const parents = await findParents(asked, tx);
  if (asked.prepared.operation.key === undefined) {
    // Without a record a condition can only be about the caller.
    if (!(await holds(asked, tx, asked.kind.allowed, {}))) throw new Refusal("forbidden");
    return undefined;
  }
  const row = await findRecord(asked, tx, parents);
  if (row === undefined) throw absent(asked);
  await checkAllowed(asked, tx, row);
  await checkPreconditions(asked, tx, row);
  return row;
}

interface Answered {
  readonly answer: Answer;
  /** The record that the operation was about. */
  readonly about: Row | undefined;
}

async function answerOf(call: Call, tx: Transaction, given: unknown, row: Row | undefined): Promise<Answered> {
  const { operation, table } = call.prepared;
  const { status, kind, shape } = operation.answer;
  const { wire } = call.prepared;
  const present = row && (await tx.get(table.resource, "id", row["id"] ?? null));
  if (wire !== undefined) return { answer: wireAnswer(call, wire, given), about: present };
  if (kind === "shape" && shape !== undefined) {
    const { strip = (value: Json) => value } = call.prepared;
    const text = JSON.stringify(strip(await shaped(call, tx, shape, given)));
    return { answer: ownAnswer(call, status, text), about: present };
  }
  if (kind === "none") return { answer: emptyAnswer(status), about: present };
  const about = row === undefined ? await named(tx, table, given) : present;
  if (about === undefined)
    throw wrong(call, "the handler", [{ detail: `it has to give a ${table.resource} that there is` }]);
  const text = await tx.view(about, call.kind.record.view, call.variables);
  return { answer: representation(call, status, text, about["_rev"] as number), about };
}

/** A record that a function names: by itself, or by its id. */
async function named(tx: Transaction, { resource }: Pick<Table, "resource">, given: unknown): Promise<Row | undefined> {
  const id = idOf(given);
  return id === undefined ? undefined : tx.refer(resource, "id", id);
}

function idOf(given: unknown): string | number | undefined {
  const id = typeof given === "object" && given !== null && "id" in given ? given.id : given;
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}

/** What a function gives, held to the shape that the document says; a null where a member may be absent is left out. */
async function shaped(call: Call, tx: Transaction, { schema, records }: ShapePlan, given: unknown): Promise<Json> {
  const whole = (given === undefined ? {} : JSON.parse(JSON.stringify(given))) as Json;
  if (whole === null || typeof whole !== "object" || Array.isArray(whole))
    throw wrong(call, "the handler", [{ detail: "an answer is an object" }]);
  const required = schema["required"] as readonly string[] | undefined;
  const members = Object.entries(whole as JsonObject).filter(
    ([name, value]) => value !== null || required?.includes(name) === true,
  );
  const judged = Object.fromEntries(
    members.map(([name, value]): [string, Json] => {
      const record = records.find(({ member }) => member === name);
      if (record === undefined) return [name, value];
      return [name, record.many && Array.isArray(value) ? value.map(idInPlace) : idInPlace(value)];
    }),
  );
  const faults = call.prepared.judgeAnswer?.(judged) ?? [];
  if (faults.length > 0)
    throw wrong(
      call,
      "the handler",
      faults.map((fault) => ({ ...fault, detail: fault.detail.replace("The body", "the answer") })),
    );
  const full: [string, Json][] = [];
  for (const [name, value] of Object.entries(judged)) {
    const record = records.find(({ member }) => member === name);
    full.push([name, record === undefined ? value : await filledIn(call, tx, record.resource, value)]);
  }
  return Object.fromEntries(full);
}

function idInPlace(value: Json): Json {
  return idOf(value) ?? value;
}

/** The records with these ids as the caller may see them. */
async function filledIn(call: Call, tx: Transaction, resource: string, value: Json): Promise<Json> {
  if (Array.isArray(value)) {
    const all: Json[] = [];
    for (const one of value as readonly Json[]) all.push(await filledIn(call, tx, resource, one));
    return all;
  }
  const row = await tx.refer(resource, "id", value as string);
  const view = call.context.viewFor(resource, call.caller.kind).view;
  if (row === undefined)
    throw wrong(call, "the handler", [{ detail: `there is no ${resource} ${JSON.stringify(value)}` }]);
  const record = JSON.parse(await tx.view(row, view, call.variables)) as JsonObject;
  return call.own === undefined ? record : call.own.chain.down({ kind: "record", resource }, record);
}
