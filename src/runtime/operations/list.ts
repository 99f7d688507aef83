/** Performs `GET /xs`: pages, filters, sort order (R4.9 to R4.13). The query contains the permissions, so pages are full. */
import { subjectOf } from "../context/caller.ts";
import { after } from "../../base/after.ts";
import { defined } from "../../base/defined.ts";
import { searchWords } from "../../base/search.ts";
import type { Value } from "../../expression/evaluate.ts";
import type { FilterOperator, FilterPlan, ListPlan } from "../../plan/endpoints/types.ts";
import type { Awaitable, Page, PageArguments, SortKey } from "../../store/port/store.ts";
import { textTag } from "../records/entity-tag.ts";
import type { Call } from "../context/context.ts";
import type { HttpResponse } from "../../http/message.ts";
import type { ListShape } from "../context/compiled.ts";
import { checkListed } from "./guard.ts";
import { pageText } from "./page-text.ts";
import { parentOf, readResponse } from "./read.ts";
import { typedParameter } from "./query.ts";
import { absentParent } from "../records/find-and-authorise.ts";
import { decide } from "../../language/authentication/decide.ts";
import { malformed, type ApiError } from "../errors/api-error.ts";
import { storedPosition, positionNow } from "../versions/positions.ts";
import { withVersionedRequest, toVersionedRequest, versionedText } from "../versions/request.ts";

export function list(call: Call): Awaitable<HttpResponse> {
  const own = toVersionedRequest(call);
  const plan = own.compiled.operation.list as ListPlan;
  const received = withVersionedRequest(call, () => parseListRequest(own, plan));
  const upgraded = upgradedList(call, received);
  const { shape, page: wanted } = positionedPage(call, upgraded);
  return after(parentOf(call), (parent) => {
    if (parent === undefined) throw absentParent(call);
    const filtered = Object.keys(upgraded.parameters).length === 0 ? {} : { filter: upgraded.parameters as Value };
    const variables = { ...call.variables, ...(parent === null ? {} : { parent }), ...filtered };
    return after(checkListed(call), () =>
      after((call.own?.reads ?? call.kind).list(shape)(wanted, variables), (page) =>
        responseOf(call, plan, received, page),
      ),
    );
  });
}

function responseOf(call: Call, plan: ListPlan, received: ListRequest, page: Page): HttpResponse {
  const next = page.next === undefined ? undefined : nextQuery(call, plan, received, page.next);
  const cursor = next === undefined ? "null" : JSON.stringify(next.value);
  const link = next === undefined ? [] : linkTo(call, next.query);
  const text = pageText(plan, {
    items: call.own?.reads === undefined ? versionedText(call, page.text) : page.text,
    next: cursor,
    count: String(page.total),
  });
  return readResponse(call, text, textTag(call, text), link);
}

/** Returns the `Link` field with the URL of the next page (RFC 8288). */
export function linkTo({ context, path }: Call, query: string): readonly string[] {
  return ["Link", `<${context.baseUrl()}${path.slice(context.prefix.length)}?${query}>; rel="next"`];
}

/** Converts the list request of an older version to the newest. */
function upgradedList(
  { own }: Call,
  { shape, page, parameters }: ListRequest,
): Pick<ListRequest, "shape" | "page" | "parameters"> {
  if (own === undefined) return { shape, page, parameters };
  const { list, resource } = own.compiled.operation;
  const upgradedValue = (name: string, value: Value): Value => {
    const field = list?.conditions.find((one) => one.name === name)?.field;
    if (field === undefined) return value;
    // If several newer values look like this one to older callers, a condition can use only one of them.
    const newerFilter = own.converter.filterToNewer(field.resource, { column: field.name, operator: "eq", value });
    return newerFilter.operator === "in"
      ? ((newerFilter.value as readonly Value[])[0] ?? null)
      : (newerFilter.value as Value);
  };
  const columnNow = (column: string): string => defined(own.converter.newerMember(resource, column), column);
  const filters = shape.filters.map(({ column, operator }, index) =>
    own.converter.filterToNewer(resource, { column, operator, value: page.filters[index] ?? null }),
  );
  return {
    shape: {
      ...shape,
      sort: shape.sort.map((key) => ({ ...key, column: columnNow(key.column) })),
      ...(shape.search === undefined ? {} : { search: shape.search.map(columnNow) }),
      filters: filters.map(({ column, operator }) => ({ column, operator })),
    },
    page: { ...page, filters: filters.map(({ value }) => value) },
    parameters: Object.fromEntries(
      Object.entries(parameters).map(([name, value]) => [name, upgradedValue(name, value)]),
    ),
  };
}

