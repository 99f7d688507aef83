/** Opens the store of a command. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../base/clock.ts";
import { withoutPasswords } from "../observability/redact.ts";
import type { EventsPart } from "../plan/events/types.ts";
import type { Plan } from "../plan/plan.ts";
import type { ResourcesPart } from "../plan/resources/types.ts";
import type { VersioningPart } from "../plan/versioning/conversion-types.ts";
import { rowSecurityOf } from "../plan/authentication/row-security.ts";
import { isPostgresAddress } from "../store/postgres/database-url.ts";
import { StoreError } from "../store/port/error.ts";
import { type Migrated, MigrationRejected, type Following } from "../store/migration/migration.ts";
import type { RowSecurityState } from "../store/postgres/row-security/policies.ts";
import type { Store } from "../store/port/store.ts";
import { DocumentError, UsageError } from "./errors.ts";
import { migrationErrorText } from "./migration-report.ts";

const folder = ".nonet";

/** The parts of a plan that the data has to fit. */
export type DataPlan = ResourcesPart & EventsPart & VersioningPart;

/** Returns where the data is: as on the command line, or by default `.nonet/<service>.db` in the current folder. */
export function databaseOf(data: string | undefined, { service }: Plan): string {
  if (data !== undefined && isPostgresAddress(data)) return data;
  if (data !== undefined && /^[a-z][a-z0-9+.-]*:\/\//i.test(data))
    throw new UsageError(`--data is a file, memory or postgres://…, not ${withoutSecret(data)}`);
  return data ?? join(folder, `${service}.db`);
}

/** Returns the database URL without user and password, for people and logs. */
export function withoutSecret(database: string): string {
  return withoutPasswords(database);
}

export interface Opening {
  /** Called after a migration of the data. */
  readonly followed?: (migrated: Migrated, data: string) => void;
  /** Whether to allow migrations that lose data. */
  readonly allowLoss?: boolean;
  /** Whether to lock a database file for this process; that fails if another process serves it. */
  readonly serving?: boolean;
  /** Called once with the state of row-level security. */
  readonly rowSecurity?: (rowSecurity: RowSecurityState) => void;
  /** Wraps the store, for example to measure it. */
  readonly around?: (store: Store) => Store;
}

/**
 * Opens the store. Creates only the default folder: another missing folder is probably a typo.
 *
 * @throws DocumentError if the data does not match the document. @throws UsageError if the store cannot be opened.
 */
export async function openStore(plan: Plan, data: string, time: Clock, opening: Opening = {}): Promise<Store> {
  const store = await withDatabase(plan, data, () => opened(plan, data, time, opening));
  return opening.around?.(store) ?? store;
}

async function opened(plan: Plan, data: string, time: Clock, opening: Opening): Promise<Store> {
  const { tables, service } = plan;
  const clock = () => time.now();
  if (data === "memory") return (await import("../store/memory/open.ts")).openMemoryStore({ tables, clock });
  const { allowLoss = false, followed, rowSecurity, serving = false } = opening;
  const following: Following = {
    ...(await followingOf(plan)),
    followed: (migrated) => followed?.(migrated, data),
    allowLoss,
  };
  if (isPostgresAddress(data)) {
    const { openPostgresStore } = await import("../store/postgres/open.ts");
    const security = rowSecurityOf(plan);
    return openPostgresStore({ address: data, tables, following, security, rowSecurity, clock });
  }
  const { openSqliteStore } = await import("../store/sqlite/open.ts");
  if (data === join(folder, `${service}.db`)) mkdirSync(folder, { recursive: true, mode: 0o700 });
  return openSqliteStore({ file: data, tables, following, clock, serving, synchronous: "FULL" });
}

/** Describes the state of row-level security, if it was requested. */
export function rowSecurityText(rowSecurity: Exclude<RowSecurityState, { readonly kind: "off" }>): string {
  if (rowSecurity.kind === "standing") return `row-level security: callers' reads are run as ${rowSecurity.role}`;
  return `${unsecured}: ${rowSecurity.why} (${rowSecurity.remedy})`;
}

/** The text for people, which is also the log message. */
export const unsecured = "permissions are in the statements alone";

/** Runs a task that opens a database. @throws DocumentError or UsageError like `openStore` */
export async function withDatabase<T>({ title }: Plan, data: string, task: () => T | Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (thrown) {
    if (thrown instanceof MigrationRejected) throw new DocumentError(migrationErrorText(thrown, title, data));
    if (thrown instanceof StoreError) {
      if (thrown.kind !== "incompatible") throw new UsageError(thrown.message);
      throw new DocumentError(`${title} cannot be served with ${data}: ${thrown.message}`);
    }
    const { code, message } = thrown as NodeJS.ErrnoException;
    if (code === "EEXIST" || code === "EACCES" || code === "EROFS")
      throw new UsageError(`cannot make the folder ${folder} for the data: ${message}; --data says where else`);
    throw thrown;
  }
}

/** Returns the migration options of a store. Values are validated like those that clients send. */
export async function followingOf({ events, history }: Pick<DataPlan, "events" | "history">): Promise<Following> {
  const { createValidators } = await import("../runtime/validation/validator.ts");
  const validatorOf = createValidators();
  return {
    history,
    events: Object.keys(events.out),
    validate: (schema) => {
      const validate = validatorOf(schema);
      return (value) => validate(value).length === 0;
    },
  };
}
