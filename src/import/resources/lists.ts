/** Declares lists: the parameters that divide them into pages and filter them, and the object around the records. */
import type { Json, JsonObject } from "../../base/json.ts";
import type { ListNames, ListStyle, OrderKey, ResponseTemplate } from "../../language/endpoints/model.ts";
import type { Field } from "../../language/resources/model.ts";
import { isReason, type ListedRecords, type Reason, schemaOf } from "./answers.ts";
import type { Context } from "./declare.ts";
import { isFilterable } from "./fields.ts";
import type { ContractOperation } from "./groups.ts";
import { foreign, type Ignored, ignoredParameter, type SelectingParameter, selectingParameter } from "./parameters.ts";
import type { RecordDraft } from "./record.ts";
import { fits, type NamedSchemas, plainSchema, typesOf } from "./schema.ts";

export interface DeclaredList {
  readonly style: ListStyle;
  /** The object around the page; its member with the text `page` has the records. */
  readonly gives: ResponseTemplate;
  readonly order: readonly OrderKey[];
  /** The fields by which requests filter and sort the list. */
  readonly filters: readonly string[];
  readonly sorts: readonly string[];
  /** The members of the answer that it leaves out. */
  readonly omitted: readonly string[];
  /** The parameters that it accepts without effect. */
  readonly ignored: Ignored;
  /** The parameters that select records, and the condition in which they do, of those that are no plain filters. */
  readonly selecting: readonly SelectingParameter[];
}

type ListParameter = "limit" | "offset" | "page" | "cursor" | "sort" | "direction";

const listParameters: Readonly<Record<string, ListParameter>> = {
  limit: "limit", perpage: "limit", pagesize: "limit", size: "limit", maxresults: "limit",
  offset: "offset", skip: "offset",
  page: "page", pagenumber: "page",
  cursor: "cursor", pagetoken: "cursor", nextpagetoken: "cursor", marker: "cursor", nexttoken: "cursor", pagecursor: "cursor",
  sort: "sort", sortby: "sort", orderby: "sort",
  direction: "direction", sortdirection: "direction", sortorder: "direction", order: "direction",
}; // biome-ignore format: a table

/** Expressions about a page, by the name of a member. */
const pageMembers: Readonly<Record<string, string>> = {
  total: "count", totalcount: "count", totalitems: "count", totalresults: "count", totalelements: "count", totalrecords: "count",
  limit: "limit", perpage: "limit", pagesize: "limit", offset: "offset", skip: "offset",
  page: "page", pagenumber: "page", currentpage: "page",
  hasmore: "next != null", hasnext: "next != null", hasnextpage: "next != null", more: "next != null",
  totalpages: "(count + limit - 1) / limit", pagecount: "(count + limit - 1) / limit",
  next: "next", nextcursor: "next", nextpagetoken: "next", nextmarker: "next", nexttoken: "next", nextpagecursor: "next",
}; // biome-ignore format: a table

/** `page`: the template of the member with the records, such as `Pet[]`. */
export function listOf(
  operation: ContractOperation,
  { around }: ListedRecords,
  page: string,
  { credentials, named, record }: Pick<Context, "credentials" | "named" | "record">,
): DeclaredList | Reason {
  const parameters = new Map<ListParameter, ListedParameter>();
  const filters: string[] = [];
  const ignored: Record<string, Field> = {};
  const selecting: SelectingParameter[] = [];
  for (const [name, parameter] of Object.entries(operation.wire.query ?? {})) {
    if (credentials.has(name.toLowerCase())) continue;
    const schema = schemaOf(parameter.type);
    const listed = listParameter(name, plainSchema(schema, named), record);
    const accepted = ignoredParameter(name, parameter, named);
    if (listed !== undefined) {
      if (!parameter.optional || parameters.has(listed.word)) return unclear(name);
      parameters.set(listed.word, listed);
    } else if (accepted !== undefined && !Object.hasOwn(record.fields, name)) ignored[accepted.name] = accepted.field;
    else {
      const reason = filterReason(name, parameter.optional, schema, record, named);
      const found = reason && selectingParameter(name, parameter, record, named);
      if (found !== undefined) selecting.push(found);
      else if (reason !== undefined) return reason;
      else filters.push(name);
    }
  }
  const kind = kindOf(parameters);
  if (isReason(kind)) return kind;
  const sorted = sortingOf(parameters, record);
  if (isReason(sorted)) return sorted;
  const gives = around === undefined ? { gives: page, omitted: [] } : templateOf(around, page, kind.kind, named);
  if (isReason(gives)) return gives;
  return {
    style: { ...kind, ...sizesOf(kind.kind, parameters.get("limit")), ...renamed(parameters) },
    ...gives,
    ...sorted,
    filters,
    ignored,
    selecting,
  };
}

