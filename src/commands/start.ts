/** `nonet start`: the first thing that a newcomer runs. Serves a document with a demo key for each role, and says what to try. */
import { join } from "node:path";
import { demonstrate } from "./demonstration.ts";
import { readSettings, startServing } from "./serve.ts";
import { describe } from "./serve-report.ts";
import type { Terminal } from "./terminal.ts";

const flagship = join(import.meta.dirname, "..", "..", "examples", "parcel-lockers.md");

/** Secrets that only a demonstration may have: the example names them, and nobody has set them. */
const demoEnvironment = { DOOR_SECRET: "a demonstration, not a secret" };

export async function start(args: readonly string[], terminal: Terminal): Promise<number> {
  const named = args.some((arg, at) => !arg.startsWith("-") && !isValue(args[at - 1]));
  const settings = readSettings(named ? args : [flagship, ...args]);
  const environment = named ? terminal.environment : { ...demoEnvironment, ...terminal.environment };
  const serving = await startServing(settings, { ...terminal, environment });
  if (serving === undefined) return 1;
  terminal.out(describe(serving.current, serving.url));
  terminal.out(await demonstrate(serving.current, serving.url));
  await terminal.stopped();
  await serving.stop();
  return 0;
}

/** Whether the argument before makes this one its value. */
function isValue(before: string | undefined): boolean {
  return before?.startsWith("--") === true && before !== "--watch" && !before.includes("=");
}
