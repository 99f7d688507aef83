/** `nonet export openapi DOC`: the same service in another format. */
import { openapi } from "../export/openapi/openapi.ts";
import { checkFile } from "./document.ts";
import { planOf } from "./service-file.ts";
import type { Terminal } from "./terminal.ts";
import { oneOf, onlyDocument, parseOptions } from "./usage.ts";

export async function exportCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const [format = "", ...rest] = args;
  oneOf("format", format, ["openapi"]);
  const { values, positionals } = parseOptions(rest, {
    "base-url": { type: "string", default: "http://127.0.0.1:8080" },
  });
  const plan = planOf(await checkFile(onlyDocument(positionals), terminal), terminal);
  if (plan === undefined) return 1;
  terminal.out(`${JSON.stringify(openapi(plan, values["base-url"]), null, 2)}\n`);
  return 0;
}
