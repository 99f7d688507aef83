/** Views in SQLite's SQL: from texts that are stored with the record where they fit. */
import { sql } from "../sql/fragment.ts";
import { cachedFragmentsOf } from "../sql/json-fragments.ts";
import { type ViewSql, viewSql } from "../sql/view.ts";
import { expressions } from "./condition.ts";
import { columnText, numberText, valueText } from "./json.ts";
import { quoteName } from "./value.ts";

export const views: ViewSql = viewSql({
  expressions,
  quoteName,
  columnText: (name, { type, values }) => (type === "number" ? numberText(name) : columnText(name, type, values)),
  valueText,
  joinedTexts: (text, order) => sql`group_concat(${text}, ',' ORDER BY ${order})`,
  fragments: cachedFragmentsOf,
  // It is null where a number cannot be written by SQL as JSON has it.
  fragmentText: (stored, { columns }, made) =>
    columns.some(({ type }) => type === "number") ? `coalesce(${stored}, ${made()})` : stored,
});
