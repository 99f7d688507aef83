/** What the members of a view tell of all records together: one statement, which stands on no row. */
import { noTable } from "../../plan/no-table.ts";
import type { Store, WholeQuery } from "../store.ts";
import { expressions } from "./condition.ts";
import type { Connection } from "./connection.ts";
import { sql } from "../fragment.ts";
import { binder } from "./fragment.ts";
import type { Relations } from "./relations.ts";
import type { Snapshot } from "./snapshot.ts";
import { views } from "./view.ts";

export function prepareWhole(
  { members, where }: WholeQuery,
  relations: Relations,
  connection: Connection,
  snapshot: Snapshot,
): ReturnType<Store["whole"]> {
  const { sql: text, bindings } = sql`SELECT ${views.view({ resource: "", members }, noTable, relations)}
    WHERE ${expressions.condition(where, relations)}`;
  const statement = connection.prepare(text);
  const bind = binder(bindings);
  return (variables) => {
    snapshot.take();
    const cells = statement.get(...bind([], variables)) as unknown as [string] | undefined;
    return cells?.[0];
  };
}
