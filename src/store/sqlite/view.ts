/** Views in SQLite's SQL: from texts that are stored with the record where they fit. */
import { sql } from "../fragment.ts";
import { type ViewSql, viewSql } from "../view-sql.ts";
import { expressions } from "./condition.ts";
import { columnText, numberText, valueText } from "./json.ts";
import { segmentsOf } from "./schema.ts";
import { quoteName } from "./value.ts";

export const views: ViewSql = viewSql({
  expressions,
  quoteName,
  columnText: (name, { type, values }) => (type === "number" ? numberText(name) : columnText(name, type, values)),
  valueText,
  joinedTexts: (text, order) => sql`group_concat(${text}, ',' ORDER BY ${order})`,
  segments: segmentsOf,
});
