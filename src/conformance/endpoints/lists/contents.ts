/** Which records a list has: those that its `where` and its filters select, all of them and no others. */
import { withArticle } from "../../../base/case.ts";
import { isObject, type Json } from "../../../base/json.ts";
import type { Value } from "../../../expression/evaluate.ts";
import type { TypedExpression } from "../../../expression/typed.ts";
import { filterScope } from "../../../language/analysis/expressions.ts";
import { filterType } from "../../../language/endpoints/filter-type.ts";
import type { Filter } from "../../../language/endpoints/model.ts";
import { fieldsOf, lookup, referenceOf } from "../../../language/resources/fields.ts";
import type { FieldType } from "../../../language/resources/model.ts";
import { type Aspect, Broken, type Case, NotTried } from "../../case.ts";
import type { Contract, Operation } from "../../contract.ts";
import { statusText } from "../../errors/expected.ts";
import { knownTruth } from "../../known-truth.ts";
import { mayRun } from "../../permissions.ts";
import { expressionValue, type KnownRecord, textOf } from "../../trial/known.ts";
import { pagesOf, type ReadPage } from "../../trial/pages.ts";
import type { Parameter } from "../../trial/parameters.ts";
import type { Trial } from "../../trial/trial.ts";
import { findRecord } from "../../trial/world.ts";
import { problemOf } from "../../values/fits.ts";
import { samplesOf } from "../matching.ts";
import { hasType } from "../queries.ts";
import { callersOf, ifPossible, operationCase, pathOf } from "../subjects.ts";
import { isListed, linkFor, type Listed, listed, listsOf, narrowingFor } from "./listed.ts";
import type { Query } from "../../trial/parameters.ts";
import { keyOf, keysOf, mostPages, optionsOf } from "./walk.ts";

export function contentCases(contract: Contract): readonly Case[] {
  return listsOf(contract).flatMap((called) => [
    ...selects(contract, called),
    ...Object.entries(called.endpoint.filters ?? {}).flatMap(([name, filter]) => {
      const type = typeOf(contract, called, name, filter);
      return [
        filters(contract, called, name, filter),
        ...(type === undefined ? [] : hasType(contract, called, `filters/${name}`, parameterOf(type, filter.several))),
      ];
    }),
  ]);
}

// ── where ──────────────────────────────────────────────────────────────────────────────────────────────────────────

function selects(contract: Contract, called: Operation): readonly Case[] {
  const { operation, resource, endpoint } = called;
  const condition = contract.typed.get(pathOf(called, "where"));
  if (endpoint.where === undefined || resource === undefined) return [];
  return [
    operationCase(
      called,
      "where",
      [{ path: pathOf(called, "where"), expects: `the list has the records of which \`${endpoint.where}\` is true` }],
      async (trial) => {
        const [caller] = await callersOf(trial, called);
        if (condition === undefined || caller === undefined) throw new NotTried(`the test cannot read ${operation}`);
        const { parent, values, query } = await narrowingFor(trial, called, caller);
        const holds = (record: KnownRecord): boolean | undefined => {
          const may = mayRun(contract, operation, caller, trial.around(record));
          return may === true ? isListed(trial, called, caller, record, query) : undefined;
        };
        const wish = { values, ...(parent === undefined ? {} : { parent }) };
        const samples = await samplesOf(trial, { resource, condition, caller, holds, wish });
        const linked = await ifPossible(() => listed(trial, called, 1));
        const isSame = linked?.caller === caller && linked.isNarrow === false;
        const wanted = [
          ...samples.flatMap(({ record, isTrue }) => (isTrue ? [record] : [])),
          ...(isSame ? linked.records : []),
        ];
        const other = samples.flatMap(({ record, isTrue }) => (isTrue ? [] : [record]));
        if (wanted.length + other.length === 0)
          throw new NotTried(`the test does not know which records \`${endpoint.where}\` selects`);
        const records = [...wanted, ...other];
        const list: Listed = {
          ...{ called, caller, query, records, isNarrow: false },
          add: () => trial.make(resource),
        };
        await expectOnly(trial, list, {}, { wanted, other, path: pathOf(called, "where") });
      },
    ),
  ];
}

interface Selected {
  readonly wanted: readonly KnownRecord[];
  /** Records that are not in the list. */
  readonly other: readonly KnownRecord[];
  readonly path: string;
}

/** Expects some records on the pages of a list, and others not. */
async function expectOnly(trial: Trial, list: Listed, query: Query, { wanted, path }: Selected): Promise<void> {
  const { contract } = trial;
  const { called, records } = list;
  const options = optionsOf(trial, list);
  const missing = new Set(wanted);
  let last: ReadPage | undefined;
  for await (const page of pagesOf(trial, called, { ...options, query: { ...options.query, ...query } }, mostPages)) {
    last = page;
    const keys = keysOf(contract, list, page);
    if (keys === undefined)
      throw new NotTried(`nothing in the list identifies ${withArticle(called.resource ?? "record")}`);
    for (const record of records) {
      if (!keys.includes(keyOf(contract, list, page, record) ?? "")) continue;
      if (!wanted.includes(record))
        throw new Broken("only the selected records", "another one", page.interaction, path);
      missing.delete(record);
    }
    // The records of the case are the newest ones.
    if (missing.size === 0 && !list.isNarrow && last.items.length > records.length) return;
  }
  if (last?.following !== undefined) throw new NotTried("the list has too many pages");
  if (missing.size > 0) throw new Broken("all selected records", "one is missing", last?.interaction, path);
}

// ── Filters ────────────────────────────────────────────────────────────────────────────────────────────────────────

