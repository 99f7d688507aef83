/** Brings a file to the tables of a plan. */
import type { Table } from "../../plan/plan.ts";
import { answersSql } from "./answers.ts";
import type { Connection } from "./connection.ts";
import { countersSql } from "./counters.ts";
import { keysSql } from "./keys.ts";
import { indexesOf, tableSql } from "./schema.ts";

export function migrate(connection: Connection, _file: string, tables: readonly Table[], _clock: () => number): void {
  connection.exec("PRAGMA journal_mode = WAL");
  connection.exec("PRAGMA foreign_keys = ON");
  const ours = "SELECT 1 FROM sqlite_schema WHERE name = 'nonet_schema'";
  if (connection.get(ours)) return;
  connection.exec("BEGIN IMMEDIATE");
  connection.exec("CREATE TABLE nonet_schema (edition INTEGER NOT NULL, tables TEXT NOT NULL) STRICT");
  connection.run("INSERT INTO nonet_schema VALUES (1, ?)", JSON.stringify(tables));
  connection.exec(keysSql);
  connection.exec(answersSql);
  connection.exec(countersSql);
  for (const table of tables) {
    connection.exec(tableSql(table, tables));
    for (const index of indexesOf(table).values()) connection.exec(index);
  }
  connection.exec("COMMIT");
}
