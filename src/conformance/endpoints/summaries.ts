/**
 * Summaries: the test does not know all records, but it knows by how much one more record changes the counts and the sums of its group.
 */
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { decimalOf, decimalText, added } from "../../base/decimal.ts";
import type { TypedExpression } from "../../expression/typed.ts";
import { measuresOf } from "../../language/endpoints/summary.ts";
import { lookup } from "../../language/resources/fields.ts";
import { Broken, type Case, NotTried, shortText } from "../case.ts";
import type { Caller } from "../caller.ts";
import type { Contract, Operation } from "../contract.ts";
import { evaluate } from "../expressions.ts";
import type { Interaction } from "../interaction.ts";
import { fieldVisibility } from "../permissions.ts";
import type { KnownRecord } from "../trial/known.ts";
import { pagesOf } from "../trial/pages.ts";
import type { Trial } from "../trial/trial.ts";
import { isSameJson } from "../values/same.ts";
import { fieldsIn, readsOtherRecords } from "../../expression/typed.ts";
import { isListed } from "./lists/listed.ts";
import { aspectsOf, ifPossible, operationCase, pathOf, plainOperations } from "./subjects.ts";

export function summaryCases(contract: Contract): readonly Case[] {
  const summaries = plainOperations(contract).filter(({ action }) => action === "summary");
  return summaries.map((called) => follows(contract, called));
}

function follows(contract: Contract, called: Operation): Case {
  const members = ["gives", "group", ...groupNames(called).map((name) => `group/${name}`), ...measureNames(called)];
  const aspects = aspectsOf(contract, called, members, "the groups follow their records");
  return operationCase(
    called,
    "groups",
    aspects,
    async (trial) => {
      const caller = await trial.callerFor(called.operation);
      let count = 0;
      for (let attempt = 0; attempt < 2; attempt += 1) {
        const before = await read(trial, called, caller);
        const record = await ifPossible(() => trial.make(called.resource as string, {}));
        if (record === undefined) break;
        await trial.look(record);
        if (isListed(trial, called, caller, record) !== true) continue;
        const after = await read(trial, called, caller);
        if (expectChange(trial, called, { caller, record, before, after })) count += 1;
      }
      if (count === 0) throw new NotTried(`the test does not know what a ${called.resource} changes`);
    },
    { exclusive: true },
  );
}

function groupNames({ endpoint }: Operation): readonly string[] {
  return Object.keys(endpoint.group ?? {});
}

function measureNames({ endpoint }: Operation): readonly string[] {
  return Object.keys(measuresOf(endpoint.gives)).map((name) => `gives/${name}`);
}

interface Reading {
  readonly groups: readonly JsonObject[];
  readonly interaction: Interaction;
}

const mostPages = 50;

/** Reads all groups. */
async function read(trial: Trial, called: Operation, caller: Caller): Promise<Reading> {
  if (groupNames(called).length === 0) {
    const interaction = await trial.call(called.operation, { caller });
    const { json } = trial.responseOf(interaction);
    return { groups: json !== undefined && isObject(json) ? [json] : [], interaction };
  }
  const groups: JsonObject[] = [];
  let interaction: Interaction | undefined;
  for await (const page of pagesOf(trial, called, { caller }, mostPages)) {
    ({ interaction } = page);
    groups.push(...page.items.filter((item) => isObject(item)));
  }
  if (interaction === undefined) throw new NotTried(`${called.operation} has no page`);
  return { groups, interaction };
}

interface Change {
  readonly caller: Caller;
  readonly record: KnownRecord;
  readonly before: Reading;
  readonly after: Reading;
}

/** Expects the group of the record to have changed by it; returns whether the test knows the group and a measure. */
function expectChange(trial: Trial, called: Operation, { caller, record, before, after }: Change): boolean {
  const key: Record<string, Json> = {};
  for (const name of groupNames(called)) {
    const value = valueOf(trial, pathOf(called, `group/${name}`), caller, record);
    if (value === undefined) return false;
    key[name] = value;
  }
  const groupIn = ({ groups }: Reading): JsonObject | undefined =>
    groups.find((one) => Object.entries(key).every(([name, value]) => isSameJson(lookup(one, name) ?? null, value)));
  const [old, now] = [groupIn(before), groupIn(after)];
  if (now === undefined) {
    const path = groupNames(called).map((name) => pathOf(called, `group/${name}`))[0] ?? pathOf(called, "gives");
    throw new Broken(`a group with ${shortText(key)}`, shortText([...after.groups]), after.interaction, path);
  }
  let count = 0;
  for (const [name, measure] of Object.entries(measuresOf(called.endpoint.gives))) {
    const path = pathOf(called, `gives/${name}`);
    if (measure.function !== "count" && measure.function !== "sum") continue;
    const own = measure.argument === undefined ? 1 : valueOf(trial, path, caller, record);
    if (own === undefined) continue;
    const expected = sumOf(old === undefined ? 0 : lookup(old, name), measure.function === "count" ? Number(own) : own);
    if (expected === undefined) continue;
    count += 1;
    if (isNear(numberOf(lookup(now, name)), expected)) continue;
    throw new Broken(`\`${name}\` with ${expected}`, shortText(lookup(now, name)), after.interaction, path);
  }
  return count > 0;
}

/** Returns the value of an expression of the summary for the record; undefined if the test does not know it. */
function valueOf(trial: Trial, path: string, caller: Caller, record: KnownRecord): Json | undefined {
  const { contract } = trial;
  const typed = contract.typed.get(path);
  if (typed === undefined || !isVisible(trial, typed, caller, record)) return undefined;
  return evaluate(typed, trial.scope(caller, record))?.value as Json | undefined;
}

function isVisible(trial: Trial, typed: TypedExpression, caller: Caller, record: KnownRecord): boolean {
  // Fields of other records may be hidden, too.
  if (readsOtherRecords(typed)) return false;
  const { contract } = trial;
  const around = trial.around(record);
  return fieldsIn(typed).every((field) => fieldVisibility(contract, record.resource, field, caller, around) === true);
}

/** Returns the exact text of a number, or of an amount of money. */
function numberOf(value: Json | undefined): string | undefined {
  const amount = value !== undefined && isObject(value) ? lookup(value, "amount") : value;
  const decimal = typeof amount === "number" || typeof amount === "string" ? decimalOf(amount) : undefined;
  return decimal && plain(decimalText(decimal));
}

/** Whether two numbers are equal but for the rounding of a sum of numbers. */
function isNear(text: string | undefined, expected: string): boolean {
  const [a, b] = [Number(text), Number(expected)];
  return Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(b));
}

function sumOf(a: Json | undefined, b: Json): string | undefined {
  const [left, right] = [numberOf(a ?? 0), numberOf(b ?? 0)].map((text) =>
    text === undefined ? undefined : decimalOf(text),
  );
  return left && right && plain(decimalText(added(left, right)));
}

function plain(text: string): string {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}
