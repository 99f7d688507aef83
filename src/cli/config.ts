/** `nonet config`: the settings that `serve` would run with, and where each comes from. */
import { columns } from "../base/layout.ts";
import type { Setting } from "./settings.ts";
import type { Terminal } from "../server/terminal.ts";

export function config(settings: readonly Setting[], format: "text" | "json", terminal: Terminal): Promise<number> {
  const listed = settings.filter(({ name }) => name !== "format");
  if (format === "json") {
    const rows = listed.map(({ name, display = null, from }) => ({ setting: name, value: display, from }));
    terminal.out(`${JSON.stringify({ settings: rows }, null, 2)}\n`);
  } else {
    const rows = listed.map(({ name, display = "", from }) => [name, display === "" ? "-" : display, from]);
    terminal.out(
      columns(rows)
        .map((line) => `${line}\n`)
        .join(""),
    );
  }
  return Promise.resolve(0);
}
