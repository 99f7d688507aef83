/** Converts the defaults of columns: literals, the present, random UUIDs and sequences. */
import type { Model } from "../../language/model.ts";
import { defaultValue } from "../../language/resources/default-value.ts";
import type { Default, Field, FieldType } from "../../language/resources/model.ts";
import type { ImportNotices } from "../report.ts";
import type { CatalogueColumn, CatalogueTable } from "./catalogue.ts";
import type { Context, Draft, NamedTable } from "./draft.ts";
import { parseSql, type SqlExpression } from "./sql-expression.ts";
import type { Dialect } from "./sql-tokens.ts";

/** An empty model is enough for the literals of defaults, since their types contain no names. */
const empty = { resources: { resources: {}, types: {}, rules: {} } } as unknown as Model;

export function addDefault(draft: Draft, { table }: NamedTable, { dialect, notices }: Context): void {
  const { column, pointer, type } = draft;
  if (draft.name === "id" && type.kind === "id" && type.made === "server") draft.default = { kind: "uuid" };
  if (draft.name === "id" ? type.kind === "id" && type.made !== "client" : draft.computed !== undefined) return;
  if (column.counted === true) {
    if (type.kind !== "scalar" || draft.name === "id") return;
    draft.type = { kind: "scalar", name: type.name };
    draft.default = { kind: "counter" };
    draft.marks.add("read-only");
    return;
  }
  if (column.default === undefined) return;
  const parsed = parseSql(column.default, dialect);
  if (parsed?.kind === "literal" && parsed.value === null) return;
  const made = parsed && defaultOf(draft, parsed);
  if (made === undefined) {
    notices.lost(pointer, "a default that the language does not have", column.default);
    return;
  }
  draft.default = made;
  if (made.kind === "now") addTime(draft, table, notices);
}

/** A time that the database sets at the creation; by its name and a trigger also at each change. */
function addTime(draft: Draft, { triggers }: CatalogueTable, notices: ImportNotices): void {
  const isOfChange = /^(?:last_?)?(?:updated|modified|changed|update|modification)(?:_?(?:at|on|date|time))?$/i.test(
    draft.column.name,
  );
  if (isOfChange) {
    draft.default = { kind: "now-on-change" };
    const why = triggers.length > 0 ? "by its name and the triggers of the table" : "by its name";
    notices.guessed(draft.pointer, `that a time is the time of the last change, ${why}`);
  }
  draft.marks.add("read-only");
  notices.guessed(draft.pointer, "that callers do not set a time for which the database has a default");
}

function defaultOf({ column, marks, type }: Draft, parsed: SqlExpression): Default | undefined {
  const inner = type.kind === "id" ? type.of : type;
  if (isNow(parsed) && inner?.kind === "scalar" && inner.name === "datetime") return { kind: "now" };
  if (parsed.kind === "call" && inner?.kind === "scalar" && inner.name === "uuid")
    return isUuidFunction(parsed.name) ? { kind: "uuid" } : undefined;
  if (parsed.kind !== "literal" || inner === undefined) return undefined;
  const text = literalText(parsed, inner);
  const field: Field = {
    type: inner,
    optional: !column.required,
    default: { kind: "literal", text },
    marks: [...marks],
  };
  const value = defaultValue(empty, field);
  return value === undefined || !isValidDefault(value, inner) ? undefined : { kind: "literal", text };
}

function literalText({ text, value }: SqlExpression & { readonly kind: "literal" }, type: FieldType): string {
  const isBoolean = type.kind === "scalar" && type.name === "boolean";
  if (isBoolean && (value === 0 || value === 1)) return String(value === 1);
  if (isBoolean && typeof value === "string") return /^(?:t|true|1|yes|on)$/i.test(value) ? "true" : "false";
  return typeof value === "boolean" ? String(value) : text;
}

/** Whether a default is within the type, as far as the type has bounds; `check` would reject another one. */
function isValidDefault(value: unknown, type: FieldType): boolean {
  if (type.kind === "one-of") return typeof value === "string" && type.values.includes(value);
  if (type.kind !== "scalar") return type.kind === "schema";
  const { max = Number.POSITIVE_INFINITY, min = Number.NEGATIVE_INFINITY, name, pattern } = type;
  if (typeof value === "number") return value >= min && value <= max;
  if (typeof value === "boolean") return name === "boolean";
  if (typeof value !== "string") return name === "json";
  switch (name) {
    case "string":
    case "text":
      return (
        [...value].length >= min &&
        [...value].length <= max &&
        (pattern === undefined || new RegExp(pattern, "u").test(value))
      );
    case "uuid":
      return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value);
    case "date":
      return /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value));
    case "time":
      return /^(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?$/.test(value);
    case "datetime":
      return true;
    default:
      return name === "json";
  }
}

/** `now()`, CURRENT_TIMESTAMP, `timezone('utc', now())`, SQLite's `datetime('now')` and `strftime('…', 'now')`. */
function isNow(expression: SqlExpression): boolean {
  if (expression.kind !== "call") return false;
  const { name, of } = expression;
  if (/^(?:now|current_timestamp|localtimestamp|statement_timestamp|transaction_timestamp|clock_timestamp)$/.test(name))
    return true;
  if (name === "timezone") return of.some((one) => isNow(one));
  if (!/^(?:datetime|strftime)$/.test(name)) return false;
  return of.some((one) => one.kind === "literal" && one.value === "now");
}

/** Whether the database makes a random UUID for a column. */
export function isRandomUuid({ default: sql }: CatalogueColumn, dialect: Dialect): boolean {
  const parsed = sql === undefined ? undefined : parseSql(sql, dialect);
  return parsed?.kind === "call" && isUuidFunction(parsed.name);
}

function isUuidFunction(name: string): boolean {
  return /^(?:gen_random_uuid|uuid_generate_v[14]|uuidv[47])$/.test(name);
}
