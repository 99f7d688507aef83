/** `nonet start`: the first thing that a newcomer runs. Serves a document with a demo key for each role, and says what to try. */
import { join } from "node:path";
import { demonstrate } from "./demo-requests.ts";
import { describe } from "./serve-report.ts";
import { type ServeOptions, startServing } from "../server/serve.ts";
import type { Terminal } from "../server/terminal.ts";

/** The example that comes with the package, wherever that is. */
const example = join(import.meta.dirname, "..", "..", "examples", "parcel-lockers.md");

/** What the example reads from the environment, for a demonstration alone. */
const exampleSecrets = { DOOR_SECRET: "a demonstration, not a secret" };

export async function start(named: string | undefined, options: ServeOptions, terminal: Terminal): Promise<number> {
  const environment = named === undefined ? { ...exampleSecrets, ...terminal.environment } : terminal.environment;
  const serving = await startServing(named ?? example, options, { ...terminal, environment });
  const demonstration = await demonstrate(serving);
  if (!serving.quiet) terminal.out(describe(serving, terminal) + demonstration);
  return serving.untilStopped();
}
