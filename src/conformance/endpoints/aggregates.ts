/**
 * Values about the whole service: the test does not know all records, but it knows by how much one more record changes a number, and
 * which items it adds to a list.
 */
import { withArticle } from "../../base/case.ts";
import type { Json } from "../../base/json.ts";
import { isRecordList, mentions, nodesOf, type TypedExpression } from "../../expression/typed.ts";
import { responseExpressions, responseShape } from "../../language/endpoints/shape.ts";
import { lifecycleOf } from "../../language/resources/fields.ts";
import { Broken, type Case, NotTried, shortText } from "../case.ts";
import type { Caller } from "../caller.ts";
import type { Contract, Operation } from "../contract.ts";
import { isRejectedByGuard } from "../errors/expected.ts";
import { expectSuccess } from "../expect.ts";
import { evaluate } from "../expressions.ts";
import type { Interaction } from "../interaction.ts";
import type { KnownRecord } from "../trial/known.ts";
import type { Trial } from "../trial/trial.ts";
import { isSameJson } from "../values/same.ts";
import { aspectsOf, ifPossible, operationCase, pathOf, plainOperations, valueAt } from "./subjects.ts";

/** A member of the response that one more record changes in a way that the test can compute. */
interface Sum {
  readonly at: readonly string[];
  readonly typed: TypedExpression;
  /** The resource whose records it reads. */
  readonly resource: string;
}

export function aggregateCases(contract: Contract): readonly Case[] {
  const reads = plainOperations(contract).filter(({ kind, action }) => kind === "free" && action === "read");
  return reads.flatMap((called) => {
    const members = membersOf(contract, called);
    return [
      hasMembers(contract, called, members),
      ...sumsOf(contract, called).map((sum) => follows(contract, called, sum)),
    ];
  });
}

function membersOf({ model }: Contract, called: Operation): readonly (readonly string[])[] {
  const { item } = responseShape(model, called);
  return item === undefined ? [] : responseExpressions(item).map(({ path }) => path);
}

function hasMembers(contract: Contract, called: Operation, members: readonly (readonly string[])[]): Case {
  const { operation } = called;
  const aspects = aspectsOf(contract, called, ["gives"], "the response has the declared members");
  return operationCase(called, "members", aspects, async (trial) => {
    const interaction = await trial.call(operation);
    if (isRejectedByGuard(contract, trial.responseOf(interaction), called))
      throw new NotTried(`the guard of ${operation} is false`);
    const { json } = expectSuccess(trial, interaction, pathOf(called));
    const missing = members.find((at) => valueAt(json, at) === undefined);
    if (missing === undefined) return;
    throw new Broken(`the member \`${missing.join(".")}\``, shortText(json), interaction, pathOf(called, "gives"));
  });
}

function sumsOf(contract: Contract, called: Operation): readonly Sum[] {
  return membersOf(contract, called).flatMap((at): Sum[] => {
    const typed = contract.typed.get([pathOf(called, "gives"), ...at].join("/"));
    const read =
      typed === undefined ? [] : nodesOf(typed).flatMap((one) => (one.kind === "records" ? [one.resource] : []));
    const [resource] = read;
    if (typed === undefined || resource === undefined || read.length > 1 || !(isAdditive(typed) || isUnion(typed)))
      return [];
    return [{ at, typed, resource }];
  });
}

/** Whether each record adds to a number, whatever the other records are. */
function isAdditive(typed: TypedExpression): boolean {
  if (typed.kind !== "call" || (typed.function !== "size" && typed.function !== "sum")) return false;
  const [list] = typed.arguments;
  const summed = list?.kind === "macro" && list.macro === "map" ? list.list : list;
  return summed !== undefined && isRecordList(summed);
}

/** Whether each record adds items to a list, whatever the other records are. */
function isUnion(typed: TypedExpression): boolean {
  if (typed.kind === "call") {
    const isList = ["flatten", "distinct", "sort", "reverse"].includes(typed.function);
    return isList && typed.arguments.length === 1 && typed.arguments.every(isUnion);
  }
  if (typed.kind === "macro") return (typed.macro === "map" || typed.macro === "filter") && isUnion(typed.list);
  return typed.kind === "records";
}

