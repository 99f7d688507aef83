/** Declares lists: the parameters that divide them into pages and filter them, and the object around the records. */
import type { ListNames, ListStyle, ResponseTemplate } from "../../language/endpoints/model.ts";
import { isReason, type ListedRecords, type Reason, schemaOf } from "./answers.ts";
import { isFilterable } from "./fields.ts";
import type { ContractOperation } from "./groups.ts";
import type { RecordDraft } from "./record.ts";
import { fits, type NamedSchemas, plainSchema, typesOf } from "./schema.ts";

export interface DeclaredList {
  readonly style: ListStyle;
  /** The object around the page; its member with the text `page` has the records. */
  readonly gives: ResponseTemplate;
  /** The fields by which requests filter the list. */
  readonly filters: readonly string[];
  /** The members of the answer that it leaves out. */
  readonly omitted: readonly string[];
}

type PageParameter = "limit" | "offset" | "page";

const pageParameters: Readonly<Record<string, PageParameter>> = {
  limit: "limit", perpage: "limit", pagesize: "limit", size: "limit",
  offset: "offset", skip: "offset",
  page: "page", pagenumber: "page",
}; // biome-ignore format: a table

/** Expressions about a page, by the name of a member. */
const pageMembers: Readonly<Record<string, string>> = {
  total: "count", totalcount: "count", totalitems: "count", totalresults: "count", totalelements: "count", totalrecords: "count",
  limit: "limit", perpage: "limit", pagesize: "limit", offset: "offset", skip: "offset",
  page: "page", pagenumber: "page", currentpage: "page", hasmore: "next != null", hasnext: "next != null",
  totalpages: "(count + limit - 1) / limit", pagecount: "(count + limit - 1) / limit",
}; // biome-ignore format: a table

/** `page`: the template of the member with the records, such as `Pet[]`. */
export function listOf(
  operation: ContractOperation,
  { around }: ListedRecords,
  record: RecordDraft,
  page: string,
  named: NamedSchemas,
): DeclaredList | Reason {
  const names: Record<string, string> = {};
  const filters: string[] = [];
  let size: number | undefined;
  let max: number | undefined;
  for (const [name, { optional, type }] of Object.entries(operation.wire.query ?? {})) {
    const schema = schemaOf(type);
    const plain = plainSchema(schema, named);
    const word = Object.hasOwn(pageParameters, plainName(name)) ? pageParameters[plainName(name)] : undefined;
    if (word === undefined || Object.hasOwn(record.fields, name)) {
      const reason = filterReason(name, optional, schema, record, named);
      if (reason !== undefined) return reason;
      filters.push(name);
      continue;
    }
    const { default: first, minimum, maximum } = plain;
    const isNumber = typesOf(plain["type"]).every((one) => one === "integer" || one === "number");
    if (!optional || !isNumber || names[word] !== undefined) return { what: "its pages are unclear", detail: name };
    if (word === "page" && (first === 0 || (minimum === 0 && first !== 1)))
      return { what: "its pages count from 0", detail: name };
    names[word] = name;
    if (word !== "limit") continue;
    size = typeof first === "number" && first >= 1 ? first : undefined;
    max = typeof maximum === "number" && maximum >= 1 ? maximum : undefined;
  }
  if (names["page"] !== undefined && names["offset"] !== undefined)
    return { what: "its pages are unclear", detail: Object.values(names).join(", ") };
  const kind = kindOf(names);
  const gives = around === undefined ? { gives: page, omitted: [] } : templateOf(around, page, kind, named);
  if (isReason(gives)) return gives;
  const largest = max ?? Math.max(100, size ?? 0);
  const sizes =
    kind === "none"
      ? {}
      : { size: Math.min(size ?? 20, largest), max: largest, ...(max === undefined ? { clamped: true as const } : {}) };
  return {
    style: { kind, ...sizes, ...renamed(names) },
    ...gives,
    filters,
  };
}

/** Returns the names of parameters that have other names in Nonet. */
function renamed(names: Readonly<Record<string, string>>): { readonly names?: ListNames } {
  const others = Object.entries(names).filter(([word, name]) => word !== name);
  return others.length === 0 ? {} : { names: Object.fromEntries(others) };
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]/g, "");
}

/** A list without a parameter for pages has all records in one answer. */
function kindOf(names: Readonly<Record<string, string>>): ListStyle["kind"] {
  if (names["page"] !== undefined) return "page";
  if (names["offset"] !== undefined) return "offset";
  return names["limit"] === undefined ? "none" : "cursor";
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
  if (field === undefined || own === undefined)
    return { what: "it has a parameter that is no field of the record", detail: name };
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
    if (name === items) {
      gives[name] = page;
      continue;
    }
    const expression = Object.hasOwn(pageMembers, plainName(name)) ? pageMembers[plainName(name)] : undefined;
    const wanted = expression === "next != null" ? "boolean" : "integer";
    const needs =
      expression === "page" ? ["page"] : expression === "offset" ? ["page", "offset"] : ["page", "offset", "cursor"];
    const isPossible = expression === "count" || needs.includes(kind);
    if (
      expression !== undefined &&
      isPossible &&
      fits({ type: wanted }, { type: plainSchema(schema, named)["type"] ?? wanted }, named)
    )
      gives[name] = expression;
    else if (required) return { what: "its answer requires a member that no record and no page has", detail: name };
    else omitted.push(name);
  }
  return { gives, omitted };
}
