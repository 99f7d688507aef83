/** Runs `nonet export FORMAT DOC`: converts a service to another format. */
import { jsonPieces } from "../base/json-text.ts";
import type { CheckedDocument } from "../export/page/source.ts";
import type { Plan } from "../plan/plan.ts";
import { UsageError } from "../server/errors.ts";
import { checkFile, planOf, type Text, written } from "../server/document.ts";
import type { Terminal } from "../server/terminal.ts";
import { readFileSync } from "node:fs";
import { dirname, relative } from "node:path";

export interface ExportOptions {
  /** The file to write; default: standard output. */
  readonly out: string | undefined;
}

export interface AddressedOptions extends ExportOptions {
  readonly "base-url": string | undefined;
}

function addressIn(options: AddressedOptions): string {
  return options["base-url"] ?? "http://127.0.0.1:8080";
}

export async function exportOpenapi(document: string, options: AddressedOptions, terminal: Terminal): Promise<number> {
  const { openapi } = await import("../export/openapi/openapi.ts");
  return exported(document, options, terminal, (plan) => jsonPieces(openapi(plan, addressIn(options))));
}

/** Runs `nonet export openapi-3.0 DOC`; standard error names what 3.0 cannot express. */
export async function exportOpenapi30(
  document: string,
  options: AddressedOptions,
  terminal: Terminal,
): Promise<number> {
  const { openapi } = await import("../export/openapi/openapi.ts");
  const { openapi30 } = await import("../export/openapi/openapi-3-0.ts");
  return exported(document, options, terminal, (plan) => {
    const { document: description, losses } = openapi30(openapi(plan, addressIn(options)));
    if (losses.length > 0) terminal.err(`OpenAPI 3.0 cannot express: ${losses.join(", ")}\n`);
    return jsonPieces(description);
  });
}

export async function exportPostman(document: string, options: AddressedOptions, terminal: Terminal): Promise<number> {
  const { postman } = await import("../export/postman/postman.ts");
  return exported(document, options, terminal, (plan) => jsonPieces(postman(plan, addressIn(options))));
}

export async function exportPage(document: string, options: AddressedOptions, terminal: Terminal): Promise<number> {
  const { pageFile } = await import("../export/page/page-file.ts");
  return exported(document, options, terminal, (plan, result) => {
    return pageFile({ plan, result, baseUrl: addressIn(options).replace(/\/+$/, "") });
  });
}

export async function exportAsyncapi(document: string, options: AddressedOptions, terminal: Terminal): Promise<number> {
  const { asyncapi } = await import("../export/asyncapi/asyncapi.ts");
  return exported(document, options, terminal, (plan) => jsonPieces(asyncapi(plan, addressIn(options))));
}

export async function exportJsonSchema(
  document: string,
  options: AddressedOptions,
  terminal: Terminal,
): Promise<number> {
  const { jsonSchema } = await import("../export/json-schema.ts");
  return exported(document, options, terminal, (plan, { model }) =>
    jsonPieces(jsonSchema(plan, model, addressIn(options))),
  );
}

export async function exportMarkdown(document: string, options: AddressedOptions, terminal: Terminal): Promise<number> {
  const { markdown } = await import("../export/markdown/markdown.ts");
  return exported(document, options, terminal, (plan, { model }) => markdown(plan, model, addressIn(options)));
}

export interface MermaidOptions extends ExportOptions {
  /** The name of one diagram to print, without Markdown around it. */
  readonly only: string | undefined;
}

export async function exportMermaid(document: string, options: MermaidOptions, terminal: Terminal): Promise<number> {
  const { diagrams, mermaidMarkdown } = await import("../export/mermaid/mermaid.ts");
  return exported(document, options, terminal, (plan, { model }) => {
    const all = diagrams(plan, model);
    if (options.only === undefined) return mermaidMarkdown(plan, all);
    const found = all.find(({ name }) => name === options.only);
    if (found === undefined) {
      const names = all.map(({ name }) => name);
      throw new UsageError(`--only is one of ${names.join(", ")}, not ${options.only}`);
    }
    return found.text;
  });
}

export async function exportTypescript(document: string, options: ExportOptions, terminal: Terminal): Promise<number> {
  const client = await typescript();
  return exported(document, options, terminal, client);
}

/** Runs `nonet types DOC`. With `stubs`, also writes a module of functions, unless there is such a file. */
export async function exportTypes(
  document: string,
  options: ExportOptions & { readonly stubs?: string | undefined },
  terminal: Terminal,
): Promise<number> {
  const { functionStubs, functionTypes } = await import("../export/typescript/functions.ts");
  const { out, stubs } = options;
  if (stubs === undefined) return exported(document, options, terminal, functionTypes);
  if (out === undefined) throw new UsageError("--stubs needs --out FILE, from which the functions import their types");
  if (await isReadable(stubs, terminal)) throw new UsageError(`${stubs} exists: its functions would be lost`);
  const { plan } = await planned(document, terminal);
  await written(out, functionTypes(plan), terminal);
  const path = relative(dirname(stubs), out).replaceAll("\\", "/");
  await written(stubs, functionStubs(plan, path.startsWith(".") ? path : `./${path}`), terminal);
  return 0;
}

async function isReadable(path: string, terminal: Terminal): Promise<boolean> {
  return terminal.read(path).then(
    () => true,
    () => false,
  );
}

async function exported(
  document: string,
  { out }: ExportOptions,
  terminal: Terminal,
  textOf: (plan: Plan, result: CheckedDocument) => Text,
): Promise<number> {
  const { plan, result } = await planned(document, terminal);
  await written(out, textOf(plan, result), terminal);
  return 0;
}

/** Returns the plan, and what a page shows of the check. The rest, which takes twice the memory, ends with this function. */
async function planned(document: string, terminal: Terminal): Promise<{ plan: Plan; result: CheckedDocument }> {
  const checked = await checkFile(document, terminal);
  const { text, model, questions, parts } = checked;
  return { plan: await planOf(checked, terminal), result: { name: document, text, model, questions, parts } };
}

/** Returns the function that generates the client of a plan. */
export async function typescript(): Promise<(plan: Plan) => string> {
  const { typescriptClient } = await import("../export/typescript/client.ts");
  const { commonParts } = await import("../export/typescript/common-parts.ts");
  const folder = new URL("../export/typescript/common/", import.meta.url);
  const parts = commonParts((file) => readFileSync(new URL(file, folder), "utf8"));
  return (plan) => typescriptClient(plan, parts);
}
