/** Fields by which lists are filtered, sorted and searched: what a list returns fits, and what fits is in the list. */
import type { Json } from "../../base/json.ts";
import { type FilterOperator, parametersOf } from "../../language/endpoints/filter-parameters.ts";
import { listStyleOf } from "../../language/endpoints/list-style.ts";
import { bareType, fieldsOf, lookup } from "../../language/resources/fields.ts";
import type { Field, FieldType } from "../../language/resources/model.ts";
import { ifPossible } from "../attempts.ts";
import { Broken, type Case, NotTried, shortText } from "../case.ts";
import type { Caller } from "../caller.ts";
import { mayRun, fieldVisibility } from "../permissions.ts";
import { transitionsOf } from "../effects.ts";
import type { Contract, Operation } from "../contract.ts";
import { statusText } from "../errors/expected.ts";
import { listNames, recordIn, visibleValue, sortedBy } from "../response.ts";
import { type KnownRecord, textOf } from "../trial/known.ts";
import { itemOf, pagesOf, type ReadPage } from "../trial/pages.ts";
import type { Trial } from "../trial/trial.ts";
import { problemOf } from "../values/fits.ts";
import { isSame } from "../values/same.ts";
import { isInvalid } from "./outcome.ts";
import { pairsOf, type Query } from "../trial/parameters.ts";
import { creationsOf, otherValue, readField, sets } from "./writing.ts";

export function listCases(contract: Contract): readonly Case[] {
  const lists = [...contract.operations.values()].filter(
    (one) => one.action === "list" && one.kind === "resource" && one.endpoint.where === undefined,
  );
  return lists.flatMap((list) => {
    const resource = list.resource as string;
    return Object.entries(fieldsOf(contract.model, resource)).flatMap(([name, field]) => [
      ...(field.marks.includes("filter") ? [filters(contract, list, resource, name, field)] : []),
      ...(field.marks.includes("sort") ? [sorts(contract, list, resource, name, field)] : []),
      ...(field.marks.includes("search") ? [searches(contract, list, resource, name, field)] : []),
    ]);
  });
}

/** How many pages the test reads to find a record. */
const mostPages = 8;

interface Read {
  /** The values of the field in the items that show it. */
  readonly values: readonly Json[];
  /** Whether the list contains the record; undefined if the test has not read all of it. */
  readonly has: (record: KnownRecord) => boolean | undefined;
  /** Returns the finding that the last page shows. */
  readonly broken: (expected: string, got: string) => Broken;
}

interface Reading {
  readonly caller: Caller;
  readonly record: KnownRecord;
  readonly query: Query;
  /** The field that the list is about. */
  readonly name: string;
  /** The statement that declares the parameters, if it is not the field. */
  readonly path?: string | undefined;
}

/** Expects a list not to reject its parameters. */
async function expectParameters(
  trial: Trial,
  list: Operation,
  { caller, record, query, name, path }: Reading,
): Promise<void> {
  const { contract } = trial;
  const interaction = await trial.call(list.operation, { caller, record, query });
  const response = trial.responseOf(interaction);
  if (response.status < 400 || !isInvalid(contract, list, response, [])) return;
  const text = pairsOf(query).map(([parameter, value]) => `?${parameter}=${value}`);
  throw new Broken(
    `\`${text.join("")}\` of ${list.operation} to be accepted`,
    statusText(contract, response),
    interaction,
    path ?? `resources/${list.resource}/${name}`,
  );
}

async function readList(trial: Trial, list: Operation, reading: Reading): Promise<Read> {
  const { contract } = trial;
  const { caller, record, query, name } = reading;
  await expectParameters(trial, list, reading);
  const pages: ReadPage[] = [];
  for await (const page of pagesOf(trial, list, { caller, record, query }, mostPages)) pages.push(page);
  const last = pages.at(-1);
  const isComplete = last === undefined || last.following === undefined;
  const observed = pages.flatMap(({ items }) => items.flatMap((item) => recordIn(contract, list, item) ?? []));
  return {
    broken: (expected, got) => new Broken(expected, got, last?.interaction, reading.path),
    values: observed.flatMap((one) => visibleValue(contract, list.resource, one, name) ?? []),
    has: (one) => {
      const found = pages.map((page) => itemOf(contract, list, page, one));
      if (found.some((item) => item !== undefined && item !== "unknown")) return true;
      return isComplete && !found.includes("unknown") ? false : undefined;
    },
  };
}

// ── Filters ────────────────────────────────────────────────────────────────────────────────────────────────────────

