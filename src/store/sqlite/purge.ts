/** Deletes expired rows in batches, which let requests run in between. */
import { purgeFiles } from "./files.ts";
import { purgeResponses } from "./stored-responses.ts";
import type { Writer } from "./write-batches.ts";

const batch = 500;

/**
 * The tables with the columns that identify a row and the condition of expired rows; `?` is the time in epoch milliseconds.
 */
const retentionRules = [
  { table: "nonet_counts", key: "name, key", over: "until <= ?" },
  { table: "nonet_sessions", key: "_seq", over: "expires <= ?" },
  { table: "nonet_grants", key: "kind, id", over: "expires <= ?" },
] as const;

export async function purge(writer: Writer, now: number): Promise<void> {
  let after: number | undefined = 0;
  while (after !== undefined) {
    const from: number = after;
    after = await writer.write(({ connection }) => purgeResponses(connection, now, from, batch));
  }
  for (const { table, key, over } of retentionRules) {
    const sql = `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${over} LIMIT ${batch})`;
    while ((await writer.write(({ connection }) => connection.change(sql, now))) === batch);
  }
  while (await writer.write(({ connection }) => purgeFiles(connection, now)));
}
