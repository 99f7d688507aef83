/** Where a service's data is, from `postgres://user:secret@host:port/database?schema=name&connections=12`. */
import { StoreError } from "../error.ts";

export interface Place {
  /** As the driver takes it, with what it knows of the parameters (`sslmode`, …). */
  readonly address: string;
  /** Everything of one service is in one schema, so that services, tenants and tests can share a database. */
  readonly schema: string;
  /** The most connections of one process. */
  readonly connections: number;
  /** For messages: without a secret. */
  readonly name: string;
}

const fewest = 2;
const usual = 12;

export function isPostgresAddress(text: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(text);
}

/** @throws StoreError `not-accessible` where it is no such address. */
export function placeFrom(text: string): Place {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new StoreError("not-accessible", "it is no address of a database: postgres://user:secret@host:port/database");
  }
  const schema = url.searchParams.get("schema") ?? "public";
  const connections = Number(url.searchParams.get("connections") ?? usual);
  // A name of PostgreSQL has 63 bytes; what is longer is cut off without a word.
  if (schema === "" || Buffer.byteLength(schema) > 63 || /^pg_|\0/i.test(schema))
    throw new StoreError("not-accessible", `${JSON.stringify(schema)} cannot be the name of a schema`);
  if (!Number.isInteger(connections) || connections < fewest)
    throw new StoreError("not-accessible", `connections is a whole number from ${fewest} on`);
  url.searchParams.delete("schema");
  url.searchParams.delete("connections");
  const database = decodeURIComponent(url.pathname.slice(1));
  return { address: url.href, schema, connections, name: `${schema} of ${database} on ${url.host}` };
}
