/** Parses the query parameters of a list: its page, filters, search and order (R4.9 to R4.13). */
import { searchWords } from "../../base/search.ts";
import type { Value } from "../../expression/evaluate.ts";
import type { ListPlan } from "../../plan/endpoints/types.ts";
import type { PageArguments, SortKey } from "../../store/port/store.ts";
import type { ListShape } from "../context/compiled.ts";
import type { Call } from "../context/context.ts";
import { malformed, type ApiError } from "../errors/api-error.ts";
import { columnOf } from "../records/find-and-authorise.ts";
import { parseCondition, parseFilter, type RequestedFilter } from "./list-filters.ts";
import { typedParameter } from "./query.ts";
import { isDeclared } from "./query-input.ts";

/** The page size of a list without pages. */
const uncut = 1_000_000_000;

export interface ListRequest {
  readonly shape: ListShape;
  readonly page: PageArguments;
  /** The values of the filters that the document declares with a condition, by name. */
  readonly parameters: Readonly<Record<string, Value>>;
  /** The requested directions of the list's own order; undefined if the request asks for an order. */
  readonly directions?: readonly boolean[];
  /** The record beside which the page is; `parameter`: the name of the parameter with its id. */
  readonly neighbour?: { readonly parameter: string; readonly id: Value };
  /** The text that binds the cursor to everything except the page size. */
  readonly context: string;
}

/** The parameters of a list request, by meaning. */
interface Requested {
  limit: number;
  skip: number;
  end?: number;
  cursor?: string;
  neighbour?: { readonly parameter: string; readonly id: Value; readonly isBefore: boolean };
  sort?: string;
  direction?: string;
  search?: readonly string[];
  readonly parameters: [string, Value][];
  readonly filters: RequestedFilter[];
}

export function parseListRequest(call: Call, plan: ListPlan): ListRequest {
  const searched = plan.searches.filter((column) => call.kind.record.readable.has(column));
  const requested = requestedOf(call, plan, searched.length > 0);
  const { filters, parameters, search } = requested;
  const { limit, skip } = rangeOf(plan, requested);
  filters.sort((a, b) => (a.text < b.text ? -1 : 1));
  parameters.sort(([a], [b]) => (a < b ? -1 : 1));
  const directions = requested.direction === undefined ? [] : parseDirections(plan, requested.direction);
  const sort = requested.sort === undefined ? [] : parseSort(call, plan, requested.sort, directions);
  const { names } = plan;
  const context = [
    call.compiled.operation.name,
    call.caller.id ?? "",
    call.kind.record.tag,
    call.version.tag,
    JSON.stringify(call.parameters),
    call.query.get(names.sort) ?? "",
    ...(requested.direction === undefined ? [] : [requested.direction.toLowerCase()]),
    ...(plan.order === undefined || requested.sort !== undefined ? [] : [JSON.stringify(plan.order)]),
    JSON.stringify(search ?? null),
    ...filters.map(({ text }) => text),
    ...(parameters.length === 0 ? [] : [JSON.stringify(parameters)]),
    ...(call.compiled.operation.query.length === 0 ? [] : [JSON.stringify(call.received)]),
  ].join("\n");
  const { neighbour, cursor } = requested;
  const opened = cursor === undefined ? undefined : openEither(call, plan, cursor, context);
  const after = opened?.position;
  const isReversed = neighbour?.isBefore ?? opened?.isReversed ?? false;
  return {
    shape: {
      sort,
      ...(isReversed ? { reversed: true as const } : {}),
      filters: filters.map(({ column, operator }) => ({ column, operator })),
      conditions: parameters.map(([name]) => name),
      ...(search === undefined ? {} : { search: searched }),
      from: after !== undefined || neighbour !== undefined ? "after" : skip > 0 ? "skip" : "start",
    },
    page: {
      limit,
      filters: filters.map(({ value }) => value),
      ...(search === undefined ? {} : { search }),
      ...(after === undefined ? {} : { after }),
      ...(skip > 0 ? { skip } : {}),
    },
    parameters: Object.fromEntries(parameters),
    ...(requested.sort === undefined ? { directions } : {}),
    ...(neighbour === undefined ? {} : { neighbour }),
    context: isReversed ? reversedContext(context) : context,
  };
}

function requestedOf(call: Call, plan: ListPlan, isSearched: boolean): Requested {
  const { names, kind } = plan;
  const requested: Requested = {
    limit: kind === "none" ? uncut : plan.size,
    skip: 0,
    parameters: [],
    filters: [],
  };
  const { operation } = call.compiled;
  for (const [name, text] of call.query) {
    const texts = call.repeated?.get(name) ?? [text];
    if (name === names.limit && kind !== "none") requested.limit = limitParameter(plan, name, text);
    else if (name === names.cursor && kind === "cursor") requested.cursor = text;
    else if ((name === names.after || name === names.before) && kind === "cursor")
      requested.neighbour = { parameter: name, id: parseId(call, name, text), isBefore: name === names.before };
    else if (name === names.offset && kind === "offset")
      requested.skip = integerParameter(name, text, 0, Number.MAX_SAFE_INTEGER);
    else if (name === names.end && kind === "offset")
      requested.end = integerParameter(name, text, 1, Number.MAX_SAFE_INTEGER);
    else if (name === names.page && kind === "page")
      requested.skip = integerParameter(name, text, 1, 1_000_000_000) - 1;
    else if (name === names.sort && plan.sorts.length > 0) requested.sort = text;
    else if (name === names.direction && (plan.sorts.length > 0 || plan.order !== undefined))
      requested.direction = text;
    else if (name === names.search && isSearched) requested.search = parseSearch(name, text);
    else if (plan.conditions.some((one) => one.name === name)) {
      const value = parseCondition(call, plan, name, texts);
      if (value === undefined) rejectUnknown(call, name);
      else requested.parameters.push([name, value]);
    } else if (!isDeclared(operation, name)) {
      const sent = texts.map((one) => `${name}=${one}`).join("&");
      const filter = parseFilter(call, plan, name, texts);
      if (filter === undefined) rejectUnknown(call, name);
      else requested.filters.push({ ...filter, text: sent });
    }
  }
  checkPosition(plan, call);
  return requested;
}

