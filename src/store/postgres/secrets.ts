/** Stores secrets that the service generates, in the table `nonet_secrets`. */
import { defined } from "../../base/defined.ts";
import type { Store } from "../port/store.ts";
import type { Session } from "./connection.ts";

export const secretsSql: readonly string[] = [
  'CREATE TABLE nonet_secrets (name text COLLATE "C" PRIMARY KEY, value text COLLATE "C" NOT NULL)',
];

export function secretStore(session: Session): Pick<Store, "secret" | "replaceSecret"> {
  return {
    async secret(name, make) {
      // Processes that start at the same time all get the secret that was stored first.
      const [stored] = await session.rows<[string]>(
        `INSERT INTO nonet_secrets (name, value) VALUES ($1, $2)
         ON CONFLICT (name) DO UPDATE SET value = nonet_secrets.value RETURNING value`,
        [name, make()],
      );
      return defined(stored, `the secret ${name}`)[0];
    },
    async replaceSecret(name, old, value) {
      await session.rows("UPDATE nonet_secrets SET value = $3 WHERE name = $1 AND value = $2", [name, old, value]);
    },
  };
}
