/** Reads one record as the JSON text of a view, and aggregates: one statement each. */
import { noTable } from "../../plan/resources/tables.ts";
import { type Fragment, sql } from "../sql/fragment.ts";
import { isLongRead } from "../sql/long-reads.ts";
import { relationFor, typeOf } from "../sql/table-access.ts";
import type { ReadQuery, Store, AggregateQuery } from "../port/store.ts";
import { expressions } from "./condition.ts";
import { argument, statementOf } from "./fragment.ts";
import type { Relation, Relations } from "./relations.ts";
import type { ReadRole } from "./row-security/read-role.ts";
import { digestOf, isUniqueByDigest } from "./schema.ts";
import { columnTypes, quoteName, toStored } from "./value.ts";
import { storedViews, views } from "./view.ts";

export function prepareRead(
  query: ReadQuery,
  relations: Relations,
  { finds, reached, session }: ReadRole,
): ReturnType<Store["read"]> {
  const relation = relationFor(relations, query.resource);
  const { key: column } = query;
  const type = column === undefined ? "text" : typeOf(relation, column);
  const finder = column === undefined ? undefined : finds(column);
  const found = finder === undefined ? undefined : sql`t._seq = (SELECT ${finder}(${argument(0, "text")}))`;
  const one = column === undefined ? "TRUE" : (found ?? hasKey(relation, column));
  const oldest = column === undefined ? " ORDER BY t._seq LIMIT 1" : "";
  const { bind, text } = statementOf(sql`SELECT ${storedViews.view(query.view, relation.table, reached)}, t._rev
    FROM ${relation.name} AS t
    WHERE ${one} AND ${expressions.condition(query.where, reached)}${oldest}`);
  const long = isLongRead(query);
  return async (key, variables) => {
    const [found] = await session(variables, long).rows<[string, number]>(text, bind([toStored(key, type)], variables));
    return found && { text: found[0], revision: found[1] };
  };
}

/** Returns a condition: the unique column of the row `t` equals the first argument. */
export function hasKey(relation: Relation, column: string): Fragment {
  const name = `t.${quoteName(column)}`;
  const value = argument(0, columnTypes[typeOf(relation, column)]);
  if (!isUniqueByDigest(relation.table, column)) return sql`${name} = ${value}`;
  return sql`${digestOf(name)} = nonet_digest(${value}) AND ${name} = ${value}`;
}

export function prepareAggregate(
  { members, where }: AggregateQuery,
  { reached, session }: ReadRole,
): ReturnType<Store["aggregate"]> {
  const { bind, text } = statementOf(sql`SELECT ${views.view({ resource: "", members }, noTable, reached)}
    WHERE ${expressions.condition(where, reached)}`);
  return async (variables) => (await session(variables, true).rows<[string]>(text, bind([], variables)))[0]?.[0];
}
