/** `nonet export openapi DOC`: the same service in another format. */
import { openapi } from "../export/openapi/openapi.ts";
import { checkFile, planOf } from "./document.ts";
import type { Terminal } from "./terminal.ts";

export interface ExportOptions {
  readonly "base-url": string | undefined;
}

export async function exportOpenapi(document: string, options: ExportOptions, terminal: Terminal): Promise<number> {
  const plan = await planOf(await checkFile(document, terminal), terminal);
  const address = options["base-url"] ?? "http://127.0.0.1:8080";
  terminal.out(`${JSON.stringify(openapi(plan, address), null, 2)}\n`);
  return 0;
}
