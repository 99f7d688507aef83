/** Opening the store that a command line names. */
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Clock } from "../base/clock.ts";
import type { Plan } from "../plan/plan.ts";
import { StoreError } from "../store/error.ts";
import { openMemoryStore } from "../store/memory/open.ts";
import { openSqliteStore } from "../store/sqlite/open.ts";
import type { Store } from "../store/store.ts";
import { UsageError } from "./usage.ts";

/** Where a service's data is when nobody says: a file of its name in `.nonet`. */
export function defaultFile(service: string): string {
  return join(".nonet", `${service}.db`);
}

export async function openStore(plan: Plan, data: string, clock: Clock): Promise<Store> {
  if (data === "memory") return openMemoryStore({ tables: plan.tables, clock: clock.now });
  if (/^[a-z]+:\/\//.test(data)) throw new UsageError(`--data is a file or memory, not ${data}`);
  mkdirSync(dirname(data), { recursive: true });
  return openSqliteStore({ file: data, tables: plan.tables, clock: clock.now, synchronous: "FULL" });
}

/** A store that cannot be opened, told as what is wrong with it. */
export function storeFault(thrown: unknown): string | undefined {
  return thrown instanceof StoreError ? thrown.message : undefined;
}
