/** The numbers last given to columns that count, in the table `nonet_counters`: never given again, whatever is deleted. */
import type { Session } from "./connection.ts";

export const countersSql: readonly string[] = [
  `CREATE TABLE nonet_counters (
    resource text COLLATE "C" NOT NULL,
    field text COLLATE "C" NOT NULL,
    value bigint NOT NULL,
    PRIMARY KEY (resource, field)
  )`,
];

/** The next number: 1, 2, 3. */
export async function count(session: Session, resource: string, field: string): Promise<number> {
  const [row] = await session.rows<[number]>(
    `INSERT INTO nonet_counters AS before (resource, field, value) VALUES ($1, $2, 1)
     ON CONFLICT (resource, field) DO UPDATE SET value = before.value + 1 RETURNING value`,
    [resource, field],
  );
  if (row === undefined) throw new Error(`${resource}.${field} was not counted`);
  return row[0];
}
