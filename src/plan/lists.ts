/** How an operation lists: pages, filters, order. */
import type { ListNames, ListStyle } from "../parts/endpoints/model.ts";
import { camelCase, plural } from "../base/case.ts";
import type { ResourceEndpoint } from "../parts/endpoints/meaning.ts";
import { answerShape } from "../parts/endpoints/shape.ts";
import { deliveryResource, webhookResource } from "../parts/events/decide.ts";
import { bareType, fieldsOf, own } from "../parts/resources/fields.ts";
import { jsonSchemaOf } from "../parts/resources/json-schema.ts";
import { pageOf } from "./answers.ts";
import type { Column, FilterOperator, FilterPlan, ListPlan, PageShape, Table } from "./plan.ts";
import { conditionFilters } from "./queries.ts";
import { type Sources, typedAt } from "./sources.ts";

/** Where the document is silent: pages of 20, at most 100 (R4.9, R8.8). */
const silent = { kind: "cursor", size: 20, max: 100 } as const;

export function listPlan(sources: Sources, meaning: ResourceEndpoint, table: Table): ListPlan {
  const { operation, endpoint } = meaning;
  const columns = table.columns.filter(({ type }) => type !== "json");
  const { lists, wrap } = sources.model.endpoints;
  const added = table.resource === webhookResource || table.resource === deliveryResource;
  const many = added ? undefined : wrap?.many?.replace("{resources}", camelCase(plural(table.resource)));
  const { page } = answerShape(sources.model, meaning);
  return {
    ...pages(endpoint.lists ?? lists, lists?.names, many),
    ...(page === undefined ? {} : { page: pageOf(page) }),
    ...(endpoint.where === undefined ? {} : { where: typedAt(sources, `endpoints/endpoints/${operation}/where`) }),
    filters: columns
      .filter(({ name, marks }) => marks.includes("filter") && own(endpoint.filters ?? {}, name) === undefined)
      .map((column) => filter(sources, table, column)),
    conditions: conditionFilters(sources, meaning),
    searches: columns.filter(({ marks }) => marks.includes("search")).map(({ name }) => name),
    sorts: columns.filter(({ marks }) => marks.includes("sort")).map(({ name }) => name),
  };
}

/** A history goes on by position, whatever pages the document's lists have. */
export function historyPages({ model }: Sources): ListPlan {
  const said = model.endpoints.lists;
  return {
    ...pages(said === undefined || said.kind === "none" ? undefined : withoutCount(said)),
    kind: "cursor",
    filters: [],
    conditions: [],
    searches: [],
    sorts: [],
  };
}

/** How many moves there are in all is not counted. */
function withoutCount({ names, ...style }: ListStyle): ListStyle {
  const { count: _, ...rest } = names ?? {};
  return { ...style, names: rest };
}

/** `general`: the names that all lists of the document have, where the list has none of its own. */
function pages(
  style: ListStyle | undefined,
  general: ListNames = {},
  many?: string,
): Pick<ListPlan, "kind" | "size" | "max" | "names" | "page"> {
  const { kind, size, max, bare, names: own = {} }: ListStyle = style ?? silent;
  const most = max ?? Math.max(size ?? 0, silent.max);
  const names = { ...listParameters, items: "items", next: "next", ...general, ...own };
  const { items, next, count, ...parameters } = names;
  const page = bare === true ? ({ kind: "items" } as const) : pageShape(many ?? items, next, count);
  return { kind, size: size ?? Math.min(silent.size, most), max: most, names: parameters, page };
}

/** The names of a list's parameters where the document has no others. */
export const listParameters: ListPlan["names"] = {
  limit: "limit",
  cursor: "cursor",
  offset: "offset",
  page: "page",
  sort: "sort",
  search: "search",
};

/** A page as an object of its items and of where the next one starts. */
export function pageShape(items: string, next: string, count?: string): PageShape {
  return {
    kind: "object",
    members: [
      { name: items, shape: { kind: "items" } },
      { name: next, shape: { kind: "next" } },
      ...(count === undefined ? [] : [{ name: count, shape: { kind: "count" } } as const]),
    ],
  };
}

function filter({ model }: Sources, { resource }: Table, { name, type, schema }: Column): FilterPlan {
  const field = own(fieldsOf(model, resource), name);
  const bare = field === undefined ? undefined : bareType(field.type);
  const byTime = bare?.kind === "scalar" && (bare.name === "date" || bare.name === "time");
  const ordered = type === "integer" || type === "number" || type === "timestamp" || byTime;
  const operators: readonly FilterOperator[] =
    bare?.kind === "named" || bare?.kind === "id" || !ordered ? ["eq", "in"] : ["eq", "in", "gt", "gte", "lt", "lte"];
  // A filter compares with a value, so null is none even where the field may be null.
  return { field: name, type, operators, schema: bare === undefined ? schema : jsonSchemaOf(model, bare, "input") };
}
