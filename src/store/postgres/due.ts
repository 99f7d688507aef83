/** Records to which time does something: of each table the first ones of its index on `_due`, in one statement. */
import type { Value } from "../../expression/evaluate.ts";
import { quoteText } from "../sql/json-text.ts";
import type { Due, Store } from "../port/store.ts";
import { isTimed } from "../sql/timers.ts";
import type { Session } from "./connection.ts";
import type { Relations } from "./relations.ts";

export function dueFinder(relations: Relations, session: Session): Store["due"] {
  const timed = [...relations.values()].filter(({ table }) => isTimed(table));
  if (timed.length === 0) return () => [];
  const each = timed.map(
    ({ name, table: { resource } }) =>
      `(SELECT ${quoteText(resource)} AS resource, to_json("id")::text AS id, _due FROM ${name}
        WHERE _due <= $1 ORDER BY _due, _seq LIMIT $2)`,
  );
  const text = `SELECT resource, id, _due FROM (${each.join(" UNION ALL ")}) AS due ORDER BY _due LIMIT $2`;
  return async (now, limit) => {
    const rows = await session.rows<[string, string, number]>(text, [now, limit]);
    return rows.map(([resource, id, due]): Due => ({ resource, id: JSON.parse(id) as Value, due }));
  };
}
