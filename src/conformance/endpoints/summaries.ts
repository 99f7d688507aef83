/**
 * Summaries: the test does not know all records, but it knows by how much one more record changes its group; and of records that a
 * parameter or the path selects, it knows all groups and figures.
 */
import { withArticle } from "../../base/case.ts";
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { fieldsIn, readsOtherRecords, type TypedExpression } from "../../expression/typed.ts";
import { type MeasureFunction, measuresOf } from "../../language/endpoints/summary.ts";
import { lookup } from "../../language/resources/fields.ts";
import { furtherWriteSites } from "../../language/states/further-writes.ts";
import { Broken, type Case, NotTried, shortText } from "../case.ts";
import type { Caller } from "../caller.ts";
import type { Contract, Operation } from "../contract.ts";
import { transitionsOf } from "../effects.ts";
import { neededSuccess } from "../expect.ts";
import { evaluate } from "../expressions.ts";
import type { Interaction } from "../interaction.ts";
import { endOf } from "../limits/calendar.ts";
import { fieldVisibility, mayRun } from "../permissions.ts";
import type { CallOptions } from "../trial/calls.ts";
import type { KnownRecord } from "../trial/known.ts";
import { pagesOf } from "../trial/pages.ts";
import type { Wish } from "../trial/records.ts";
import type { Trial } from "../trial/trial.ts";
import { presentOf, recordsOf } from "../trial/world.ts";
import { isSameJson } from "../values/same.ts";
import { isListed, listed } from "./lists/listed.ts";
import { isMeasured, measured, plus, rankOf } from "./measures.ts";
import { aspectsOf, callersOf, ifPossible, operationCase, pathOf, plainOperations } from "./subjects.ts";

export function summaryCases(contract: Contract): readonly Case[] {
  const summaries = plainOperations(contract).filter(({ action }) => action === "summary");
  return summaries.flatMap((called) => [
    follows(contract, called),
    isExact(contract, called),
    excludes(contract, called),
    ...followsZone(contract, called),
  ]);
}

/** Returns the aspects of all groups and measures. */
function aspectsOfAll(contract: Contract, called: Operation, expects: string): Case["aspects"] {
  const groups = groupNames(called).map((name) => `group/${name}`);
  const members = ["gives", "group", "where", ...groups, ...measureNames(called)];
  return aspectsOf(contract, called, members, expects);
}

/** One more record changes its group, and no other one. */
function follows(contract: Contract, called: Operation): Case {
  const aspects = aspectsOfAll(contract, called, "the groups follow their records");
  const run: Case["run"] = async (trial) => {
    const caller = await trial.callerFor(called.operation);
    let count = 0;
    for (let attempt = 0; attempt < 2; attempt += 1) if (await followsOne(trial, called, caller)) count += 1;
    if (count === 0)
      throw new NotTried(`the test does not know what ${withArticle(called.resource ?? "record")} changes`);
  };
  return operationCase(called, "groups", aspects, run, { exclusive: true });
}

/** Makes a record, and compares the groups before and after. Returns false if the test does not know which group has to change. */
async function followsOne(trial: Trial, called: Operation, caller: Caller): Promise<boolean> {
  const before = await read(trial, called, { caller });
  const record = await makeSingle(trial, called, {});
  if (record === undefined || isListed(trial, called, caller, record) !== true) return false;
  const after = await read(trial, called, { caller });
  return expectChange(trial, called, { caller, record, before, after });
}

/** Makes one record of the resource; undefined if the test had to make or delete others, too. */
async function makeSingle(trial: Trial, { resource = "" }: Operation, wish: Wish): Promise<KnownRecord | undefined> {
  const count = (): number => recordsOf(trial.world, resource).filter((one) => !one.isDeleted).length;
  const before = count();
  const record = await ifPossible(() => trial.make(resource, wish));
  if (record === undefined || count() !== before + 1) return undefined;
  await trial.look(record);
  return record;
}

/** Whether a new record changes nothing else that the summary reads: no other record of the resource, and no value in one. */
function isIndependent(contract: Contract, called: Operation): boolean {
  const { model, typed } = contract;
  const { endpoint, resource = "" } = called;
  const isWritten = furtherWriteSites(model).some(({ write }) => write.resource === resource);
  const isTriggered = transitionsOf(contract).some(
    ({ resource: of, trigger }) => of === resource && trigger.on.kind === "when",
  );
  const paths = [
    ...[...groupNames(called).map((name) => `group/${name}`), ...measureNames(called)],
    ...(endpoint.where === undefined ? [] : ["where"]),
  ];
  const read = paths.flatMap((one) => typed.get(pathOf(called, one)) ?? []);
  return !isWritten && !isTriggered && !read.some(readsOtherRecords);
}

/** How many records the test makes to know all groups, and at most if optional members are absent in most of them. */
const [fewRecords, mostRecords] = [5, 12];