/** Converts the position of the cursor to the newest version. */
function positionedPage(
  call: Call,
  { shape, page }: Pick<ListRequest, "shape" | "page">,
): Pick<ListRequest, "shape" | "page"> {
  if (page.after === undefined) return { shape, page };
  const after = positionNow(call, shape.sort, page.after);
  if (after === undefined) throw badCursor((call.compiled.operation.list as ListPlan).names.cursor);
  return { shape, page: { ...page, after } };
}

/** The page size of a list without pages. */
const uncut = 1_000_000_000;

interface ListRequest {
  readonly shape: ListShape;
  readonly page: PageArguments;
  /** The values of the filters that the document declares with a condition, by name. */
  readonly parameters: Readonly<Record<string, Value>>;
  /** The text that binds the cursor to everything except the page size. */
  readonly context: string;
}

function parseListRequest(call: Call, plan: ListPlan): ListRequest {
  const parameters: [string, Value][] = [];
  const filters: { column: string; operator: FilterOperator; value: Value | readonly Value[]; text: string }[] = [];
  let limit = plan.kind === "none" ? uncut : plan.size;
  let skip = 0;
  let sort: readonly SortKey[] = [];
  let cursor: string | undefined;
  let search: Pick<PageArguments, "search"> = {};
  const searched = plan.searches.filter((column) => call.kind.record.readable.has(column));
  const { names } = plan;
  for (const [name, text] of call.query) {
    if (name === names.limit && plan.kind !== "none") limit = integerParameter(name, text, 1, plan.max);
    else if (name === names.cursor && plan.kind === "cursor") cursor = text;
    else if (name === names.offset && plan.kind === "offset")
      skip = integerParameter(name, text, 0, Number.MAX_SAFE_INTEGER);
    else if (name === names.page && plan.kind === "page") skip = integerParameter(name, text, 1, 1_000_000_000) - 1;
    else if (name === names.sort && plan.sorts.length > 0) sort = parseSort(call, plan, text);
    else if (name === names.search && searched.length > 0) search = { search: parseSearch(name, text) };
    else if (plan.conditions.some((one) => one.name === name)) {
      const value = parseCondition(call, plan, name, text);
      if (value === undefined) rejectUnknown(call, name);
      else parameters.push([name, value]);
    } else if (call.compiled.operation.query.every((one) => one.name !== name)) {
      const filter = parseFilter(call, plan, name, text);
      if (filter === undefined) rejectUnknown(call, name);
      else filters.push({ ...filter, text: `${name}=${text}` });
    }
  }
  if (plan.kind === "page") skip *= limit;
  filters.sort((a, b) => (a.text < b.text ? -1 : 1));
  parameters.sort(([a], [b]) => (a < b ? -1 : 1));
  const context = [
    call.compiled.operation.name,
    call.caller.id ?? "",
    call.kind.record.tag,
    call.version.tag,
    JSON.stringify(call.parameters),
    call.query.get(names.sort) ?? "",
    JSON.stringify(search.search ?? null),
    ...filters.map(({ text }) => text),
    ...(parameters.length === 0 ? [] : [JSON.stringify(parameters)]),
    ...(call.compiled.operation.query.length === 0 ? [] : [JSON.stringify(call.received)]),
  ].join("\n");
  const after = cursor === undefined ? undefined : openCursor(call, names.cursor, cursor, context);
  return {
    shape: {
      sort,
      filters: filters.map(({ column, operator }) => ({ column, operator })),
      conditions: parameters.map(([name]) => name),
      ...(search.search === undefined ? {} : { search: searched }),
      from: after !== undefined ? "after" : skip > 0 ? "skip" : "start",
    },
    page: {
      limit,
      filters: filters.map(({ value }) => value),
      ...search,
      ...(after === undefined ? {} : { after }),
      ...(skip > 0 ? { skip } : {}),
    },
    parameters: Object.fromEntries(parameters),
    context,
  };
}

/**
 * Returns the value of a filter with a condition; undefined, as for an unknown filter, if the caller may not see a field that
 * the filter reads (R4.13).
 */
function parseCondition(call: Call, plan: ListPlan, name: string, text: string): Value | undefined {
  const filter = plan.conditions.find((one) => one.name === name);
  const subject = subjectOf(call.caller);
  if (filter === undefined || !filter.visibleTo.every((grants) => decide(grants, subject) === "allowed"))
    return undefined;
  return typedParameter(name, text, filter.type, call.compiled.filters.get(name), "the filter's type");
}

