/** How an operation lists: pages, filters, order. */
import type { ListStyle } from "../parts/endpoints/model.ts";
import type { ResourceEndpoint } from "../parts/endpoints/meaning.ts";
import { bareType, fieldsOf, own } from "../parts/resources/fields.ts";
import { jsonSchemaOf } from "../parts/resources/json-schema.ts";
import type { Column, FilterOperator, FilterPlan, ListPlan, Table } from "./plan.ts";
import { type Sources, typedAt } from "./sources.ts";

/** Where the document is silent: pages of 20, at most 100 (R4.9, R8.8). */
const silent = { kind: "cursor", size: 20, max: 100 } as const;

export function listPlan(sources: Sources, { operation, endpoint }: ResourceEndpoint, table: Table): ListPlan {
  const columns = table.columns.filter(({ type }) => type !== "json");
  return {
    ...pages(endpoint.lists ?? sources.model.endpoints.lists),
    ...(endpoint.where === undefined ? {} : { where: typedAt(sources, `endpoints/endpoints/${operation}/where`) }),
    filters: columns.filter(({ marks }) => marks.includes("filter")).map((column) => filter(sources, table, column)),
    searches: columns.filter(({ marks }) => marks.includes("search")).map(({ name }) => name),
    sorts: columns.filter(({ marks }) => marks.includes("sort")).map(({ name }) => name),
  };
}

/** A history goes on by position, whatever pages the document's lists have. */
export function historyPages({ model }: Sources): ListPlan {
  const said = model.endpoints.lists;
  return {
    ...pages(said === undefined || said.kind === "none" ? undefined : said),
    kind: "cursor",
    filters: [],
    searches: [],
    sorts: [],
  };
}

function pages(style: ListStyle | undefined): Pick<ListPlan, "kind" | "size" | "max"> {
  const { kind, size, max } = style ?? silent;
  const most = max ?? Math.max(size ?? 0, silent.max);
  return { kind, size: size ?? Math.min(silent.size, most), max: most };
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
