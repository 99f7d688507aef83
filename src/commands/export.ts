/** `nonet export FORM DOC`: the same service in another format. */
import { readFile } from "node:fs/promises";
import type { JsonObject } from "../base/json.ts";
import type { CheckResult } from "../parts/check.ts";
import type { Plan } from "../plan/plan.ts";
import { UsageError } from "./command-line.ts";
import { checkFile, planOf } from "./document.ts";
import type { Terminal } from "./terminal.ts";

export interface ExportOptions {
  /** A file; without it, standard output. */
  readonly out: string | undefined;
}

export interface AddressedOptions extends ExportOptions {
  readonly "base-url": string | undefined;
}

const usualAddress = "http://127.0.0.1:8080";

export async function exportOpenapi(document: string, options: AddressedOptions, terminal: Terminal): Promise<number> {
  const { openapi } = await import("../export/openapi/openapi.ts");
  return exported(document, options, terminal, (plan) => json(openapi(plan, options["base-url"] ?? usualAddress)));
}

export async function exportTypescript(document: string, options: ExportOptions, terminal: Terminal): Promise<number> {
  const { typescriptClient } = await import("../export/typescript/client.ts");
  const runtime = await readFile(new URL("../client/client.ts", import.meta.url), "utf8");
  return exported(document, options, terminal, (plan) => typescriptClient(plan, runtime));
}

function json(value: JsonObject): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

async function exported(
  document: string,
  { out }: ExportOptions,
  terminal: Terminal,
  textOf: (plan: Plan, result: CheckResult) => string,
): Promise<number> {
  const result = await checkFile(document, terminal);
  const text = textOf(await planOf(result, terminal), result);
  if (out === undefined) terminal.out(text);
  else {
    await terminal.write(out, text).catch((thrown: unknown) => {
      throw new UsageError(`cannot write ${out}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    });
  }
  return 0;
}
