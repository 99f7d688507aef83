/** Prepares aggregate queries over all records: one statement without a current row. */
import { noTable } from "../../plan/resources/tables.ts";
import type { Variables } from "../../expression/evaluate.ts";
import type { AggregateQuery } from "../port/store.ts";
import { expressions, views } from "./view.ts";
import type { Connection } from "./connection.ts";
import { sql } from "../sql/fragment.ts";
import { canStop, type Stoppable } from "./deadline.ts";
import { binder } from "./fragment.ts";
import type { Relations } from "./relations.ts";
import type { Snapshot } from "./snapshot.ts";

export function prepareAggregate(
  { members, where }: AggregateQuery,
  relations: Relations,
  connection: Connection,
  snapshot: Pick<Snapshot, "acquire">,
): Stoppable<[variables: Variables], string | undefined> {
  const { sql: text, bindings } = sql`SELECT ${views.view({ resource: "", members }, noTable, relations)}
    WHERE ${expressions.condition(where, relations)}`;
  const statement = connection.prepare(text);
  const bind = binder(bindings);
  const run = (variables: Variables): string | undefined => {
    snapshot.acquire();
    const row = statement.get(...bind([], variables)) as unknown as [string] | undefined;
    return row?.[0];
  };
  return { stops: canStop(text), run };
}
