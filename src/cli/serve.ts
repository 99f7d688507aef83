/** Runs `nonet serve DOC` and `nonet start`: serves a document, and reports operations, defaults and open questions. */
import { describe } from "./serve-report.ts";
import { type ServeOptions, startServing } from "../server/serve.ts";
import type { Terminal } from "../server/terminal.ts";
import { join } from "node:path";

export async function serve(document: string, options: ServeOptions, terminal: Terminal): Promise<number> {
  const serving = await startServing(document, options, terminal);
  if (!serving.quiet) terminal.out(describe(serving, terminal));
  return serving.untilStopped();
}

/** The path of the example in the package. */
const example = join(import.meta.dirname, "..", "..", "examples", "parcel-lockers.md");

/** The environment variables of the example, only for demonstrations. */
const exampleSecrets = { DOOR_SECRET: "a demonstration, not a secret" };

export async function start(named: string | undefined, options: ServeOptions, terminal: Terminal): Promise<number> {
  const environment = named === undefined ? { ...exampleSecrets, ...terminal.environment } : terminal.environment;
  const serving = await startServing(named ?? example, options, { ...terminal, environment });
  const { demonstrate } = await import("./demonstration.ts");
  const demonstration = await demonstrate(serving);
  if (!serving.quiet) terminal.out(describe(serving, terminal) + demonstration);
  return serving.untilStopped();
}
