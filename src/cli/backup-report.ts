/** What is told of a backup: what it holds, of which moment it is, and by what it is known again. */
import type { Backup } from "./backup-files.ts";
import { count } from "../base/layout.ts";

export function backupText(backup: Backup, what: string): string {
  const { bytes, document, head, summary } = backup;
  const { fileBytes, journal, rows, sha256 } = summary;
  const records = head.tables.map(({ name }) => `${name} ${rows[name] ?? 0}`);
  const total = head.tables.reduce((sum, { name }) => sum + (rows[name] ?? 0), 0);
  return [
    what,
    `  moment     ${new Date(head.made).toISOString()}`,
    `  records    ${total}${records.length === 0 ? "" : ` (${records.join(", ")})`}`,
    `  journal    ${count(rows["nonet_journal"] ?? 0, "entry").replace("entrys", "entries")}, the newest at position ${journal}`,
    `  keys       ${rows["nonet_keys"] ?? 0}, sessions' tokens ${rows["nonet_sessions"] ?? 0}`,
    `  files      ${rows["nonet_files"] ?? 0}, ${count(fileBytes, "byte")}`,
    `  document   ${document}`,
    `  sha256     ${sha256}, ${count(bytes, "byte")} compressed`,
    "",
  ].join("\n");
}

/** For programs. */
export function backupJson(backup: Backup, about: Readonly<Record<string, unknown>>): string {
  const { bytes, document, head, summary } = backup;
  const { fileBytes, journal, rows, sha256 } = summary;
  const made = new Date(head.made).toISOString();
  return `${JSON.stringify({ ...about, made, document, rows, journal, fileBytes, sha256, bytes }, undefined, 2)}\n`;
}
