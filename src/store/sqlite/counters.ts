/** Stores the last number of each counter column in `nonet_counters`: a number is never reused, even after deletions. */
import { defined } from "../../base/defined.ts";
import type { Connection } from "./connection.ts";

export const countersSql = `
  CREATE TABLE nonet_counters (
    resource TEXT NOT NULL,
    field TEXT NOT NULL,
    value INTEGER NOT NULL,
    PRIMARY KEY (resource, field)
  ) STRICT, WITHOUT ROWID;
`;

/** Returns the next number of a counter: 1, 2, 3. */
export function count(connection: Connection, resource: string, field: string): number {
  const row = connection.get(
    `INSERT INTO nonet_counters VALUES (?, ?, 1)
     ON CONFLICT DO UPDATE SET value = value + 1 RETURNING value`,
    resource,
    field,
  );
  return defined(row, `the number after ${resource}.${field}`)[0] as number;
}
