/** Where the data of `nonet backup`, `restore` and `find` is: they need no document, so that a broken one keeps nobody from a backup. */
import { existsSync, globSync } from "node:fs";
import { StoreError } from "../store/error.ts";
import type { PortableSource, PortableTarget } from "../store/portable.ts";
import { isPostgresAddress } from "../store/postgres/address.ts";
import { UsageError } from "./command-line.ts";
import { listed } from "./layout.ts";
import { withoutSecret } from "./store.ts";

/** What `--data` says; without it, the only file in `.nonet`. */
export function dataPlace(data: string | undefined): string {
  if (data === "memory") throw new UsageError("data in memory is nobody else's to see");
  if (data !== undefined) return data;
  const files = globSync(".nonet/*.db").toSorted();
  const [only, ...more] = files;
  if (only === undefined) throw new UsageError("there is no data in .nonet; --data says where it is");
  if (more.length > 0) throw new UsageError(`say which data: --data ${listed(files).replace(" and ", " or ")}`);
  return only;
}

/** @throws UsageError where there is no data, or it is damaged. */
export async function openSource(place: string): Promise<PortableSource> {
  const source = await sourceAt(place);
  if (source === undefined) throw new UsageError(`there is no data in ${withoutSecret(place)} yet`);
  return source;
}

async function sourceAt(place: string): Promise<PortableSource | undefined> {
  if (isPostgresAddress(place)) {
    const { openPostgresSource } = await import("../store/postgres/portable.ts");
    return usable(() => openPostgresSource(place));
  }
  if (!existsSync(place)) return undefined;
  const { openSqliteSource } = await import("../store/sqlite/portable.ts");
  return usable(async () => openSqliteSource(place));
}

/** Whether there is data that a restore would take the place of; a file that is damaged is some. */
export async function isPresent(place: string): Promise<boolean> {
  if (!isPostgresAddress(place)) return existsSync(place);
  const source = await sourceAt(place);
  await source?.close();
  return source !== undefined;
}

export async function openTarget(place: string, now: number): Promise<PortableTarget> {
  if (isPostgresAddress(place)) {
    const { openPostgresTarget } = await import("../store/postgres/portable.ts");
    return usable(() => openPostgresTarget(place, now));
  }
  const { openSqliteTarget } = await import("../store/sqlite/portable.ts");
  return usable(async () => openSqliteTarget(place, now));
}

/** Runs what a store does; what its file or server is to blame for is told in a sentence. */
export async function usable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw thrown instanceof StoreError ? new UsageError(thrown.message) : thrown;
  }
}
