/** The options of lists: their usual order, header fields and other values about a page, and the links to other pages. */
import { withArticle } from "../../../base/case.ts";
import { isObject, type Json } from "../../../base/json.ts";
import type { Value } from "../../../expression/evaluate.ts";
import { readsVariable } from "../../../expression/typed.ts";
import type { OrderKey } from "../../../language/endpoints/model.ts";
import { listStyleOf } from "../../../language/endpoints/list-style.ts";
import { responseExpressions, responseShape } from "../../../language/endpoints/shape.ts";
import { lookup } from "../../../language/resources/fields.ts";
import { type Aspect, Broken, type Case, NotTried, shortText } from "../../case.ts";
import { statusText } from "../../errors/expected.ts";
import { evaluate } from "../../expressions.ts";
import type { Contract, Operation } from "../../contract.ts";
import { listNames, pageIn, recordIn, visibleValue } from "../../response.ts";
import { pagesOf, type ReadPage, stylePath } from "../../trial/pages.ts";
import type { Trial } from "../../trial/trial.ts";
import { ifPossible, operationCase, pathOf } from "../subjects.ts";
import { otherBody } from "../../resources/defaults.ts";
import { sendWrite, writesOf } from "../../resources/writing.ts";
import { type KnownRecord, textOf } from "../../trial/known.ts";
import { type Listed, listed, listsOf, maximumOf } from "./listed.ts";
import { keyOf, keysOf, mostPages, optionsOf, walk } from "./walk.ts";

export function optionCases(contract: Contract): readonly Case[] {
  return listsOf(contract).flatMap((called) => [
    ...isInOrder(contract, called),
    ...hasValues(contract, called),
    ...hasNeighbours(contract, called),
    ...hasEnd(contract, called),
    ...hasLinks(contract, called),
  ]);
}

async function pageOf(trial: Trial, list: Listed, limit?: number): Promise<ReadPage> {
  for await (const page of pagesOf(trial, list.called, optionsOf(trial, list, limit), mostPages)) return page;
  throw new NotTried(`the test cannot read ${list.called.operation}`);
}

// ── The order ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** The records are in the list's own order if a request asks for none, as far as the test can compare their values. */
function isInOrder(contract: Contract, called: Operation): readonly Case[] {
  const { order: keys = [] } = called.endpoint;
  const [first, second] = keys;
  if (first === undefined) return [];
  const names = keys.map(({ field }) => `\`${field}\``).join(", ");
  const aspects: Case["aspects"] = [{ path: pathOf(called, "order"), expects: `the list is in the order of ${names}` }];
  return [
    operationCase(called, "order", aspects, async (trial) => {
      const list = await listed(trial, called, 3);
      const [oldest] = list.records;
      const value = oldest?.values.get(first.field);
      // The next field decides between records with the same value.
      if (second !== undefined && value !== undefined)
        for (let count = 0; count < mostAlike; count += 1) await ifPossible(() => list.add({ [first.field]: value }));
      // Another field may have the same order until a record changes.
      if (oldest !== undefined) await ifPossible(() => edit(trial, oldest));
      const page = await pageOf(trial, list);
      const rows = page.items.flatMap((item) => {
        const observed = recordIn(contract, called, item);
        return observed === undefined
          ? []
          : [keys.map(({ field }) => visibleValue(contract, called.resource, observed, field))];
      });
      if (rows.filter(([one]) => one !== undefined).length < 2)
        throw new NotTried(`the test sees fewer than two records with \`${first.field}\``);
      const wrong = rows.findIndex((row, index) => (rowOrder(keys, rows[index - 1], row) ?? 0) > 0);
      if (wrong < 0) return;
      const got = `${shortText(rows[wrong - 1] as Json)} before ${shortText(rows[wrong] as Json)}`;
      throw new Broken(`the order of ${names}`, got, page.interaction, pathOf(called, "order"));
    }),
  ];
}

/** How many records the test makes with the same value of the first field of an order. */
const mostAlike = 3;

async function edit(trial: Trial, record: KnownRecord): Promise<void> {
  const write = writesOf(trial.contract, record.resource).find(({ kind }) => kind === "change");
  const body = write && (await otherBody(trial, write, record));
  if (write !== undefined) await sendWrite(trial, write, { record, ...body });
}

type Row = readonly (Json | undefined)[];