/** Rejects a request that names several positions. */
function checkPosition({ kind, names }: ListPlan, { query }: Call): void {
  if (kind !== "cursor") return;
  const [first, second] = [names.cursor, names.after, names.before].filter(
    (name) => name !== undefined && query.has(name),
  );
  if (second === undefined) return;
  const detail = `Send only one of \`${first}\` and \`${second}\``;
  throw malformed({ parameter: second, code: "repeated-parameter", detail });
}

/** Parses the id of a record beside which a page is. */
function parseId(call: Call, name: string, text: string): Value {
  const id = columnOf(call.compiled.table, "id");
  return typedParameter(name, text, id.type, undefined, "the type of an id");
}

/** A cursor of pages that are read backwards, from a record before which a page ended. */
function reversedContext(context: string): string {
  return `${context}\nbackwards`;
}

/** Opens a cursor that continues forwards, or backwards in a list that can be read backwards. */
function openEither(
  call: Call,
  { names }: ListPlan,
  cursor: string,
  context: string,
): { readonly position: readonly Value[]; readonly isReversed: boolean } {
  const { cursors } = call.context;
  const backwards = names.before === undefined ? undefined : cursors.open(cursor, reversedContext(context));
  if (backwards !== undefined) return { position: backwards, isReversed: true };
  return { position: openCursor(call, names.cursor, cursor, context), isReversed: false };
}

/** Returns the range of a page: `end` is the index behind its last record, in place of a limit. */
function rangeOf(plan: ListPlan, { limit, skip, end }: Requested): { readonly limit: number; readonly skip: number } {
  if (plan.kind === "page") return { limit, skip: skip * limit };
  if (end === undefined) return { limit, skip };
  const { end: name = "end", offset } = plan.names;
  const size = end - skip;
  if (size >= 1 && (size <= plan.max || plan.clamped === true)) return { limit: Math.min(size, plan.max), skip };
  throw malformed({
    parameter: name,
    code: "out-of-range",
    detail: `\`${name}\` has to be from 1 to ${plan.max} more than \`${offset}\``,
  });
}

function limitParameter({ clamped, max }: ListPlan, name: string, text: string): number {
  if (clamped !== true) return integerParameter(name, text, 1, max);
  const value = /^-?[0-9]{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(value))
    throw malformed({ parameter: name, code: "out-of-range", detail: `\`${name}\` has to be a whole number` });
  return Math.min(Math.max(value, 1), max);
}

/** Returns the position in a cursor. `parameter`: the name of the cursor's parameter. */
export function openCursor(call: Call, parameter: string, cursor: string, context: string): readonly Value[] {
  const position = call.context.cursors.open(cursor, context);
  if (position !== undefined) return position;
  throw badCursor(parameter);
}

export function badCursor(parameter: string): ApiError {
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

// ── Search and order ───────────────────────────────────────────────────────────────────────────────────────────────

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

/**
 * Returns the sort keys of `-createdAt,id`: sortable fields that this caller sees in all records (R4.13). In a list with a
 * parameter for directions, fields have no `-`; a field without a direction has that of the list's own order, or is ascending.
 */
function parseSort(call: Call, plan: ListPlan, text: string, directions: readonly boolean[]): readonly SortKey[] {
  const hasDirections = plan.names.direction !== undefined;
  const columns = new Set<string>();
  const items = text.split(",");
  if (hasDirections) checkDirections(plan, directions, items.length);
  return items.map((item, index) => {
    const isReversed = !hasDirections && item.startsWith("-");
    const column = isReversed ? item.slice(1) : item;
    const sortable = plan.sorts.includes(column) && call.kind.record.readable.has(column) && !columns.has(column);
    if (!sortable) {
      throw malformed({
        parameter: plan.names.sort,
        code: "unknown-field",
        detail: `This list cannot be sorted by \`${column.slice(0, 80)}\``,
      });
    }
    columns.add(column);
    const usual = hasDirections && (plan.order?.find((key) => key.column === column)?.descending ?? false);
    return { column, descending: hasDirections ? (directionAt(directions, index) ?? usual) : isReversed };
  });
}

/** Returns the direction of a field: there is one direction for each field, or one for all. True: descending. */
export function directionAt(directions: readonly boolean[], index: number): boolean | undefined {
  return directions.length === 1 ? directions[0] : directions[index];
}

/** Parses `asc` or `desc`, in any letter case, for each field. */
function parseDirections(plan: ListPlan, text: string): readonly boolean[] {
  const words = text.toLowerCase().split(",");
  if (words.every((word) => word === "asc" || word === "desc")) return words.map((word) => word === "desc");
  throw badDirection(plan, "not-one-of", "`asc` or `desc`, one for all fields or one for each");
}

/** Throws if there are more or fewer directions than fields. */
export function checkDirections(plan: ListPlan, directions: readonly boolean[], fields: number): void {
  if (directions.length <= 1 || directions.length === fields) return;
  throw badDirection(plan, "too-many", `one direction for all fields or one for each, which are ${fields}`);
}

export function badDirection({ names: { direction = "" } }: ListPlan, code: string, expected: string): ApiError {
  return malformed({ parameter: direction, code, detail: `\`${direction}\` has to be ${expected}` });
}
