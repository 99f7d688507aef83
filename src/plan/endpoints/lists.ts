/** Plans lists: pages, filters, sorting. */
import type { ListStyle } from "../../language/endpoints/model.ts";
import { parametersOf } from "../../language/endpoints/filter-parameters.ts";
import { defaultStyle, listStyleOf } from "../../language/endpoints/list-style.ts";
import { camelCase, plural } from "../../base/case.ts";
import type { ResourceEndpoint } from "../../language/endpoints/resolve.ts";
import { responseShape } from "../../language/endpoints/shape.ts";
import { deliveryResource, webhookResource } from "../../language/events/decide.ts";
import { bareType, fieldsOf, lookup } from "../../language/resources/fields.ts";
import { jsonSchemaOf } from "../../language/resources/json-schema.ts";
import { pageOf } from "./responses.ts";
import { jsonTypeOfColumn } from "../resources/columns.ts";
import type { Column, Table } from "../resources/types.ts";
import type { FilterPlan, ListPlan, PageShape } from "./types.ts";
import { conditionFilters } from "./queries.ts";
import { summaryPlan } from "./summary.ts";
import { type PlanInput, typedAt } from "../input.ts";

export function listPlan(planInput: PlanInput, resolved: ResourceEndpoint, table: Table): ListPlan {
  const { action, operation, endpoint } = resolved;
  const { wrap } = planInput.model.endpoints;
  const style = listStyleOf(planInput.model, endpoint);
  const added = table.resource === webhookResource || table.resource === deliveryResource;
  const many = added ? undefined : wrap?.many?.replace("{resources}", camelCase(plural(table.resource)));
  const { page, pageAt = "" } = responseShape(planInput.model, resolved);
  const paging = {
    ...pages(style, many),
    ...(page === undefined ? {} : { page: pageOf(planInput, page, pageAt) }),
  };
  const links = style.links === undefined ? {} : { links: style.links };
  const selection = {
    ...(endpoint.where === undefined ? {} : { where: typedAt(planInput, `endpoints/endpoints/${operation}/where`) }),
    filters: fieldFilters(planInput, resolved, table, style),
    conditions: conditionFilters(planInput, resolved),
  };
  // Groups have no ids, no search and only one order.
  if (action === "summary") {
    const summary = summaryPlan(planInput, resolved);
    const isOne = summary.groups.length === 0;
    const { names: all, ...groups } = paging;
    const { after: _, before: __, direction: ___, ...names } = all;
    return {
      ...groups,
      ...(isOne ? { kind: "none" as const, page: { kind: "item" as const } } : {}),
      names,
      ...(isOne ? {} : links),
      ...selection,
      searches: [],
      sorts: [],
      summary,
    };
  }
  const columns = table.columns.filter(({ type }) => type !== "json");
  return {
    ...paging,
    ...(endpoint.order === undefined
      ? {}
      : { order: endpoint.order.map(({ field, descending }) => ({ column: field, descending })) }),
    ...links,
    ...selection,
    searches: columns.filter(({ marks }) => marks.includes("search")).map(({ name }) => name),
    sorts: columns.filter(({ marks }) => marks.includes("sort")).map(({ name }) => name),
  };
}

/** Plans the filters by fields. */
function fieldFilters(
  planInput: PlanInput,
  { endpoint }: ResourceEndpoint,
  table: Table,
  style: ListStyle,
): readonly FilterPlan[] {
  // A declared parameter or filter takes precedence over the filter of a field with its name.
  const isParameter = (name: string): boolean =>
    lookup(endpoint.filters ?? {}, name) !== undefined || lookup(endpoint.query ?? {}, name) !== undefined;
  return table.columns
    .filter(({ name, type, marks }) => type !== "json" && marks.includes("filter") && !isParameter(name))
    .map((column) => filter(planInput, table, column, style));
}

/** Plans the pages of a history, which always have cursors, whatever pages the document's lists have. */
export function historyPages({ model }: PlanInput): ListPlan {
  const style = model.endpoints.lists;
  return {
    ...pages(style === undefined || style.kind === "none" ? defaultStyle : withoutCount(style)),
    kind: "cursor",
    filters: [],
    conditions: [],
    searches: [],
    sorts: [],
  };
}

/** Returns the list style without its total count, which a history does not have. */
function withoutCount({ names, ...style }: ListStyle): ListStyle {
  const { count: _, ...rest } = names ?? {};
  return { ...style, names: rest };
}

/** Plans the pages of a list. */
function pages(
  { kind, size, max, clamped, bare, names: own = {} }: ListStyle,
  many?: string,
): Pick<ListPlan, "kind" | "size" | "max" | "clamped" | "names" | "page"> {
  const most = max ?? Math.max(size ?? 0, defaultStyle.max);
  const names = { ...listParameters, items: "items", next: "next", ...own };
  const { items, next, count, ...parameters } = names;
  const page = bare === true ? ({ kind: "items" } as const) : pageShape(many ?? items, next, count);
  const clamp = clamped === true ? { clamped } : {};
  return { kind, size: size ?? Math.min(defaultStyle.size, most), max: most, ...clamp, names: parameters, page };
}

/** The default names of list parameters. */
export const listParameters: ListPlan["names"] = {
  limit: "limit",
  cursor: "cursor",
  offset: "offset",
  page: "page",
  sort: "sort",
  search: "search",
};

/** Returns a page as an object with its items and the position of the next page. */
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

function filter({ model }: PlanInput, { resource }: Table, column: Column, { operators }: ListStyle): FilterPlan {
  const { name, schema } = column;
  const field = lookup(fieldsOf(model, resource), name);
  const bare = field === undefined ? undefined : bareType(field.type);
  // A filter compares with a value, so its schema excludes null even for a nullable field.
  const parameters = parametersOf(name, field, operators);
  const usual = parametersOf(name, field);
  return {
    field: name,
    type: jsonTypeOfColumn(column),
    operators: parameters.map(({ operator }) => operator),
    ...(JSON.stringify(parameters) === JSON.stringify(usual) ? {} : { parameters }),
    schema: bare === undefined ? schema : jsonSchemaOf(model, bare, "input"),
  };
}
