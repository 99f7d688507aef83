/** Opening the store that a command line names. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../base/clock.ts";
import type { Plan } from "../plan/plan.ts";
import { StoreError } from "../store/error.ts";
import type { Store } from "../store/store.ts";
import { DocumentError, UsageError } from "./command-line.ts";

const folder = ".nonet";

/** Where a service's data is when nobody says: a file of its name in the current folder's `.nonet`. */
export function placeOf(data: string | undefined, { service }: Plan): string {
  if (data !== undefined && /^[a-z][a-z0-9+.-]*:\/\//i.test(data))
    throw new UsageError(`--data is a file or memory, not ${data}`);
  return data ?? join(folder, `${service}.db`);
}

/**
 * Only the default's folder is made: a folder that somebody names and that is not there is a slip of the pen.
 *
 * @throws DocumentError when the data does not fit the document.
 * @throws UsageError when the place cannot be used at all.
 */
export async function openStore({ tables, service, title }: Plan, data: string, time: Clock): Promise<Store> {
  const clock = () => time.now();
  if (data === "memory") return (await import("../store/memory/open.ts")).openMemoryStore({ tables, clock });
  const { openSqliteStore } = await import("../store/sqlite/open.ts");
  try {
    if (data === join(folder, `${service}.db`)) mkdirSync(folder, { recursive: true });
    return await openSqliteStore({ file: data, tables, clock, synchronous: "FULL" });
  } catch (thrown) {
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
