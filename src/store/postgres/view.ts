/** Configures the compiler of views for PostgreSQL. Every text equals the output of `JSON.stringify`. */
import { isCounted } from "../sql/condition.ts";
import { sql } from "../sql/fragment.ts";
import type { TypedExpression } from "../../expression/typed.ts";
import { isPlain } from "../sql/json-text.ts";
import type { Column, JsonType } from "../../plan/resources/types.ts";
import type { UnixUnit } from "../../base/unix-time.ts";
import { cachedFragmentsOf } from "../sql/json-fragments.ts";
import { type TextSql, type ViewSql, viewSql } from "../sql/view.ts";
import { expressions } from "./condition.ts";
import { heldText } from "./cached-json.ts";
import { quoteName } from "./value.ts";

const dialect: TextSql = {
  expressions,
  quoteName,
  columnText,
  valueText,
  joinedTexts: (text, order) => sql`string_agg(${text}, ',' ORDER BY ${order})`,
  fragments: () => [],
  fragmentText: (stored) => stored,
  // Expressions read all ids as text, by the index on the text of counted ids.
  idText: (alias, table) => (isCounted(table) ? `${alias}."id"::text` : undefined),
  // An expression would read the field as `jsonb`, which loses the order of members.
  fieldText: (name, { type }) => (type === "json" ? `${name}::text` : undefined),
};

/** Views of any row, whether it is stored or not. */
export const views: ViewSql = viewSql(dialect);

/** Views of a stored row, which use its cached JSON fragments; nested views do not. */
export const storedViews: ViewSql = viewSql({
  ...dialect,
  fragments: (table, depth) => (depth === 0 ? cachedFragmentsOf(table) : []),
  fragmentText: (stored, _, made, table, alias) => heldText(stored, made, table, alias),
});

function columnText(name: string, column: TextColumn): string {
  const type = column.unix ?? column.type;
  switch (type) {
    case "seconds":
    case "milliseconds":
      return unixText(name, type);
    case "text":
      return needsNoEscape(column) ? `'"' || ${name} || '"'` : `to_json(${name})::text`;
    case "timestamp":
      return momentText(name);
    case "number":
      return `nonet_number(${name})`;
    default:
      return `${name}::text`;
  }
}

type TextColumn = Pick<Column, "type" | "unix" | "values" | "schema">;

/** Whether the column's texts never need an escape in JSON, so that the SQL can skip escaping. */
function needsNoEscape({ schema, values }: TextColumn): boolean {
  if (values !== undefined) return values.every(isPlain);
  const { format, pattern } = schema;
  return plainFormats.some((one) => one === format) || (typeof pattern === "string" && ofMadeIds.test(pattern));
}

const plainFormats = ["uuid", "date", "country", "currency"];

/** The pattern of generated ids; references to them have the same pattern. */
const ofMadeIds = /^\^[a-z0-9_]*\[[\w-]+\]\{[0-9]+\}\$$/;

/**
 * Returns the JSON text of a timestamp. PostgreSQL omits milliseconds that are 0. After adding a microsecond it always prints
 * six places, which `left` cuts to three: half the cost of `to_char`.
 */
function momentText(name: string): string {
  return `left(to_json(${name} AT TIME ZONE 'UTC' + interval '1us')::text, 24) || 'Z"'`;
}

function valueText(value: string, type: JsonType, of: TypedExpression): string {
  switch (type) {
    case "text":
      return `to_json(${value}::text)::text`;
    case "timestamp":
      return `to_json(${isJoined(of) ? value : instantText(value)})::text`;
    case "seconds":
    case "milliseconds":
      return unixText(value, type);
    case "integer":
      return `${value}::bigint::text`;
    case "number":
      return `nonet_number(${value}::double precision)`;
    case "boolean":
      return `${value}::text`;
    case "json":
      return `nonet_json(${value})`;
  }
}

/**
 * Whether the expression is a joined text, as the placeholder of a timestamp is, which is replaced when the response is sent.
 */
function isJoined(expression: TypedExpression): boolean {
  return expression.kind === "calculate" && expression.calculation === "join";
}

function unixText(value: string, unit: UnixUnit): string {
  return `floor(extract(epoch FROM ${value})${unit === "seconds" ? "" : " * 1000"})::bigint::text`;
}

function instantText(value: string): string {
  return `to_char(${value} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}
