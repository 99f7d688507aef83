/** Stores secrets that the service generates, in the table `nonet_secrets`. */
import { defined } from "../../base/defined.ts";
import type { Store } from "../port/store.ts";
import type { Writer } from "./write-batches.ts";

export const secretsSql =
  "CREATE TABLE nonet_secrets (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID";

export function secretStore(writer: Writer): Pick<Store, "secret" | "replaceSecret"> {
  return {
    secret: (name, make) =>
      writer.write(({ connection }) => {
        connection.run("INSERT INTO nonet_secrets VALUES (?, ?) ON CONFLICT DO NOTHING", name, make());
        const stored = connection.get("SELECT value FROM nonet_secrets WHERE name = ?", name);
        return String(defined(stored, `the secret ${name}`)[0]);
      }),
    replaceSecret: (name, old, value) =>
      writer.write(({ connection }) => {
        connection.run("UPDATE nonet_secrets SET value = ? WHERE name = ? AND value = ?", value, name, old);
      }),
  };
}
