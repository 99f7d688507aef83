/** Stores grants in the table `nonet_grants`. */
import type { Grant, GrantStore } from "../port/grants.ts";
import type { Connection } from "./connection.ts";
import type { Writer } from "./write-batches.ts";

export const grantsSql = `
  CREATE TABLE nonet_grants (
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    family TEXT NOT NULL,
    text TEXT NOT NULL,
    expires INTEGER NOT NULL,
    PRIMARY KEY (kind, id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX nonet_grants_by_family ON nonet_grants (family);
  CREATE INDEX nonet_grants_by_expires ON nonet_grants (expires);
`;

export function grantStore(reader: Connection, writer: Pick<Writer, "write">): GrantStore {
  const found = reader.getter("SELECT family, text, expires FROM nonet_grants WHERE kind = ? AND id = ?");
  return {
    put: ({ kind, id, group, text, expires }) =>
      writer.write(({ connection }) => {
        connection.run("INSERT OR REPLACE INTO nonet_grants VALUES (?, ?, ?, ?, ?)", kind, id, group, text, expires);
      }),
    find: (kind, id) => {
      const row = found(kind, id);
      if (!row) return undefined;
      const [group, text, expires] = row as [string, string, number];
      return { kind, id, group, text, expires } satisfies Grant;
    },
    replace: ({ kind, id, text: before }, { text, expires }) =>
      writer.write(({ connection }) => {
        const sql = "UPDATE nonet_grants SET text = ?, expires = ? WHERE kind = ? AND id = ? AND text = ?";
        return connection.change(sql, text, expires, kind, id, before) > 0;
      }),
    end: (kind, id) =>
      writer.write(({ connection }) => {
        return connection.change("DELETE FROM nonet_grants WHERE kind = ? AND id = ?", kind, id) > 0;
      }),
    endGroup: (group) =>
      writer.write(({ connection }) => {
        connection.run("DELETE FROM nonet_grants WHERE family = ?", group);
      }),
  };
}
