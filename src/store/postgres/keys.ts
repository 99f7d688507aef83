/** Stores API keys in the table `nonet_keys`. Other processes (`nonet key`) create and revoke them too. */
import { keyValues, keyColumns, keyOf } from "../sql/row-values.ts";
import type { KeyStore } from "../port/store.ts";
import type { Queries, Session } from "./connection.ts";

export const keysSql: readonly string[] = [
  `CREATE TABLE nonet_keys (
    seq bigint GENERATED ALWAYS AS IDENTITY,
    id text COLLATE "C" PRIMARY KEY,
    credential text COLLATE "C" NOT NULL,
    hash text COLLATE "C" NOT NULL UNIQUE,
    hint text COLLATE "C" NOT NULL,
    "user" text COLLATE "C" NOT NULL,
    roles text COLLATE "C" NOT NULL,
    created bigint NOT NULL,
    expires bigint,
    revoked bigint
  )`,
];

export function keyStore(session: Session & Queries): KeyStore {
  return {
    find: async (hash) => {
      const [found] = await session.execute(`SELECT ${keyColumns} FROM nonet_keys WHERE hash = $1`, [hash]);
      return found && keyOf(found);
    },
    list: async () => (await session.rows(`SELECT ${keyColumns} FROM nonet_keys ORDER BY seq`)).map(keyOf),
    create: async (key) => {
      const sql = `INSERT INTO nonet_keys (${keyColumns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;
      await session.rows(sql, keyValues(key));
    },
    revoke: async (id, at) => {
      // A second revocation keeps the time of the first one.
      const sql = "UPDATE nonet_keys SET revoked = coalesce(revoked, $1) WHERE id = $2 RETURNING id";
      return (await session.rows(sql, [at, id])).length > 0;
    },
  };
}
