/** One record as the text of a view. */
import type { Found, ReadQuery, Store } from "../store.ts";
import { conditionSql } from "./condition.ts";
import type { Connection } from "./connection.ts";
import { argument, binder, sql } from "./fragment.ts";
import { type Relations, relationFor, typeOf } from "./relations.ts";
import type { Snapshot } from "./snapshot.ts";
import { quoteName, toStored } from "./value.ts";
import { viewSql } from "./view.ts";

export function prepareRead(
  query: ReadQuery,
  relations: Relations,
  connection: Connection,
  snapshot: Snapshot,
): ReturnType<Store["read"]> {
  const relation = relationFor(relations, query.resource);
  const type = typeOf(relation, query.key);
  const { sql: text, bindings } = sql`SELECT ${viewSql(query.view, relation.table, relations)}, t._rev
    FROM ${relation.name} AS t
    WHERE t.${quoteName(query.key)} = ${argument(0)} AND ${conditionSql(query.where, relations)}`;
  const statement = connection.prepare(text);
  if (bindings.length === 1) {
    return (key) => {
      snapshot.take();
      return found(statement.get(toStored(key, type)) as unknown as [string, number] | undefined);
    };
  }
  const bind = binder(bindings);
  return (key, variables) => {
    snapshot.take();
    return found(statement.get(...bind([toStored(key, type)], variables)) as unknown as [string, number] | undefined);
  };
}

function found(cells: readonly [string, number] | undefined): Found | undefined {
  return cells && { text: cells[0], revision: cells[1] };
}