function filters(contract: Contract, list: Operation, resource: string, name: string, field: Field): Case {
  const { operation } = list;
  const path = `resources/${resource}/${name}`;
  const statements = [...new Set(Object.values(operatorPaths(contract, list)))];
  return {
    id: `${path}: filter of ${operation}`,
    aspects: [
      { path, expects: `\`?${name}=\` of ${operation} selects exactly the records with the value` },
      ...statements.map((one) => ({ path: one, expects: `the filters of ${operation} have the declared parameters` })),
    ],
    operation,
    run: async (trial) => {
      const { one, other, caller, value } = await pairFor(trial, list, name, field);
      const check = async (parameter: string, { fits, isIn, text }: Selection, at?: string) => {
        const query = { [parameter]: text };
        const read = await readList(trial, list, { caller, record: one, query, name, path: at });
        const wrong = read.values.find((found) => !fits(found));
        const observed = `?${parameter}=${text}`;
        if (wrong !== undefined)
          throw read.broken(`only records that fit \`${observed}\``, `one with ${shortText(wrong)}`);
        if (read.has(one) === !isIn)
          throw read.broken(
            `${isIn ? "the" : "no"} record with ${shortText(value)} for \`${observed}\``,
            isIn ? "no such record" : "the record",
          );
        if (other !== undefined && parameter === name && read.has(other) === true)
          throw read.broken(`no record with another value for \`${observed}\``, "such a record");
      };
      const { model } = trial.contract;
      const isEqual = (found: Json): boolean => isSame(model, field.type, value, found);
      const { operators } = listStyleOf(model, list.endpoint);
      for (const parameter of parametersOf(name, field, operators)) {
        const selection = selectionOf(parameter.operator, field.type, value, isEqual);
        if (selection !== undefined)
          await check(parameter.name, selection, operatorPaths(contract, list)[parameter.operator]);
      }
    },
  };
}

/** Returns the paths of the statements that declare the parameters of filters, by operator. */
function operatorPaths(
  { model }: Contract,
  { endpoint, operation }: Operation,
): { readonly [Operator in FilterOperator]?: string } {
  const declared = (path: string, operators: object = {}) =>
    Object.fromEntries(Object.keys(operators).map((operator) => [operator, path]));
  return {
    ...declared("endpoints/lists", model.endpoints.lists?.operators),
    ...declared(`endpoints/endpoints/${operation}/lists`, endpoint.lists?.operators),
  };
}

/** What a filter with an operator and the value of a record selects: which values fit, and whether the record is among them. */
interface Selection {
  readonly text: string;
  readonly fits: (found: Json) => boolean;
  readonly isIn: boolean;
}

function selectionOf(
  operator: FilterOperator,
  type: FieldType,
  value: Json,
  isEqual: (found: Json) => boolean,
): Selection | undefined {
  const text = textOf(value);
  const order = (found: Json): number | undefined => compare(type, found, value);
  // Texts of other letters are in upper or lower case in different ways.
  const part = /[a-z0-9]+/.exec(text)?.[0];
  const found = (one: Json): string => textOf(one).toLowerCase();
  switch (operator) {
    case "eq":
    case "in":
      return { text, fits: isEqual, isIn: true };
    case "ne":
    case "nin":
      return { text, fits: (one) => !isEqual(one), isIn: false };
    case "gte":
      return { text, fits: (one) => (order(one) ?? 0) >= 0, isIn: true };
    case "gt":
      return { text, fits: (one) => (order(one) ?? 1) > 0, isIn: false };
    case "lte":
      return { text, fits: (one) => (order(one) ?? 0) <= 0, isIn: true };
    case "lt":
      return { text, fits: (one) => (order(one) ?? -1) < 0, isIn: false };
    case "contains":
      return part === undefined ? undefined : { text: part, fits: (one) => found(one).includes(part), isIn: true };
    case "startsWith":
      return part === undefined || !text.startsWith(part)
        ? undefined
        : { text: part.toUpperCase(), fits: (one) => found(one).startsWith(part), isIn: true };
    case "null":
      return { text: "false", fits: () => true, isIn: true };
  }
}

interface PairOfRecords {
  readonly one: KnownRecord;
  /** A record with another value; undefined if the test cannot make one. */
  readonly other: KnownRecord | undefined;
  /** A caller who sees both in the list, with the field. */
  readonly caller: Caller;
  /** The value of the first record. */
  readonly value: Json;
}

async function pairFor(
  trial: Trial,
  list: Operation,
  name: string,
  field: Field,
  chosen?: Json,
): Promise<PairOfRecords> {
  const { contract } = trial;
  const resource = list.resource as string;
  const isSettable = creationsOf(contract, resource).some((write) => sets(write, name));
  const first = isSettable ? (chosen ?? (await otherValue(trial, field.type, [null]))) : undefined;
  const one = await makeWith(trial, resource, name, first);
  const value = await readField(trial, one, name);
  if (value === undefined || value === null) throw new NotTried(`no response shows \`${name}\``);
  const caller = (await trial.callers()).find(
    (each) =>
      mayRun(contract, list.operation, each, trial.around(one)) === true &&
      fieldVisibility(contract, resource, name, each, trial.around(one)) === true,
  );
  if (caller === undefined) throw new NotTried(`no caller of the test sees \`${name}\` in ${list.operation}`);
  const second = isSettable ? await otherValue(trial, field.type, [value]) : undefined;
  const other = second === undefined ? undefined : await otherRecord(trial, list, one, { [name]: second });
  // A transition of the new record may set the field, to the value of the first one, too.
  const isOther = other !== undefined && !isSame(contract.model, field.type, value, other.observed.get(name) ?? second);
  return { one, other: isOther ? other : undefined, caller, value };
}

