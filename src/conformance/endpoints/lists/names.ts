/** What the document calls the parameters of a list: its order, its search, and the number of all records. */
import { isImpossible } from "../../attempts.ts";
import { textOf } from "../../trial/known.ts";
import type { Json } from "../../../base/json.ts";
import { responseShape, type Shape } from "../../../language/endpoints/shape.ts";
import { bareType, fieldsOf, lookup } from "../../../language/resources/fields.ts";
import type { FieldType } from "../../../language/resources/model.ts";
import { type Aspect, Broken, type Case, NotTried, shortText } from "../../case.ts";
import type { Contract, Operation } from "../../contract.ts";
import { statusText } from "../../errors/expected.ts";
import { listNames, recordIn, sortedBy } from "../../response.ts";
import { listStyle, pagesOf, type ReadPage, stylePath } from "../../trial/pages.ts";
import type { Trial } from "../../trial/trial.ts";
import { operationCase } from "../subjects.ts";
import { hasStyle, type Listed, listed, listsOf, maximumOf } from "./listed.ts";
import { type Query, queryText } from "../../trial/parameters.ts";
import { keyOf, keysOf, mostPages, optionsOf, walk } from "./walk.ts";

export function nameCases(contract: Contract): readonly Case[] {
  return listsOf(contract).flatMap((called) => [
    ...counts(contract, called),
    ...sorts(contract, called),
    ...searches(contract, called),
    ...isNewestFirst(contract, called),
  ]);
}

// ── The number of all records ──────────────────────────────────────────────────────────────────────────────────────

function counts(contract: Contract, called: Operation): readonly Case[] {
  const { page, pageAt } = responseShape(contract.model, called);
  const path = pageAt ?? stylePath(called);
  const isCounted = page === undefined ? listNames(contract, called).count !== undefined : hasCount(page);
  if (!isCounted) return [];
  return [
    operationCase(
      called,
      "count",
      [{ path, expects: "a page has the number of records on all pages" }],
      async (trial) => {
        const list = await listed(trial, called, 3);
        const { count: total } = await walk(trial, list, maximumOf(contract, called));
        const limit = listStyle(contract, called)?.kind === "none" ? undefined : 1;
        for await (const one of pagesOf(trial, called, optionsOf(trial, list, limit), 1)) {
          if (one.count === total) return;
          throw new Broken(`the number ${total}`, shortText(one.count), one.interaction, path);
        }
      },
      {
        exclusive: true,
      },
    ),
  ];
}

function hasCount(shape: Shape): boolean {
  if (shape.kind === "object") return Object.values(shape.members).some(hasCount);
  return shape.kind === "count";
}

// ── The order ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** A list in the order of a field, by the name that the document gives the parameter. */
function sorts(contract: Contract, called: Operation): readonly Case[] {
  const { sort } = listNames(contract, called);
  const field = sortable(contract, called);
  const isWritten = (["sort", "direction"] as const).some((word) => writtenName(contract, called, word) !== undefined);
  if (!isWritten || field === undefined) return [];
  return [
    operationCase(
      called,
      `${sort}`,
      stylish(called, `\`${sort}\` orders the list`),
      async (trial) => {
        const list = await listed(trial, called, 3);
        for (const { query, sign } of sortedBy(contract, called, field)) {
          const values = await valuesIn(trial, list, query, field);
          const wrong = values.findIndex((value, index) => index > 0 && compare(values[index - 1], value) * sign > 0);
          if (wrong < 0) continue;
          const got = `${shortText(values[wrong - 1])} before ${shortText(values[wrong])}`;
          throw new Broken(`the order of ${queryText(query)}`, got, trial.interactions.at(-1));
        }
      },
      {
        exclusive: true,
      },
    ),
  ];
}

/** Returns a field with numbers or times by which the list can be ordered. Texts have an order in each language. */
function sortable({ model }: Contract, { resource }: Operation): string | undefined {
  return Object.entries(resource === undefined ? {} : fieldsOf(model, resource)).find(
    ([name, { marks, type }]) =>
      marks.includes("sort") &&
      isOrdered(type) &&
      lookup(model.authentication.show, `${resource}.${name}`) === undefined,
  )?.[0];
}

function isOrdered(type: FieldType): boolean {
  const bare = bareType(type);
  return bare.kind === "scalar" && ["integer", "number", "decimal", "date", "datetime"].includes(bare.name);
}

