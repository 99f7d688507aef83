/** `nonet doctor` for data on a PostgreSQL server: access, permissions, match with the document, and pending work. */
import { type DataPlan } from "../server/open-store.ts";
import { defined } from "../base/defined.ts";
import { type DatabaseUrl, parseDatabaseUrl } from "../store/postgres/database-url.ts";
import type { Single } from "../store/postgres/connection.ts";
import { StoreError } from "../store/port/error.ts";
import { type Finding, finding } from "./doctor-finding.ts";
import { followingFinding, waitingFindings } from "./doctor-waiting.ts";
import { clock } from "../server/compose.ts";

const fewestPostgres = 140_000;
const mostSkewMilliseconds = 1000;

export async function postgresFindings(plan: DataPlan, data: string): Promise<readonly Finding[]> {
  let single: Single | undefined;
  try {
    const databaseUrl = parseDatabaseUrl(data);
    const { openSingle } = await import("../store/postgres/connection.ts");
    single = await openSingle(databaseUrl);
    const before = clock.now();
    const server = await serverOf(single, databaseUrl);
    const findings = serverFindings(server, (before + clock.now()) / 2, mostConnections(databaseUrl));
    const reported: Finding[] = [{ check: "data", status: "pass", found: databaseUrl.name }, ...findings];
    const securityCheck = await securityFinding(single, databaseUrl);
    // Tables that this role may not read are skipped.
    if (!server.there || !server.uses || server.foreign > 0) return [...reported, securityCheck];
    return [...reported, securityCheck, ...(await dataFindings(plan, single, databaseUrl, data))];
  } catch (thrown) {
    const { explained } = await import("../store/postgres/failure.ts");
    // Errors before the login are in the driver's own format.
    if (single !== undefined && !(explained(thrown, data) instanceof StoreError)) throw thrown;
    return [await failureFinding(thrown, data)];
  } finally {
    await single?.end();
  }
}

/** Checks whether callers' reads use a role with row-level security. */
async function securityFinding(single: Single, databaseUrl: DatabaseUrl): Promise<Finding> {
  const check = "row-level security";
  if (databaseUrl.rowSecurity === "off")
    return { check, status: "warn", found: "off: only the statements enforce permissions", fix: "leave row_security out of the address" }; // biome-ignore format: a row
  const { findReader } = await import("../store/postgres/row-security/reader.ts");
  const reader = await findReader(single, databaseUrl);
  if (reader.kind === "there") return { check, status: "pass", found: `reads of callers run as ${reader.role}` };
  if (reader.kind === "to be made")
    return { check, status: "pass", found: `${reader.role} is created at the next start` };
  const status = databaseUrl.rowSecurity === "required" ? "fail" : "warn";
  return { check, status, found: `only the statements enforce permissions: ${reader.why}`, fix: reader.remedy };
}

async function dataFindings(
  plan: DataPlan,
  single: Single,
  { schema, name }: DatabaseUrl,
  data: string,
): Promise<readonly Finding[]> {
  const has = async (table: string, column: string): Promise<boolean> => {
    const sql = `SELECT 1 FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace
      WHERE n.nspname = $1 AND c.relname = $2 AND a.attname = $3 AND NOT a.attisdropped`;
    return (await single.rows(sql, [schema, table, column])).length > 0;
  };
  const [tables] = await single.rows<[number]>("SELECT count(*) FROM pg_tables WHERE schemaname = $1", [schema]);
  if (tables?.[0] === 0) return [{ check: "migration", status: "pass", found: `nothing in ${name} yet` }];
  const waiting = await waitingFindings(plan, { has, one: async (sql) => (await single.rows(sql))[0] ?? [] });
  const { planMigration } = await import("../store/postgres/migrate.ts");
  const migration = await followingFinding(plan, (following) => {
    return planMigration(data, { tables: plan.tables, following, clock: () => clock.now() });
  });
  return [...waiting, migration];
}

/** Remedies by SQLSTATE, or by its class (the first two characters). */
const fixes: Readonly<Record<string, string>> = {
  "28P01": "set the password in the address, or in the file that NONET_DATA_FILE names",
  "28": "allow this user and this machine in the server's pg_hba.conf",
  "3D000": "CREATE DATABASE, or name another one",
  "42501": "GRANT what is missing to this role",
  "53300": "raise max_connections, or use fewer (?connections=)",
};

async function failureFinding(thrown: unknown, data: string): Promise<Finding> {
  const { codeOf, explained } = await import("../store/postgres/failure.ts");
  const code = codeOf(thrown) ?? "";
  const reported = thrown instanceof Error ? thrown.message : "";
  const explanation = explained(thrown, isAddress(data) ? parseDatabaseUrl(data).name : "the address");
  const message = explanation instanceof Error ? explanation.message : "";
  const found =
    [message, ...(reported === "" || reported === message ? [] : [reported])].join(": ") ||
    "the database does not answer";
  const fix =
    fixes[code] ??
    fixes[code.slice(0, 2)] ??
    "check that the server runs, that the address is right, and that this machine may connect";
  return { check: "data", status: "fail", found, fix };
}

