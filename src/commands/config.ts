/** `nonet config`: the settings that `serve` would run with, and where each comes from. */
import { columns } from "./layout.ts";
import type { Setting } from "./settings.ts";
import type { Terminal } from "./terminal.ts";

export function config(settings: readonly Setting[], format: "text" | "json", terminal: Terminal): Promise<number> {
  const own = settings.filter(({ name }) => name !== "format");
  if (format === "json") {
    const told = own.map(({ name, shown = null, from }) => ({ setting: name, value: shown, from }));
    terminal.out(`${JSON.stringify({ settings: told }, null, 2)}\n`);
  } else {
    const rows = own.map(({ name, shown = "", from }) => [name, shown === "" ? "-" : shown, from]);
    terminal.out(
      columns(rows)
        .map((line) => `${line}\n`)
        .join(""),
    );
  }
  return Promise.resolve(0);
}