/** Makes a record with the field: if no request sets it, in a state in which a transition has set it. */
async function makeWith(trial: Trial, resource: string, name: string, value: Json | undefined): Promise<KnownRecord> {
  if (value !== undefined) return trial.make(resource, { values: { [name]: value } });
  const setting = transitionsOf(trial.contract).find(
    (one) => one.resource === resource && lookup(one.trigger.set ?? {}, name) !== undefined,
  );
  const isOptional = lookup(fieldsOf(trial.contract.model, resource), name)?.optional === true;
  return trial.make(resource, setting !== undefined && isOptional ? { state: setting.to } : {});
}

/** Makes another record, below the same one if the list is below one. */
async function otherRecord(
  trial: Trial,
  { parents, resource }: Operation,
  one: KnownRecord,
  values: Readonly<Record<string, Json>>,
): Promise<KnownRecord | undefined> {
  const parent = parents.at(-1);
  const id = parent === undefined ? undefined : one.values.get(parent.field);
  const around = trial.world.records.find((each) => each.resource === parent?.resource && each.values.get("id") === id);
  return ifPossible(() => trial.make(resource as string, { values, creator: one.creator, parent: around }));
}

/** Compares two values of an ordered type; undefined if their order depends on how texts are compared. */
function compare(type: FieldType, one: Json, other: Json): number | undefined {
  if (typeof one === "number" && typeof other === "number") return one - other;
  if (typeof one !== "string" || typeof other !== "string") return undefined;
  const bare = bareType(type);
  if (bare.kind === "scalar" && bare.name === "datetime") return Date.parse(one) - Date.parse(other);
  if (bare.kind === "scalar" && (bare.name === "date" || bare.name === "time"))
    return one < other ? -1 : Number(one > other);
  if (![one, other].every((text) => /^[a-z0-9]+$/.test(text))) return undefined;
  return one < other ? -1 : Number(one > other);
}

// ── Orders ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function sorts(contract: Contract, list: Operation, resource: string, name: string, field: Field): Case {
  const { operation } = list;
  const path = `resources/${resource}/${name}`;
  const { sort } = listNames(contract, list);
  return {
    id: `${path}: order of ${operation}`,
    aspects: [{ path, expects: `\`?${sort}=${name}\` of ${operation} sorts the records, in both directions` }],
    operation,
    run: async (trial) => {
      const { one, caller } = await pairFor(trial, list, name, field);
      for (const { query, sign } of sortedBy(contract, list, name)) {
        const { broken, values } = await readList(trial, list, { caller, record: one, query, name });
        if (values.length < 2) throw new NotTried(`the list shows fewer than two records with \`${name}\``);
        const wrong = values.findIndex((value, index) => {
          const before = index === 0 ? undefined : values[index - 1];
          return before !== undefined && (compare(field.type, before, value) ?? 0) * sign > 0;
        });
        if (wrong >= 0)
          throw broken(
            `records in the order \`${new URLSearchParams(query).toString()}\``,
            `${shortText(values[wrong - 1])} before ${shortText(values[wrong])}`,
          );
      }
    },
  };
}

// ── Searches ───────────────────────────────────────────────────────────────────────────────────────────────────────

function searches(contract: Contract, list: Operation, resource: string, name: string, field: Field): Case {
  const { operation } = list;
  const path = `resources/${resource}/${name}`;
  const { search } = listNames(contract, list);
  return {
    id: `${path}: search of ${operation}`,
    aspects: [{ path, expects: `\`?${search}=\` of ${operation} finds words in \`${name}\`, in whatever case` }],
    operation,
    run: async (trial) => {
      const word = trial.random.text(8, "abcdefghijklmnopqrstuvwxyz");
      const isFit = problemOf(contract, field.type, word, "input") === undefined;
      const { one, other, caller, value } = await pairFor(trial, list, name, field, isFit ? word : undefined);
      const found = isFit ? word : /[a-z0-9]{4,}/i.exec(textOf(value))?.[0];
      if (found === undefined) throw new NotTried(`the test finds no word in \`${name}\``);
      for (const text of [found, found.toUpperCase()]) {
        const read = await readList(trial, list, { caller, record: one, query: { [search]: text }, name });
        if (read.has(one) === false)
          throw read.broken(`the record with ${shortText(value)} for \`${search}=${text}\``, "no such record");
        if (isFit && other !== undefined && read.has(other) === true)
          throw read.broken(`no record without the word ${text}`, "such a record");
      }
    },
  };
}