/** Compares two records by the fields of an order; undefined if the test does not know how a field orders its values. */
function rowOrder(keys: readonly OrderKey[], one: Row | undefined, other: Row): number | undefined {
  if (one === undefined) return undefined;
  for (const [index, { descending }] of keys.entries()) {
    const order = comparison(one[index], other[index]);
    if (order !== 0) return order !== undefined && descending === true ? -order : order;
  }
  return 0;
}

/** Compares numbers, times, and texts of letters that have one order everywhere. */
function comparison(one: Json | undefined, other: Json | undefined): number | undefined {
  if (typeof one === "number" && typeof other === "number") return one - other;
  if (typeof one !== "string" || typeof other !== "string") return undefined;
  const isPlain = [one, other].every((text) => /^(?:[a-z0-9]+|\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?)$/.test(text));
  return isPlain ? (one < other ? -1 : Number(one > other)) : undefined;
}

// ── Values about a page ────────────────────────────────────────────────────────────────────────────────────────────

interface PageValue {
  readonly path: string;
  readonly name: string;
  /** Returns the value in a response; undefined for none. */
  readonly of: (trial: Trial, page: ReadPage) => Json | undefined;
  readonly isHeader: boolean;
}

/** Header fields, and members next to the page, have the values that follow from the page. */
function hasValues(contract: Contract, called: Operation): readonly Case[] {
  const values = [...headersOf(contract, called), ...membersOf(contract, called)];
  if (values.length === 0) return [];
  const aspects = values.map(
    ({ name, path }): Aspect => ({ path, expects: `\`${name}\` follows from the page, as the document computes it` }),
  ) as unknown as Case["aspects"];
  return [
    operationCase(
      called,
      "values about a page",
      aspects,
      async (trial) => {
        const list = await listed(trial, called, 2);
        const { count } = await walk(trial, list, maximumOf(contract, called));
        const isPaged = listStyleOf(contract.model, called.endpoint).kind !== "none";
        const page = await pageOf(trial, list, isPaged ? 1 : undefined);
        const path = new URL(page.interaction.request.url).pathname;
        const variables: Record<string, Value> = { count, path, ...(isPaged ? { limit: 1, offset: 0, page: 1 } : {}) };
        const next = nextIn(contract, called, page, count);
        if (next !== undefined) variables["next"] = next;
        let compared = 0;
        for (const value of values) {
          const typed = contract.typed.get(value.path);
          // The public address and the present of a service may be others than those that the test knows.
          if (typed === undefined || readsVariable(typed, "base") || readsVariable(typed, "now")) continue;
          const found = evaluate(typed, { ...trial.scope(list.caller), variables });
          if (found === undefined) continue;
          compared += 1;
          const got = value.of(trial, page) ?? null;
          const expected = value.isHeader && found.value !== null ? textIn(found.value) : found.value;
          if (JSON.stringify(got) === JSON.stringify(expected)) continue;
          throw new Broken(
            `\`${value.name}\` with ${shortText(expected as Json)}`,
            shortText(got),
            page.interaction,
            value.path,
          );
        }
        if (compared === 0) throw new NotTried("the test does not know what the values are computed from");
      },
      {
        // The number of records changes as long as other cases run.
        exclusive: true,
      },
    ),
  ];
}

/** Returns where the page after a page of one record starts; undefined if the test does not know. */
function nextIn(contract: Contract, called: Operation, page: ReadPage, count: number): Value | undefined {
  if (count <= 1) return null;
  const { kind } = listStyleOf(contract.model, called.endpoint);
  if (kind === "offset") return 1;
  if (kind === "page") return 2;
  return page.isAnnounced ? page.following?.[listNames(contract, called).cursor] : undefined;
}

function textIn(value: Value): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function headersOf({ model }: Contract, { endpoint, operation }: Operation): readonly PageValue[] {
  const at = `endpoints/endpoints/${operation}`;
  const header = (path: string, name: string): PageValue => ({
    path: `${path}/headers/${name}`,
    name,
    isHeader: true,
    of: (trial, page) => trial.responseOf(page.interaction).headers[name.toLowerCase()],
  });
  const own = Object.keys(endpoint.headers ?? {});
  const styled = Object.keys(listStyleOf(model, endpoint).headers ?? {}).filter((name) => !own.includes(name));
  return [
    ...own.map((name) => header(at, name)),
    ...styled.map((name) =>
      header(lookup(endpoint.lists?.headers ?? {}, name) === undefined ? "endpoints/lists" : `${at}/lists`, name),
    ),
  ];
}

