/** Views in PostgreSQL's SQL. Every text is what `JSON.stringify` would have written. */
import { sql } from "../fragment.ts";
import type { TypedExpression } from "../../expression/typed.ts";
import { isPlain } from "../member-text.ts";
import type { Column, ColumnType } from "../../plan/plan.ts";
import { type ViewSql, viewSql } from "../view-sql.ts";
import { expressions } from "./condition.ts";
import { quoteName } from "./value.ts";

export const views: ViewSql = viewSql({
  expressions,
  quoteName,
  columnText,
  valueText,
  joinedTexts: (text, order) => sql`string_agg(${text}, ',' ORDER BY ${order})`,
  segments: () => [],
  // An expression asks it as `jsonb`, which forgets the order of members.
  fieldText: (name, { type }) => (type === "json" ? `${name}::text` : undefined),
});

/** What cannot need an escape is not looked through for one. */
function columnText(name: string, { type, values }: Pick<Column, "type" | "values">): string {
  switch (type) {
    case "text":
      return values?.every(isPlain) ? `'"' || ${name} || '"'` : `to_json(${name})::text`;
    case "timestamp":
      return `'"' || ${instantText(name)} || '"'`;
    case "number":
      return `nonet_number(${name})`;
    default:
      return `${name}::text`;
  }
}

function valueText(value: string, type: ColumnType, of: TypedExpression): string {
  switch (type) {
    case "text":
      return `to_json(${value}::text)::text`;
    case "timestamp":
      return `to_json(${isJoined(of) ? value : instantText(value)})::text`;
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

/** What stands for a moment that is put in as the answer leaves is put together as a text. */
function isJoined(expression: TypedExpression): boolean {
  return expression.kind === "calculate" && expression.calculation === "join";
}

function instantText(value: string): string {
  return `to_char(${value} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}