/** Whether the argument of a measure has no two values in the records: then an average is the same as a minimum. */
function hasFewValues(trial: Trial, called: Operation, caller: Caller, records: readonly KnownRecord[]): boolean {
  return Object.entries(measuresOf(called.endpoint.gives)).some(([name, { argument }]) => {
    const path = pathOf(called, `gives/${name}`);
    const values = records.map((one) => JSON.stringify(valueOf(trial, path, caller, one) ?? null));
    return argument !== undefined && new Set(values.filter((one) => one !== "null")).size < 2;
  });
}

/** Of records that a parameter or the path selects, the test knows all groups and their figures. */
function isExact(contract: Contract, called: Operation): Case {
  const aspects = aspectsOfAll(contract, called, "the groups are exactly those of the records");
  return operationCase(
    called,
    "exact groups",
    aspects,
    async (trial) => {
      const { add, caller, isNarrow, query, records } = await listed(trial, called, fewRecords);
      const [record] = records;
      if (!isNarrow) throw new NotTried(`no parameter of ${called.operation} selects the records of the test alone`);
      for (const one of records) await trial.look(one);
      while (records.length < mostRecords && hasFewValues(trial, called, caller, records)) {
        const one = await add();
        await trial.look(one);
        records.push(one);
      }
      const reading = await read(trial, called, { caller, record, query });
      expectOrder(called, reading);
      const keys = records.map((one) => keyFor(trial, called, caller, one));
      if (keys.includes(undefined)) throw new NotTried("the test does not know the groups of its records");
      const groups = Map.groupBy(records, (one) => JSON.stringify(keyFor(trial, called, caller, one)));
      const path = pathOf(called, groups.size === 1 && groupNames(called).length === 0 ? "gives" : "group");
      if (reading.groups.length !== groups.size)
        throw new Broken(`${groups.size} groups`, shortText([...reading.groups]), reading.interaction, path);
      for (const [text, some] of groups) {
        const group = groupIn(reading, JSON.parse(text) as JsonObject);
        if (group === undefined)
          throw new Broken(`a group with ${text}`, shortText([...reading.groups]), reading.interaction, path);
        expectMeasures(trial, called, { caller, records: some, group, reading });
      }
    },
    { exclusive: true },
  );
}

/** A record that the caller may not list, or that `where` does not select, changes nothing. */
function excludes(contract: Contract, called: Operation): Case {
  const { operation, resource = "" } = called;
  const allow = `authentication/allow/${operation}`;
  const expects = `only records that ${operation} lists are in its groups`;
  const written = contract.places.has(allow) ? [{ path: allow, expects }] : [];
  const aspects = aspectsOf(contract, called, ["where"], expects);
  return operationCase(
    called,
    "other records",
    [...aspects, ...written],
    async (trial) => {
      if (!isIndependent(contract, called)) throw new NotTried(`a new ${resource} may change other records`);
      let count = 0;
      for (const caller of await callersOf(trial, called))
        for (const creator of await trial.callers()) {
          const before = await ifPossible(() => read(trial, called, { caller }));
          const record = before && (await makeSingle(trial, called, { creator }));
          if (before === undefined || record === undefined) continue;
          if (isListed(trial, called, caller, record) !== false) continue;
          count += 1;
          const after = await read(trial, called, { caller });
          if (isSameJson([...before.groups], [...after.groups])) continue;
          const isWhere = mayRun(contract, operation, caller, trial.around(record)) === true;
          const path = isWhere ? pathOf(called, "where") : allow;
          throw new Broken(
            `groups without the ${resource} of ${creator.name}`,
            "other groups after it",
            after.interaction,
            path,
          );
        }
      if (count === 0) throw new NotTried(`the test makes no ${resource} that ${operation} leaves out`);
    },
    { exclusive: true },
  );
}

/** How far from midnight the test makes records. */
const marginMilliseconds = 60_000;