/** Returns the position in a cursor. `parameter`: the name of the cursor's parameter. */
export function openCursor(call: Call, parameter: string, cursor: string, context: string): readonly Value[] {
  const position = call.context.cursors.open(cursor, context);
  if (position !== undefined) return position;
  throw badCursor(parameter);
}

function badCursor(parameter: string): ApiError {
  return malformed({
    parameter,
    code: "bad-cursor",
    detail: "The cursor belongs to another list, filter or order",
  });
}

export function integerParameter(name: string, text: string, least: number, most: number): number {
  const value = /^[0-9]{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw malformed({
    parameter: name,
    code: "out-of-range",
    detail: `\`${name}\` has to be a whole number from ${least} to ${most}`,
  });
}

/** Rejects an unknown parameter, unless the operation ignores them. */
export function rejectUnknown({ compiled: { operation } }: Call, name: string): void {
  if (operation.ignoresUnknown === true) return;
  throw malformed({ parameter: name, code: "unknown-parameter", detail: `This list has no parameter \`${name}\`` });
}

const maximumWords = 10;

/** Returns the words of a search. Limits their number, because each word is searched in every searchable text. */
function parseSearch(parameter: string, text: string): readonly string[] {
  const words = searchWords(text);
  if (words.length > 0 && words.length <= maximumWords && text.length <= 200) return words;
  const [code, detail] =
    words.length === 0
      ? (["no-value", `\`${parameter}\` needs a word`] as const)
      : (["too-many", `\`${parameter}\` takes at most ${maximumWords} words in 200 characters`] as const);
  throw malformed({ parameter, code, detail });
}

/** Returns the sort keys of `-createdAt,id`: sortable fields that this caller sees in all records (R4.13). */
function parseSort(call: Call, plan: ListPlan, text: string): readonly SortKey[] {
  const names = new Set<string>();
  return text.split(",").map((item) => {
    const descending = item.startsWith("-");
    const column = descending ? item.slice(1) : item;
    const sortable = plan.sorts.includes(column) && call.kind.record.readable.has(column) && !names.has(column);
    if (!sortable) {
      throw malformed({
        parameter: plan.names.sort,
        code: "unknown-field",
        detail: `This list cannot be sorted by \`${column.slice(0, 80)}\``,
      });
    }
    names.add(column);
    return { column, descending };
  });
}

function parseFilter(
  call: Call,
  plan: ListPlan,
  name: string,
  text: string,
): { column: string; operator: FilterOperator; value: Value | readonly Value[] } | undefined {
  const parts = /^(\w+)(?:\[(\w+)\])?$/.exec(name);
  const filter = plan.filters.find(({ field }) => field === parts?.[1]);
  const operator = (parts?.[2] ?? "eq") as FilterOperator;
  if (filter === undefined || !filter.operators.includes(operator) || !call.kind.record.readable.has(filter.field))
    return undefined;
  const value = operator === "in" ? inValues(call, filter, name, text) : typedValue(call, filter, name, text);
  return { column: filter.field, operator, value };
}

const maximumInValues = 100;

function inValues(call: Call, filter: FilterPlan, name: string, text: string): readonly Value[] {
  const items = text.split(",");
  if (items.length > maximumInValues) {
    throw malformed({
      parameter: name,
      code: "too-many",
      detail: `\`${name}\` takes at most ${maximumInValues} values`,
    });
  }
  return items.map((item) => typedValue(call, filter, name, item));
}

function typedValue(call: Call, filter: FilterPlan, name: string, text: string): Value {
  return typedParameter(name, text, filter.type, call.compiled.filters.get(filter.field));
}

/** Returns the query of the next page, and the value for the body: cursor, next offset or next page. */
function nextQuery(
  call: Call,
  plan: ListPlan,
  received: ListRequest,
  position: readonly Value[],
): { query: string; value: string | number } {
  const { limit, skip = 0 } = received.page;
  const { names } = plan;
  const [name, value] =
    plan.kind === "offset"
      ? ([names.offset, skip + limit] as const)
      : plan.kind === "page"
        ? ([names.page, skip / limit + 2] as const)
        : ([names.cursor, call.context.cursors.seal(storedPosition(call, position), received.context)] as const);
  const query = new URLSearchParams([...call.query]);
  query.set(name, String(value));
  const { parameter } = call;
  return { query: parameter === undefined ? query.toString() : `${parameter}&${query.toString()}`, value };
}
