/** Stores API keys in the table `nonet_keys`. Another process (`nonet key`) may change them. */
import { keyValues, keyColumns, keyOf } from "../sql/row-values.ts";
import type { KeyStore } from "../port/store.ts";
import type { Connection } from "./connection.ts";
import type { Writer } from "./write-batches.ts";

export const keysSql = `
  CREATE TABLE nonet_keys (
    _seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    credential TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE,
    hint TEXT NOT NULL,
    user TEXT NOT NULL,
    roles TEXT NOT NULL CHECK (json_valid(roles)),
    created INTEGER NOT NULL,
    expires INTEGER,
    revoked INTEGER
  ) STRICT;
`;

export function keyStore(reader: Connection, writer: Pick<Writer, "write">): KeyStore {
  const byHash = reader.getter(`SELECT ${keyColumns} FROM nonet_keys WHERE hash = ?`);
  return {
    find(hash) {
      const found = byHash(hash);
      return found && keyOf(found);
    },
    list: () => reader.all(`SELECT ${keyColumns} FROM nonet_keys ORDER BY _seq`).map(keyOf),
    create: (key) =>
      writer.write(({ connection }) => {
        const sql = `INSERT INTO nonet_keys (${keyColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;
        connection.run(sql, ...keyValues(key));
      }),
    revoke: (id, at) =>
      writer.write(({ connection }) => {
        // A second revocation keeps the time of the first one.
        return connection.change("UPDATE nonet_keys SET revoked = coalesce(revoked, ?) WHERE id = ?", at, id) > 0;
      }),
  };
}