interface ListedParameter {
  readonly word: ListParameter;
  readonly name: string;
  readonly plain: JsonObject;
}

function unclear(detail: string): Reason {
  return { what: "its pages are unclear", detail };
}

/** Returns the parameter of pages or of sorting that a name and a schema mean; a field of the record is a filter. */
function listParameter(name: string, plain: JsonObject, { fields }: RecordDraft): ListedParameter | undefined {
  const word = Object.hasOwn(listParameters, plainName(name)) ? listParameters[plainName(name)] : undefined;
  if (word === undefined || Object.hasOwn(fields, name)) return undefined;
  const isText = typesOf(plain["type"]).every((one) => one === "string");
  const isNumber = typesOf(plain["type"]).every((one) => one === "integer" || one === "number");
  // A text with the name of an offset is the cursor of a page.
  if (word === "offset" && isText && !isNumber) return { word: "cursor", name, plain };
  const isPossible =
    word === "cursor" || word === "direction" ? isText : word === "sort" ? isText && !isNumber : isNumber;
  return isPossible ? { word, name, plain } : undefined;
}

function sizesOf(
  kind: ListStyle["kind"],
  limit: ListedParameter | undefined,
): Pick<ListStyle, "size" | "max" | "clamped"> {
  if (kind === "none") return {};
  const { default: first, maximum, minimum } = limit?.plain ?? {};
  const size = typeof first === "number" && first >= 1 ? first : undefined;
  const max = typeof maximum === "number" && maximum >= 1 ? maximum : undefined;
  const largest = max ?? Math.max(100, size ?? 0);
  const isBounded = max !== undefined && minimum !== undefined;
  return { size: Math.min(size ?? 20, largest), max: largest, ...(isBounded ? {} : { clamped: true }) };
}

/** Returns the sorting that requests ask for, if all of its values are fields; `-` before a field is descending. */
function sortingOf(
  parameters: ReadonlyMap<ListParameter, ListedParameter>,
  { fields }: RecordDraft,
): Pick<DeclaredList, "order" | "sorts"> | Reason {
  const [sort, direction] = [parameters.get("sort"), parameters.get("direction")];
  if (sort === undefined) return direction === undefined ? { order: [], sorts: [] } : unsorted(direction.name);
  const { default: first, enum: values } = sort.plain;
  const { default: usual, enum: directions } = direction?.plain ?? {};
  const isDirection = (one: Json) => typeof one === "string" && /^(?:asc|desc)$/i.test(one);
  const knows =
    direction === undefined ||
    (Array.isArray(directions) && directions.every(isDirection) && !/desc/i.test(JSON.stringify(usual ?? null)));
  if (!knows) return unsorted(direction.name);
  const keys = (Array.isArray(values) ? values : []).map((one) => orderOf(one, fields));
  if (keys.length === 0 || keys.includes(undefined)) return unsorted(sort.name);
  const order = first === undefined ? undefined : orderOf(first, fields);
  if (first !== undefined && order === undefined) return unsorted(sort.name);
  return {
    order: order === undefined ? [] : [order],
    sorts: [...new Set((keys as readonly OrderKey[]).map(({ field }) => field))],
  };
}

function unsorted(detail: string): Reason {
  return { what: "it sorts by values that are no fields", detail };
}

function orderOf(value: Json, fields: RecordDraft["fields"]): OrderKey | undefined {
  const [, sign, field = ""] = /^(-?)([A-Za-z]\w*)$/.exec(typeof value === "string" ? value : "") ?? [];
  const found = Object.hasOwn(fields, field) ? fields[field] : undefined;
  return found !== undefined && isFilterable(found) ? { field, descending: sign === "-" } : undefined;
}