/** Returns the values of a field in the items of the first page. */
async function valuesIn(trial: Trial, list: Listed, query: Query, field: string): Promise<readonly Json[]> {
  const page = await firstPage(trial, list, query);
  return page.items.flatMap((item) => {
    const value = lookup(recordIn(trial.contract, list.called, item)?.record ?? {}, field);
    return value === undefined || value === null ? [] : [value];
  });
}

/** Reads a page with further parameters. @throws Broken if they are rejected */
async function firstPage(trial: Trial, list: Listed, query: Query): Promise<ReadPage> {
  const options = optionsOf(trial, list);
  try {
    for await (const page of pagesOf(trial, list.called, { ...options, query: { ...options.query, ...query } }, 1))
      return page;
  } catch (thrown) {
    if (!isImpossible(thrown)) throw thrown;
  }
  const last = trial.interactions.at(-1);
  const got = last === undefined ? "nothing" : statusText(trial.contract, trial.responseOf(last));
  throw new Broken(`a list with ${queryText(query)}`, got, last);
}

function compare(one: Json | undefined, other: Json | undefined): number {
  if (typeof one === "number" && typeof other === "number") return one - other;
  const [first, second] = [Date.parse(textOf(one)), Date.parse(textOf(other))];
  return Number.isNaN(first) || Number.isNaN(second) ? 0 : first - second;
}

/** How long the test waits so that two records are not of the same second. */
const secondMilliseconds = 1100;

/** If the order of a list can be chosen, it is the newest first if none is. */
function isNewestFirst(contract: Contract, called: Operation): readonly Case[] {
  const { operation, resource } = called;
  const fields = Object.values(resource === undefined ? {} : fieldsOf(contract.model, resource));
  if (called.endpoint.order !== undefined) return [];
  if (!hasStyle(contract, called) || !fields.some(({ marks }) => marks.includes("sort"))) return [];
  return [
    operationCase(
      called,
      "newest first",
      stylish(called, "the newest record comes first if the request names no order"),
      async (trial) => {
        const list = await listed(trial, called, 1);
        if (trial.world.target.clock === undefined) await trial.world.target.wait(secondMilliseconds);
        else await trial.pass(secondMilliseconds);
        const [older, newer] = [list.records[0], await list.add()];
        for await (const page of pagesOf(trial, called, optionsOf(trial, list), mostPages)) {
          const keys = keysOf(contract, list, page);
          const newest = keys?.indexOf(keyOf(contract, list, page, newer) ?? "") ?? -1;
          const oldest = older === undefined ? -1 : (keys?.indexOf(keyOf(contract, list, page, older) ?? "") ?? -1);
          if (oldest >= 0 && (newest < 0 || newest > oldest))
            throw new Broken("the newest record first", "an older one before it", page.interaction);
          if (newest >= 0) return;
        }
        throw new NotTried(`the test does not find its records in ${operation}`);
      },
      {
        exclusive: true,
      },
    ),
  ];
}

// ── The search ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** A search by the name that the document gives the parameter. */
function searches(contract: Contract, called: Operation): readonly Case[] {
  const { resource } = called;
  const { search } = listNames(contract, called);
  const fields = Object.entries(resource === undefined ? {} : fieldsOf(contract.model, resource));
  const isSearched = fields.some(
    ([name, { marks }]) =>
      marks.includes("search") && lookup(contract.model.authentication.show, `${resource}.${name}`) === undefined,
  );
  if (writtenName(contract, called, "search") === undefined || !isSearched) return [];
  return [
    operationCase(
      called,
      `${search}`,
      stylish(called, `\`${search}\` finds records with a word, and no others`),
      async (trial) => {
        const list = await listed(trial, called, 1);
        const page = await firstPage(trial, list, { [search]: `no${trial.random.text(12)}` });
        if (page.items.length === 0) return;
        throw new Broken("no record with a word that none has", `${page.items.length}`, page.interaction);
      },
    ),
  ];
}

function stylish(called: Operation, expects: string): readonly [Aspect] {
  return [{ path: stylePath(called), expects }];
}

/** Returns the name of a parameter, if the document writes one. */
function writtenName(
  { model }: Contract,
  { endpoint }: Operation,
  word: "sort" | "direction" | "search",
): string | undefined {
  return endpoint.lists?.names?.[word] ?? model.endpoints.lists?.names?.[word];
}