function membersOf({ model }: Contract, called: Operation): readonly PageValue[] {
  const { page, pageAt = "" } = responseShape(model, called);
  return (page === undefined ? [] : responseExpressions(page)).map(
    ({ path: at }): PageValue => ({
      path: [pageAt, ...at].join("/"),
      name: at.join("."),
      isHeader: false,
      of: (trial, { interaction }) =>
        at.reduce<Json | undefined>(
          (here, name) => (isObject(here) ? lookup(here, name) : undefined),
          trial.responseOf(interaction).json,
        ),
    }),
  );
}

/** A page begins after the record with an id, or ends before it, in the order of the list. */
function hasNeighbours(contract: Contract, called: Operation): readonly Case[] {
  const { kind } = listStyleOf(contract.model, called.endpoint);
  const names = listNames(contract, called);
  const path = stylePath(called);
  return (["after", "before"] as const).flatMap((word): readonly Case[] => {
    const name = names[word];
    if (name === undefined || kind !== "cursor") return [];
    const aspects: Case["aspects"] = [
      {
        path,
        expects: `\`${name}\` is the id of the record ${word === "after" ? "behind" : "before"} which the page is`,
      },
    ];
    const run = async (trial: Trial): Promise<void> => {
      const list = await listed(trial, called, 3);
      const { keys = [], pages } = await walk(trial, list, maximumOf(contract, called));
      const [, record] = list.records;
      const [first] = pages;
      const id = record?.values.get("id");
      const key = record && first && keyOf(contract, list, first, record);
      if (id === undefined || key === undefined || !keys.includes(key))
        throw new NotTried(`nothing in the list identifies ${withArticle(called.resource ?? "record")}`);
      const options = optionsOf(trial, list, 1);
      const interaction = await trial.call(called.operation, {
        ...options,
        query: { ...options.query, [name]: textOf(id) },
      });
      const page = pageIn(contract, called, trial.responseOf(interaction).json);
      const expected = keys[keys.indexOf(key) + (word === "after" ? 1 : -1)];
      const got = page && keysOf(contract, list, page)?.[0];
      if (got === expected) return;
      throw new Broken(
        expected ?? "no record",
        got ?? statusText(contract, trial.responseOf(interaction)),
        interaction,
        path,
      );
    };
    // The neighbours of a record change as long as other cases run.
    return [operationCase(called, `${name}`, aspects, run, { exclusive: true })];
  });
}

/** The index after the last record of a page. */
function hasEnd(contract: Contract, called: Operation): readonly Case[] {
  const { end, offset } = listNames(contract, called);
  const path = stylePath(called);
  if (end === undefined || listStyleOf(contract.model, called.endpoint).kind !== "offset") return [];
  return [
    operationCase(
      called,
      `${end}`,
      [{ path, expects: `\`${offset}=1&${end}=2\` returns one record` }],
      async (trial) => {
        const list = await listed(trial, called, 3);
        const options = optionsOf(trial, list);
        const query = { ...options.query, [offset]: "1", [end]: "2" };
        const interaction = await trial.call(called.operation, { ...options, query });
        const page = pageIn(contract, called, trial.responseOf(interaction).json);
        if (page?.items.length === 1) return;
        const got = page === undefined ? `${trial.responseOf(interaction).status}` : `${page.items.length}`;
        throw new Broken("one record", got, interaction, path);
      },
    ),
  ];
}

// ── Links ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The first of several pages has the links that the document names, without one to a page before it. */
function hasLinks(contract: Contract, called: Operation): readonly Case[] {
  const { links } = listStyleOf(contract.model, called.endpoint);
  if (links === undefined) return [];
  const path = stylePath(called);
  return [
    operationCase(
      called,
      "links",
      [{ path, expects: `\`Link\` names the pages ${links.join(", ")}` }],
      async (trial) => {
        const list = await listed(trial, called, 2);
        const page = await pageOf(trial, list, 1);
        const { link = "" } = trial.responseOf(page.interaction).headers;
        const found = [...link.matchAll(/rel="?([^";,]+)"?/g)].flatMap(([, relations = ""]) => relations.split(" "));
        for (const relation of ["first", "prev", "next", "last"] as const) {
          const isExpected = links.includes(relation) && relation !== "prev";
          if (isExpected === found.includes(relation)) continue;
          const expected = `${isExpected ? "a" : "no"} link to the page \`${relation}\``;
          throw new Broken(expected, link === "" ? "no `Link`" : link, page.interaction, path);
        }
      },
    ),
  ];
}
