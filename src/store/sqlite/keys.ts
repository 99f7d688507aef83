/** API keys in the table `nonet_keys`. Changes by another process (`nonet key`) are noticed by `revision`. */
import type { Key, KeyStore } from "../store.ts";
import type { Cells, Connection } from "./connection.ts";
import type { Writer } from "./group.ts";

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
  CREATE TABLE nonet_keys_revision (revision INTEGER NOT NULL) STRICT;
  INSERT INTO nonet_keys_revision VALUES (1);
  CREATE TRIGGER nonet_keys_added AFTER INSERT ON nonet_keys BEGIN UPDATE nonet_keys_revision SET revision = revision + 1; END;
  CREATE TRIGGER nonet_keys_changed AFTER UPDATE ON nonet_keys BEGIN UPDATE nonet_keys_revision SET revision = revision + 1; END;
  CREATE TRIGGER nonet_keys_removed AFTER DELETE ON nonet_keys BEGIN UPDATE nonet_keys_revision SET revision = revision + 1; END;
`;

const columns = "id, credential, hash, hint, user, roles, created, expires, revoked";

export function keyStore(reader: Connection, writer: Writer): KeyStore {
  const byHash = reader.getter(`SELECT ${columns} FROM nonet_keys WHERE hash = ?`);
  const dataVersion = reader.getter("PRAGMA data_version");
  const stored = reader.getter("SELECT revision FROM nonet_keys_revision");
  // The file's version changes with every commit of anybody, and costs less to ask for than the keys' own.
  let seen: unknown;
  let revision = 0;
  return {
    find: (hash) => keyOf(byHash(hash)),
    list: () => reader.all(`SELECT ${columns} FROM nonet_keys ORDER BY _seq`).map((cells) => keyOf(cells) as Key),
    create: (key) =>
      writer.write(({ connection }) => {
        connection.run(
          `INSERT INTO nonet_keys (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          key.id,
          key.credential,
          key.hash,
          key.hint,
          key.user,
          JSON.stringify(key.roles),
          key.created,
          key.expires ?? null,
          key.revoked ?? null,
        );
      }),
    revoke: (id, at) =>
      writer.write(({ connection }) => {
        const { changes } = connection.run(
          // A second revocation does not move the first.
          "UPDATE nonet_keys SET revoked = coalesce(revoked, ?) WHERE id = ?",
          at,
          id,
        );
        return Number(changes) > 0;
      }),
    revision: () => {
      const version = dataVersion()?.[0];
      if (version !== seen) {
        seen = version;
        revision = Number(stored()?.[0]);
      }
      return revision;
    },
  };
}

function keyOf(cells: Cells | undefined): Key | undefined {
  if (!cells) return undefined;
  const [id, credential, hash, hint, user, roles, created, expires, revoked] = cells as [
    string, string, string, string, string, string, number, number | null, number | null,
  ]; // biome-ignore format: the columns in their order
  return {
    id,
    credential,
    hash,
    hint,
    user,
    roles: JSON.parse(roles) as string[],
    created,
    ...(expires === null ? {} : { expires }),
    ...(revoked === null ? {} : { revoked }),
  };
}
