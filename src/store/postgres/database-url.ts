/** Parses the URL of a service's data: `postgres://user:secret@host:port/database?schema=name&connections=12&reader=role`. */
import { StoreError } from "../port/error.ts";

export interface DatabaseUrl {
  /** The URL for the driver, with the parameters that it knows (`sslmode`, …). */
  readonly address: string;
  /** All data of one service is in one schema, so that services, tenants and tests can share a database. */
  readonly schema: string;
  /** The most connections of one process. */
  readonly connections: number;
  /** The role with which callers' reads run; absent: a role of the schema. */
  readonly reader?: string;
  /** Whether to use row-level security. `required`: do not serve without it. `off`: do not use it, even if possible. */
  readonly rowSecurity: "if possible" | "required" | "off";
  /** The URL without a secret, for messages. */
  readonly name: string;
}

const fewest = 2;
const usual = 12;

export function isPostgresAddress(text: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(text);
}

/** Parses a URL. @throws StoreError `not-accessible` for an invalid URL. */
export function parseDatabaseUrl(text: string): DatabaseUrl {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new StoreError("not-accessible", "it is no address of a database: postgres://user:secret@host:port/database");
  }
  const schema = url.searchParams.get("schema") ?? "public";
  const connections = Number(url.searchParams.get("connections") ?? usual);
  // PostgreSQL silently truncates names over 63 bytes, so longer ones are rejected.
  if (schema === "" || Buffer.byteLength(schema) > 63 || /^pg_|\0/i.test(schema))
    throw new StoreError("not-accessible", `${JSON.stringify(schema)} cannot be the name of a schema`);
  if (!Number.isInteger(connections) || connections < fewest)
    throw new StoreError("not-accessible", `connections is a whole number from ${fewest} on`);
  const reader = url.searchParams.get("reader");
  const rowSecurity = url.searchParams.get("row_security") ?? "if possible";
  if (reader === "") throw new StoreError("not-accessible", "reader is the name of a role");
  if (rowSecurity !== "if possible" && rowSecurity !== "required" && rowSecurity !== "off")
    throw new StoreError("not-accessible", "row_security is required or off; left out, it is there where it can be");
  for (const parameter of ["schema", "connections", "reader", "row_security"]) url.searchParams.delete(parameter);
  const database = decodeURIComponent(url.pathname.slice(1));
  const name = `${schema} of ${database} on ${url.host}`;
  return { address: url.href, schema, connections, ...(reader === null ? {} : { reader }), rowSecurity, name };
}
