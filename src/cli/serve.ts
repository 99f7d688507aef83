/** `nonet serve DOC`: checks, plans, migrates, serves; says what runs, what was taken by default and what is still open. */
import { describe } from "./serve-report.ts";
import { type ServeOptions, startServing } from "../server/serve.ts";
import type { Terminal } from "../server/terminal.ts";

export async function serve(document: string, options: ServeOptions, terminal: Terminal): Promise<number> {
  const serving = await startServing(document, options, terminal);
  if (!serving.quiet) terminal.out(describe(serving, terminal));
  return serving.untilStopped();
}