function about(called: Operation, name: string, expects: string): readonly [Aspect] {
  return [{ path: pathOf(called, `filters/${name}`), expects }];
}

/** How many values of a filter the test tries. */
const mostValues = 4;
/** How many records more the test makes until there is a value. */
const mostMore = 4;

function filters(contract: Contract, called: Operation, name: string, filter: Filter): Case {
  const { operation } = called;
  const path = pathOf(called, `filters/${name}`);
  const aspects = about(called, name, `\`${name}\` selects the records of which \`${filter.if}\` is true`);
  return operationCase(called, `${name}`, aspects, async (trial) => {
    const condition = contract.typed.get(`${path}/if`);
    if (condition === undefined) throw new NotTried("the test cannot evaluate the condition");
    const list = await listed(trial, called, 3);
    for (const record of list.records) await trial.look(record);
    const type = typeOf(contract, called, name, filter);
    const found = choices(trial, list, { condition, name, type });
    const [first] = list.records;
    const isLinked = found.length === 0 && first !== undefined && (await linkFor(trial, condition, list.caller, first));
    // A list in a record may be empty by chance.
    for (let count = 0; count < mostMore && found.length === 0 && !isLinked; count += 1) {
      const more = await ifPossible(() => list.add());
      if (more === undefined) break;
      list.records.push(more);
    }
    const values = found.length > 0 ? found : choices(trial, list, { condition, name, type });
    if (values.length === 0) throw new NotTried(`the test does not know a value for which \`${filter.if}\` is true`);
    let rejected: string | undefined;
    for (const { text, wanted, other } of values.slice(0, mostValues)) {
      const options = optionsOf(trial, list);
      const query = { ...options.query, [name]: text };
      const response = trial.responseOf(await trial.call(operation, { ...options, query }));
      if (response.status >= 300) rejected = statusText(contract, response);
      else await expectOnly(trial, list, { [name]: text }, { wanted, other, path });
      if (rejected !== undefined && response.status < 300) return;
    }
    if (rejected !== undefined) throw new Broken(`a list with \`${name}\``, rejected, trial.interactions.at(-1));
  });
}

/** Returns the type that the filter declares, or that of the field with which its condition compares the value. */
function typeOf({ model }: Contract, called: Operation, name: string, filter: Filter): FieldType | undefined {
  return filterType(model, called, name, filter, filterScope(model, called.operation));
}

interface Choice {
  readonly text: string;
  /** The records that the filter selects with this value. */
  readonly wanted: readonly KnownRecord[];
  /** Those that it does not select. */
  readonly other: readonly KnownRecord[];
}

/** Returns values with which the filter selects some of the records, the most telling ones first. */
function choices(
  trial: Trial,
  list: Listed,
  {
    condition,
    name,
    type,
  }: { readonly condition: TypedExpression; readonly name: string; readonly type: FieldType | undefined },
): readonly Choice[] {
  const { contract } = trial;
  const candidates = new Map<string, Json>();
  for (const record of list.records) {
    for (const one of valuesOf(trial, record)) {
      // A list of values is sent with commas; the test sends one value.
      const value = type?.kind === "list" ? [one] : one;
      if (type?.kind === "list" && textOf(one).includes(",")) continue;
      const isValid = type === undefined || problemOf(contract, type, value, "input") === undefined;
      if (isValid && textOf(one) !== "") candidates.set(textOf(one), value);
    }
  }
  const found = [...candidates].flatMap(([text, json]): Choice[] => {
    const value = valueFor(contract, type, json);
    const results = list.records.map((record) =>
      knownTruth(trial, condition, { ...trial.scope(list.caller, record), value, variables: { [name]: value } }),
    );
    const [wanted, other] = [true, false].map((result) => list.records.filter((_, index) => results[index] === result));
    return wanted === undefined || wanted.length === 0 ? [] : [{ text, wanted, other: other ?? [] }];
  });
  return found.toSorted((one, other) => one.wanted.length - other.wanted.length);
}

/** Returns what the record and the records to which it refers have: texts, numbers, and the numbers next to them. */
function valuesOf(trial: Trial, record: KnownRecord): readonly Json[] {
  const { contract, world } = trial;
  const referred = Object.entries(fieldsOf(contract.model, record.resource)).flatMap(([name, { type }]) => {
    const resource = referenceOf(contract.model, type);
    const id = record.values.get(name);
    const found = resource === undefined || id === undefined ? undefined : findRecord(world, resource, id);
    return found === undefined ? [] : [...found.values.values()];
  });
  return [...record.values.values(), ...referred].flatMap(scalarsIn);
}

function scalarsIn(value: Json): readonly Json[] {
  if (Array.isArray(value)) return value.flatMap((item: Json) => scalarsIn(item));
  if (value === null || isObject(value)) return [];
  return typeof value === "number" && Number.isInteger(value) ? [value, value - 1, value + 1] : [value];
}

/** Returns the value as expressions see it. */
function valueFor({ model }: Contract, type: FieldType | undefined, json: Json): Value {
  if (type?.kind !== "scalar") return json as Value;
  // A field of the type, of any resource, has the same form.
  for (const [resource, { fields }] of Object.entries(model.resources.resources)) {
    const name = Object.keys(fields).find((one) => {
      const other = lookup(fields, one)?.type;
      return other?.kind === "scalar" && other.name === type.name;
    });
    if (name !== undefined) return expressionValue(model, resource, name, json);
  }
  return json as Value;
}

/** Returns a filter as a parameter of `query`. */
function parameterOf(type: FieldType, several: Filter["several"]): Parameter {
  return { type, marks: several === "repeated" ? ["repeated"] : [] };
}