/** A group that is a day, a week or a month of a time zone changes at midnight there. */
function followsZone(contract: Contract, called: Operation): readonly Case[] {
  return Object.entries(called.endpoint.group ?? {}).flatMap(([name, text]) => {
    const [, window = "", zone = ""] = /\b(date|week|month)\([^'"]*['"]([^'"]+)['"]\)/.exec(text) ?? [];
    const unit = window === "date" ? "day" : window;
    if (unit === "") return [];
    const aspects = aspectsOf(contract, called, [`group/${name}`], `\`${name}\` changes at midnight in ${zone}`);
    const run: Case["run"] = async (trial) => {
      const caller = await trial.callerFor(called.operation);
      const present = (): number => presentOf(trial.world);
      const end = endOf({ window: unit, zone }, present());
      if (end === undefined) throw new NotTried(`the test does not know the time zone ${zone}`);
      await trial.pass(Math.max(0, end - marginMilliseconds - present()));
      const early = await followsOne(trial, called, caller);
      await trial.pass(Math.max(0, end + marginMilliseconds - present()));
      const late = await followsOne(trial, called, caller);
      if (!early && !late)
        throw new NotTried(`the test does not know what ${withArticle(called.resource ?? "record")} changes`);
    };
    return [operationCase(called, `${name} at midnight`, aspects, run, { exclusive: true, last: true })];
  });
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
async function read(trial: Trial, called: Operation, options: CallOptions): Promise<Reading> {
  if (groupNames(called).length === 0) {
    const interaction = await trial.call(called.operation, options);
    const { json } = neededSuccess(trial, interaction);
    return { groups: json !== undefined && isObject(json) ? [json] : [], interaction };
  }
  const groups: JsonObject[] = [];
  let interaction: Interaction | undefined;
  for await (const page of pagesOf(trial, called, options, mostPages)) {
    ({ interaction } = page);
    groups.push(...page.items.filter((item) => isObject(item)));
  }
  if (interaction === undefined) throw new NotTried(`${called.operation} has no page`);
  return { groups, interaction };
}

/** Expects the items in the order that the document declares, as far as the test knows how values are ordered. */
function expectOrder(called: Operation, { groups, interaction }: Reading): void {
  const { order = [] } = called.endpoint;
  for (const [index, group] of groups.slice(1).entries()) {
    for (const { field, descending } of order) {
      const [one, other] = [groups[index], group].map((item) => rankOf(item && lookup(item, field)));
      if (one === undefined || other === undefined) break;
      if (one === other) continue;
      if (descending === true ? one > other : one < other) break;
      const expected = `the order ${order.map((key) => `${key.descending === true ? "-" : ""}${key.field}`).join(", ")}`;
      throw new Broken(expected, shortText([...groups]), interaction, pathOf(called, "order"));
    }
  }
}

/** Returns the group of a record by its members; undefined if the test does not know it. */
function keyFor(trial: Trial, called: Operation, caller: Caller, record: KnownRecord): JsonObject | undefined {
  const key: Record<string, Json> = {};
  for (const name of groupNames(called)) {
    const value = valueOf(trial, pathOf(called, `group/${name}`), caller, record);
    if (value === undefined) return undefined;
    key[name] = value;
  }
  return key;
}

function groupIn({ groups }: Reading, key: JsonObject): JsonObject | undefined {
  return groups.find((one) =>
    Object.entries(key).every(([name, value]) => isSameJson(lookup(one, name) ?? null, value as Json)),
  );
}

interface Measured {
  readonly caller: Caller;
  /** All records of the group. */
  readonly records: readonly KnownRecord[];
  readonly group: JsonObject;
  readonly reading: Reading;
}

function expectMeasures(trial: Trial, called: Operation, { caller, records, group, reading }: Measured): void {
  for (const [name, measure] of Object.entries(measuresOf(called.endpoint.gives))) {
    const path = pathOf(called, `gives/${name}`);
    const values = records.map((one) => (measure.argument === undefined ? true : valueOf(trial, path, caller, one)));
    if (values.includes(undefined)) continue;
    const expected = measured(measure.function, values as readonly Json[]);
    if (expected === undefined || isMeasured(lookup(group, name), expected)) continue;
    throw new Broken(`\`${name}\` with ${expected}`, shortText(lookup(group, name)), reading.interaction, path);
  }
}

interface Change {
  readonly caller: Caller;
  readonly record: KnownRecord;
  readonly before: Reading;
  readonly after: Reading;
}

/** Expects the group of the record, and no other one, to have changed by it; returns whether the test knows the group and a measure. */
function expectChange(trial: Trial, called: Operation, { caller, record, before, after }: Change): boolean {
  const key = keyFor(trial, called, caller, record);
  if (key === undefined) return false;
  const [old, now] = [groupIn(before, key), groupIn(after, key)];
  const groups = groupNames(called).map((name) => pathOf(called, `group/${name}`));
  const path = groups[0] ?? pathOf(called, "gives");
  if (now === undefined)
    throw new Broken(`a group with ${shortText(key)}`, shortText([...after.groups]), after.interaction, path);
  const others = [before, after].map(({ groups: all }) => all.filter((one) => one !== old && one !== now));
  if (isIndependent(trial.contract, called) && !isSameJson([...(others[0] ?? [])], [...(others[1] ?? [])]))
    throw new Broken(`no change but of the group ${shortText(key)}`, "other groups after it", after.interaction, path);
  if (old === undefined) {
    expectMeasures(trial, called, { caller, records: [record], group: now, reading: after });
    return true;
  }
  let count = 0;
  for (const [name, measure] of Object.entries(measuresOf(called.endpoint.gives))) {
    const at = pathOf(called, `gives/${name}`);
    const value = measure.argument === undefined ? true : valueOf(trial, at, caller, record);
    const expected = value === undefined ? undefined : changed(measure.function, lookup(old, name) ?? null, value);
    if (expected === undefined) continue;
    count += 1;
    if (isMeasured(lookup(now, name), expected)) continue;
    throw new Broken(`\`${name}\` with ${expected}`, shortText(lookup(now, name)), after.interaction, at);
  }
  return count > 0;
}

/** Returns what a measure becomes by one more value; undefined if that depends on the other values. */
function changed(measure: MeasureFunction, before: Json, value: Json): string | null | undefined {
  if (measure === "count") return plus(before ?? 0, value === null || value === false ? 0 : 1);
  if (measure === "sum") return plus(before ?? 0, value ?? 0);
  if (measure === "average") return before === null ? measured(measure, [value]) : undefined;
  return measured(measure, [before, value]);
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
