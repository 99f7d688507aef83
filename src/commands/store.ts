/** Opening the store that a command line names. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../base/clock.ts";
import { withoutPasswords } from "../operate/redact.ts";
import type { Plan } from "../plan/plan.ts";
import { rowSecurityOf } from "../plan/row-security.ts";
import { isPostgresAddress } from "../store/postgres/address.ts";
import { StoreError } from "../store/error.ts";
import { type Migrated, MigrationRefused } from "../store/migration.ts";
import type { Secured } from "../store/postgres/row-security/secure.ts";
import type { Store } from "../store/store.ts";
import { DocumentError, UsageError } from "./command-line.ts";
import { followingOf } from "./following.ts";
import { refusalText } from "./migration-report.ts";

const folder = ".nonet";

/** Where a service's data is when nobody says: a file of its name in the current folder's `.nonet`. */
export function placeOf(data: string | undefined, { service }: Plan): string {
  if (data !== undefined && isPostgresAddress(data)) return data;
  if (data !== undefined && /^[a-z][a-z0-9+.-]*:\/\//i.test(data))
    throw new UsageError(`--data is a file, memory or postgres://…, not ${withoutSecret(data)}`);
  return data ?? join(folder, `${service}.db`);
}

/** For people and logs: the address of a database without its user and password. */
export function withoutSecret(place: string): string {
  return withoutPasswords(place);
}

export interface Opening {
  /** What is told of data that has followed the document. */
  readonly followed?: (migrated: Migrated) => void;
  /** Goes on where something would be lost. */
  readonly allowLoss?: boolean;
  /** A file is then this process's alone; another that serves it is refused. */
  readonly serving?: boolean;
  /** What is told, once, of whether a database holds permissions by itself. */
  readonly secured?: (secured: Secured) => void;
}

/**
 * Only the default's folder is made: a folder that somebody names and that is not there is a slip of the pen.
 *
 * @throws DocumentError when the data does not fit the document.
 * @throws UsageError when the place cannot be used at all.
 */
export async function openStore(plan: Plan, data: string, time: Clock, opening: Opening = {}): Promise<Store> {
  const { tables, service } = plan;
  const clock = () => time.now();
  if (data === "memory") return (await import("../store/memory/open.ts")).openMemoryStore({ tables, clock });
  const { allowLoss, followed, serving = false } = opening;
  const following = {
    ...(await followingOf(plan)),
    ...(followed === undefined ? {} : { followed }),
    ...(allowLoss === undefined ? {} : { allowLoss }),
  };
  if (isPostgresAddress(data)) {
    const { openPostgresStore } = await import("../store/postgres/open.ts");
    const security = rowSecurityOf(plan);
    const { secured } = opening;
    return withPlace(plan, data, () =>
      openPostgresStore({ address: data, tables, following, security, secured, clock }),
    );
  }
  const { openSqliteStore } = await import("../store/sqlite/open.ts");
  return withPlace(plan, data, async () => {
    if (data === join(folder, `${service}.db`)) mkdirSync(folder, { recursive: true, mode: 0o700 });
    return openSqliteStore({ file: data, tables, following, clock, serving, synchronous: "FULL" });
  });
}

/** Whether the database holds permissions by itself, where that was wanted. */
export function securedText(secured: Exclude<Secured, { readonly kind: "off" }>): string {
  if (secured.kind === "standing") return `row-level security: callers' reads are run as ${secured.role}`;
  return `${unsecured}: ${secured.why} (${secured.remedy})`;
}

/** What a person reads, and a log has as its message. */
export const unsecured = "permissions are in the statements alone";

/** Runs what opens a file. @throws DocumentError or UsageError, as `openStore` does. */
export async function withPlace<T>({ title }: Plan, data: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof MigrationRefused) throw new DocumentError(refusalText(thrown, title, data));
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