/** How many records the test makes. */
const mostRecords = 4;

function follows(contract: Contract, called: Operation, sum: Sum): Case {
  const { operation } = called;
  const { at, resource } = sum;
  return operationCase(
    called,
    `${at.join(".")}`,
    aspectsOf(contract, called, ["gives"], `\`${at.join(".")}\` follows the records of ${resource}`),
    async (trial) => {
      const caller = await trial.callerFor(operation);
      let count = 0;
      for (const state of statesOf(contract, resource)) {
        if (count >= mostRecords) break;
        const before = await read(trial, called, caller, at);
        const record = await ifPossible(() => trial.make(resource, state === undefined ? {} : { state }));
        if (record === undefined) continue;
        await trial.look(record);
        const after = await read(trial, called, caller, at);
        if (
          isAdditive(sum.typed)
            ? expectChange(trial, called, sum, { caller, record, before, after })
            : expectItems(trial, called, sum, { caller, record, after })
        )
          count += 1;
      }
      if (count === 0) throw new NotTried(`the test does not know what ${withArticle(resource)} changes`);
    },
    {
      // Other cases make records, too.
      exclusive: true,
    },
  );
}

function statesOf({ model }: Contract, resource: string): readonly (string | undefined)[] {
  const states = Object.keys(lifecycleOf(model, resource)?.states ?? {});
  return states.length === 0 ? [undefined, undefined] : states;
}

interface Reading {
  readonly value: Json | undefined;
  readonly interaction: Interaction;
}

async function read(trial: Trial, called: Operation, caller: Caller, at: readonly string[]): Promise<Reading> {
  const interaction = await trial.call(called.operation, { caller });
  return { value: valueAt(expectSuccess(trial, interaction, pathOf(called)).json, at), interaction };
}

/** Returns the value over some records alone. */
function valueOver(trial: Trial, { typed }: Sum, caller: Caller, records: readonly KnownRecord[]): Json | undefined {
  const values = records.map((one) => one.values);
  const found = evaluate(typed, { ...trial.scope(caller), records: () => values });
  return found === undefined ? undefined : (found.value as Json);
}

/** Expects a number to change by what the record adds; returns whether the test knows that. */
function expectChange(
  trial: Trial,
  called: Operation,
  sum: Sum,
  {
    caller,
    record,
    before,
    after,
  }: { readonly caller: Caller; readonly record: KnownRecord; readonly before: Reading; readonly after: Reading },
): boolean {
  const [none, one] = [valueOver(trial, sum, caller, []), valueOver(trial, sum, caller, [record])];
  if (typeof none !== "number" || typeof one !== "number" || typeof before.value !== "number") return false;
  const expected = before.value + one - none;
  if (typeof after.value === "number" && Math.abs(after.value - expected) <= 1e-9 * Math.max(1, Math.abs(expected)))
    return true;
  throw new Broken(
    `\`${sum.at.join(".")}\` with ${expected}, after ${before.value}`,
    shortText(after.value),
    after.interaction,
    [pathOf(called, "gives"), ...sum.at].join("/"),
  );
}

/** Expects a list to contain the items of the record; returns whether the test knows them. */
function expectItems(
  trial: Trial,
  called: Operation,
  sum: Sum,
  { caller, record, after }: { readonly caller: Caller; readonly record: KnownRecord; readonly after: Reading },
): boolean {
  const items = valueOver(trial, sum, caller, [record]);
  if (!Array.isArray(items) || mentions(sum.typed, "walk")) return false;
  const found: readonly Json[] = Array.isArray(after.value) ? after.value : [];
  const missing = items.find((item: Json) => !found.some((one) => isSameJson(one, item)));
  if (missing === undefined) return true;
  throw new Broken(
    `\`${sum.at.join(".")}\` with ${shortText(missing)}`,
    shortText(after.value),
    after.interaction,
    [pathOf(called, "gives"), ...sum.at].join("/"),
  );
}
