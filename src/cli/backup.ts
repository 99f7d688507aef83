/** `nonet backup FILE`: writes a snapshot of the data to a file while the service runs. */
import { existsSync } from "node:fs";
import { backUpTo, lookThrough, backupJson, backupText } from "./backup-files.ts";
import { UsageError } from "../server/errors.ts";
import { dataSource, openSource, usable } from "./data-location.ts";
import { clock } from "../server/compose.ts";
import { withoutSecret } from "../server/open-store.ts";
import type { Terminal } from "../server/terminal.ts";

export interface BackupOptions {
  readonly data: string | undefined;
  readonly format: "text" | "json";
}

export async function backup(file: string, { data, format }: BackupOptions, terminal: Terminal): Promise<number> {
  const database = dataSource(data);
  // Arguments in the wrong order must not overwrite the data, so only a backup is replaced.
  if (existsSync(file) && (await lookThrough(file).catch(() => undefined)) === undefined)
    throw new UsageError(`${file} exists and is not a backup that this one could replace`);
  const source = await openSource(database);
  try {
    const address = withoutSecret(database);
    const made = await usable(() => backUpTo(file, source, clock.now()));
    terminal.out(
      format === "json"
        ? backupJson(made, { file, data: address })
        : backupText(made, `backed up ${address} to ${file}`),
    );
    return 0;
  } finally {
    await source.close();
  }
}
