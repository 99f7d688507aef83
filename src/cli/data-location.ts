/** Locates the data of `nonet backup`, `restore` and `find`. They need no document, so they work even if it is broken. */
import { existsSync, globSync } from "node:fs";
import { StoreError } from "../store/port/error.ts";
import type { PortableSource, PortableTarget } from "../store/backup/portable.ts";
import { isPostgresAddress } from "../store/postgres/database-url.ts";
import { UsageError } from "../server/errors.ts";
import { listed } from "../base/layout.ts";
import { withoutSecret } from "../server/open-store.ts";

/** Returns the value of `--data`, or else the only file in `.nonet`. */
export function dataSource(data: string | undefined): string {
  if (data === "memory") throw new UsageError("data in memory is only visible to the service itself");
  if (data !== undefined) return data;
  const files = globSync(".nonet/*.db").toSorted();
  const [only, ...more] = files;
  if (only === undefined) throw new UsageError("there is no data in .nonet; --data says where it is");
  if (more.length > 0) throw new UsageError(`choose the data: --data ${listed(files).replace(" and ", " or ")}`);
  return only;
}

/** Opens the data for reading. @throws UsageError if there is no data, or it is damaged. */
export async function openSource(database: string): Promise<PortableSource> {
  const source = await sourceAt(database);
  if (source === undefined) throw new UsageError(`there is no data in ${withoutSecret(database)} yet`);
  return source;
}

async function sourceAt(database: string): Promise<PortableSource | undefined> {
  if (isPostgresAddress(database)) {
    const { openPostgresSource } = await import("../store/postgres/portable.ts");
    return usable(() => openPostgresSource(database));
  }
  if (!existsSync(database)) return undefined;
  const { openSqliteSource } = await import("../store/sqlite/portable.ts");
  return usable(async () => openSqliteSource(database));
}

/** Whether a restore would replace data; a damaged file counts as data. */
export async function isPresent(database: string): Promise<boolean> {
  if (!isPostgresAddress(database)) return existsSync(database);
  const source = await sourceAt(database);
  await source?.close();
  return source !== undefined;
}

export async function openTarget(database: string, now: number): Promise<PortableTarget> {
  if (isPostgresAddress(database)) {
    const { openPostgresTarget } = await import("../store/postgres/portable.ts");
    return usable(() => openPostgresTarget(database, now));
  }
  const { openSqliteTarget } = await import("../store/sqlite/portable.ts");
  return usable(async () => openSqliteTarget(database, now));
}

/** Runs a task; converts a store's errors about its file or server to usage errors. */
export async function usable<T>(task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (thrown) {
    throw thrown instanceof StoreError ? new UsageError(thrown.message) : thrown;
  }
}