function isAddress(data: string): boolean {
  try {
    parseDatabaseUrl(data);
    return true;
  } catch {
    return false;
  }
}

/** Returns the number of connections of one process: its pools, two for rate counts, and one for notifications. */
function mostConnections({ connections }: DatabaseUrl): number {
  return connections + 3;
}

export interface Server {
  readonly version: number;
  /** The most connections of this role to this database: the lowest limit of server, database and role. */
  readonly most: number;
  /** The number of unused connections. */
  readonly free: number;
  /** The server's time in epoch milliseconds. */
  readonly now: number;
  readonly durable: string;
  readonly readOnly: boolean;
  readonly standby: boolean;
  readonly super: boolean;
  /** Whether the schema exists, and this role's permissions in it and in the database. */
  readonly there: boolean;
  readonly makes: boolean;
  readonly uses: boolean;
  readonly creates: boolean;
  /** The number of tables that the current role may not read and write. */
  readonly foreign: number;
}

async function serverOf(single: Single, { schema }: DatabaseUrl): Promise<Server> {
  const [row] = await single.rows<[string]>(
    `SELECT json_build_object(
      'version', current_setting('server_version_num')::int, 'most', least(server.most, of_database.most, of_role.most),
      'free', least(server.most - server.used, of_database.most - of_database.used, of_role.most - of_role.used),
      'now', extract(epoch FROM clock_timestamp()) * 1000, 'durable', current_setting('synchronous_commit'),
      'readOnly', current_setting('default_transaction_read_only')::bool, 'standby', pg_is_in_recovery(),
      'super', (SELECT rolsuper FROM pg_roles WHERE rolname = current_user),
      'makes', has_database_privilege(current_database(), 'CREATE'), 'there', n.oid IS NOT NULL,
      'uses', coalesce(has_schema_privilege(n.oid, 'USAGE'), false),
      'creates', coalesce(has_schema_privilege(n.oid, 'CREATE'), false),
      'foreign', (SELECT count(*) FROM pg_class AS c WHERE c.relnamespace = n.oid AND c.relkind IN ('r', 'p') AND NOT (
        has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'INSERT')
        AND has_table_privilege(c.oid, 'UPDATE') AND has_table_privilege(c.oid, 'DELETE'))))::text
    FROM (SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS most,
        (SELECT sum(numbackends) FROM pg_stat_database) AS used) AS server,
      (SELECT nullif(datconnlimit, -1) AS most, (SELECT count(*) FROM pg_stat_activity WHERE datid = d.oid) AS used
        FROM pg_database AS d WHERE datname = current_database()) AS of_database,
      (SELECT nullif(rolconnlimit, -1) AS most, (SELECT count(*) FROM pg_stat_activity WHERE usesysid = r.oid) AS used
        FROM pg_roles AS r WHERE rolname = current_user) AS of_role
      LEFT JOIN pg_namespace AS n ON n.nspname = $1`,
    [schema],
  );
  return JSON.parse(defined(row, "see the message of the server")[0]) as Server;
}

/** Returns the findings. `now`: this process's clock at the time of the query; `each`: the connections of a process. */
export function serverFindings(row: Server, now: number, each: number): readonly Finding[] {
  const skew = Math.round(Math.abs(row.now - now));
  const writes = row.standby ? "a standby, which accepts no writes" : row.readOnly ? "transactions are read-only by default" : "takes writes"; // biome-ignore format: short
  const remedy = row.standby
    ? "use the address of the primary"
    : "ALTER DATABASE, or ALTER ROLE, … SET default_transaction_read_only = off";
  return [
    finding("PostgreSQL", "fail", row.version >= fewestPostgres, `version ${Math.floor(row.version / 10_000)}`, "version 14 or later"),
    finding("clocks", "warn", skew <= mostSkewMilliseconds, `${skew} ms apart`, "synchronize both clocks by NTP"),
    finding("durability", "warn", row.durable !== "off", `synchronous_commit ${row.durable}`, "with off, a crash loses confirmed writes"),
    finding("server", "fail", !row.standby && !row.readOnly, writes, remedy),
    finding("schema", "fail", row.there || row.makes, row.there ? "there" : row.makes ? "created at the first start" : "missing, and this role may not create it", "GRANT CREATE ON DATABASE, or create the schema for this role"),
    ...(row.there ? [finding("rights", "fail", row.uses && row.creates && row.foreign === 0, rightsText(row), "let one role own the schema and its tables, and run the service with that role")] : []),
    finding("role", "warn", !row.super, row.super ? "a superuser, for whom row-level security is not applied" : "no superuser", "CREATE ROLE without SUPERUSER for the service"),
    finding("connections", "warn", row.free >= each, `at most ${row.most}, of which ${row.free} are free; a process uses up to ${each}`, "fewer by ?connections= in its address, or raise max_connections, or the limit of the role or of the database"),
  ]; // biome-ignore format: a table
}

function rightsText({ uses, creates, foreign }: Server): string {
  if (!uses) return "this role may not use the schema";
  if (!creates) return "this role may not create tables in the schema";
  return foreign === 0 ? "the schema can be used" : `this role may not read and write ${foreign} of its tables`;
}