/** Returns the names of parameters that have other names in Nonet. */
function renamed(parameters: ReadonlyMap<ListParameter, ListedParameter>): { readonly names?: ListNames } {
  const others = [...parameters].flatMap(([word, { name }]) => (word === name ? [] : [[word, name] as const]));
  // Only if it is named do lists have a parameter for the direction.
  const names = Object.fromEntries(
    parameters.has("direction") ? [...others, ["direction", parameters.get("direction")?.name ?? ""]] : others,
  );
  return Object.keys(names).length === 0 ? {} : { names };
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]/g, "");
}

/** A list without a parameter for pages has all records in one answer. */
function kindOf(
  parameters: ReadonlyMap<ListParameter, ListedParameter>,
): { readonly kind: ListStyle["kind"] } | Reason {
  const { offset, page, cursor } = Object.fromEntries(parameters);
  const [, ...more] = [offset, page, cursor].filter((one) => one !== undefined);
  if (more.length > 0) return unclear(more.map(({ name }) => name).join(", "));
  const { default: first, minimum } = page?.plain ?? {};
  if (first === 0 || (minimum === 0 && first !== 1))
    return { what: "its pages count from 0", detail: page?.name ?? "" };
  if (page !== undefined) return { kind: "page" };
  if (offset !== undefined) return { kind: "offset" };
  return { kind: cursor === undefined && !parameters.has("limit") ? "none" : "cursor" };
}

function filterReason(
  name: string,
  optional: boolean,
  schema: ReturnType<typeof schemaOf>,
  { fields, schemas }: RecordDraft,
  named: NamedSchemas,
): Reason | undefined {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  const own = schemas[name];
  if (field === undefined || own === undefined) return foreign(name);
  if (!optional) return { what: "it requires a filter", detail: name };
  if (plainSchema(schema, named)["default"] !== undefined) return { what: "it filters by a default", detail: name };
  if (!isFilterable(field) || !fits(schema, own, named))
    return { what: "it filters by values of another type than the field", detail: name };
  return undefined;
}

function templateOf(
  { name: items, shape }: NonNullable<ListedRecords["around"]>,
  page: string,
  kind: ListStyle["kind"],
  named: NamedSchemas,
): { readonly gives: ResponseTemplate; readonly omitted: readonly string[] } | Reason {
  const gives: Record<string, string> = {};
  const omitted: string[] = [];
  for (const [name, { required, schema }] of shape.members) {
    const plain = plainSchema(schema, named);
    const expression = name === items ? page : (aboutPage(name, plain, kind, named) ?? constantOf(plain));
    if (expression !== undefined) gives[name] = expression;
    else if (required) return { what: "its answer requires a member that no record and no page has", detail: name };
    else omitted.push(name);
  }
  return { gives, omitted };
}

/** Returns the expression about a page that a member of its object means; undefined for any other member. */
function aboutPage(name: string, plain: JsonObject, kind: ListStyle["kind"], named: NamedSchemas): string | undefined {
  const expression = Object.hasOwn(pageMembers, plainName(name)) ? pageMembers[plainName(name)] : undefined;
  if (expression === undefined) return undefined;
  const isOf = (type: string) => fits({ type }, { type: plain["type"] ?? type }, named);
  const isNumbered = kind === "page" || kind === "offset";
  switch (expression) {
    case "next":
      // Without null, an empty text says that there are no further pages.
      if (kind !== "cursor" || plain["format"] !== undefined || !isOf("string")) return undefined;
      return isOf("null") ? expression : "next == null ? '' : next";
    case "next != null":
      return kind !== "none" && isOf("boolean") ? expression : undefined;
    case "page":
      return kind === "page" && isOf("integer") ? expression : undefined;
    case "offset":
      return isNumbered && isOf("integer") ? expression : undefined;
    case "count":
      return isOf("integer") ? expression : undefined;
    default:
      return kind !== "none" && isOf("integer") ? expression : undefined;
  }
}

/** Returns the only value of a member as an expression. */
export function constantOf({ const: only, enum: values }: JsonObject): string | undefined {
  const value = only ?? (Array.isArray(values) && values.length === 1 ? values[0] : undefined);
  return typeof value === "string" && /^[^'\\\p{Cc}]*$/u.test(value) ? `'${value}'` : undefined;
}
