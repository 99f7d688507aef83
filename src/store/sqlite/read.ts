/** Reads one record as the JSON text of a view. */
import type { Value, Variables } from "../../expression/evaluate.ts";
import type { Found, ReadQuery, Store } from "../port/store.ts";
import { expressions, views } from "./view.ts";
import type { Connection } from "./connection.ts";
import { canStop, type Stoppable, stopSometimes } from "./deadline.ts";
import { sql } from "../sql/fragment.ts";
import { relationFor, typeOf } from "../sql/table-access.ts";
import { argument, binder } from "./fragment.ts";
import type { Relations } from "./relations.ts";
import type { Snapshot } from "./snapshot.ts";
import { quoteName, toStored } from "./value.ts";

export function prepareRead(
  query: ReadQuery,
  relations: Relations,
  connection: Connection,
  snapshot: Pick<Snapshot, "acquire">,
): Stoppable<Parameters<ReturnType<Store["read"]>>, Found | undefined> {
  const relation = relationFor(relations, query.resource);
  const { key: column } = query;
  const type = column === undefined ? "text" : typeOf(relation, column);
  const one = column === undefined ? stopSometimes("t._seq") : sql`t.${quoteName(column)} = ${argument(0)}`;
  const oldest = column === undefined ? " ORDER BY t._seq LIMIT 1" : "";
  const { sql: text, bindings } = sql`SELECT ${views.view(query.view, relation.table, relations)}, t._rev
    FROM ${relation.name} AS t
    WHERE ${one} AND ${expressions.condition(query.where, relations)}${oldest}`;
  const statement = connection.prepare(text);
  const stops = canStop(text);
  if (bindings.length === 1 && column !== undefined) {
    const run = (key: Value): Found | undefined => {
      snapshot.acquire();
      return found(statement.get(toStored(key, type)) as unknown as [string, number] | undefined);
    };
    return { stops, run };
  }
  const bind = binder(bindings);
  const run = (key: Value, variables: Variables): Found | undefined => {
    snapshot.acquire();
    return found(statement.get(...bind([toStored(key, type)], variables)) as unknown as [string, number] | undefined);
  };
  return { stops, run };
}

function found(row: readonly [string, number] | undefined): Found | undefined {
  return row && { text: row[0], revision: row[1] };
}
