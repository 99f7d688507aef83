/** `nonet import FILE`: converts the description of an existing API to a document, and reports the losses. */
import { mismatches } from "../import/compare.ts";
import { importDocument, type Imported, type LocatedNotice } from "../import/import.ts";
import { check, soundModel } from "../language/check.ts";
import { isFree } from "../language/endpoints/resolve.ts";
import { DocumentError } from "../server/errors.ts";
import { readDocument, written } from "../server/document.ts";
import { columns, count } from "../base/layout.ts";
import type { Terminal } from "../server/terminal.ts";

export interface ImportOptions {
  /** The file to write; default: standard output. */
  readonly out: string | undefined;
  readonly report: boolean;
  readonly format: "text" | "json";
}

/** Writes the document to standard output and a summary to standard error; with `report` only the full report. */
export async function importFile(
  file: string,
  { out, report, format }: ImportOptions,
  terminal: Terminal,
): Promise<number> {
  const name = file === "-" ? "standard input" : file;
  const imported = importDocument(name, await readDocument(file, terminal));
  if (imported.kind === "error")
    throw new DocumentError(`${name}:${imported.position.line}:${imported.position.column}: ${imported.message}`);
  if (!report) {
    await written(out, imported.document, terminal);
    terminal.err(summary(name, imported));
    return 0;
  }
  const differences = await roundTrip(imported);
  if (format === "json") {
    const { format: source, notes } = imported;
    await written(out, `${JSON.stringify({ source, notes, differences }, null, 2)}\n`, terminal);
  } else await written(out, `${summary(name, imported)}${listed(imported.notes)}${compared(differences)}`, terminal);
  return 0;
}

type Carried = Imported & { readonly kind: "imported" };

interface Difference {
  readonly pointer: string;
  readonly operation: string;
  readonly what: string;
}

/** Returns the differences for callers between the source and the OpenAPI export of the document. */
async function roundTrip({ document, source, format }: Carried): Promise<readonly Difference[]> {
  if (format.startsWith("AsyncAPI")) return [];
  const result = check("the import", document);
  const sound = soundModel(result);
  if (sound === undefined) throw new Error(`an import has errors: ${result.diagnostics[0]?.message}`);
  const { buildPlan } = await import("../plan/build.ts");
  const { openapi } = await import("../export/openapi/openapi.ts");
  return mismatches(source, openapi(buildPlan(sound, result.places, result.expressions), "http://127.0.0.1:8080"));
}

function summary(name: string, { format, model, notes }: Carried): string {
  const operations = Object.keys(model.endpoints.endpoints).length;
  const schemas = Object.keys(model.resources.schemas ?? {}).length;
  const groups = grouped(notes).map(({ kind, what, notes: [first], all }) => [
    `  ${kind}`,
    `${all}×`,
    what,
    `first at line ${first?.line ?? 1}`,
  ]);
  const declared = Object.values(model.endpoints.endpoints).filter((endpoint) => !isFree(endpoint)).length;
  const resources = Object.keys(model.resources.resources).length;
  const performed = `Nonet performs ${declared} of them, on ${count(resources, "resource")}; the others answer 501 until they have functions\n`;
  const head = `${name} is ${format}: ${count(operations, "operation")}, ${count(schemas, "schema")}\n${declared === 0 ? "" : performed}`;
  return (
    head +
    columns(groups)
      .map((line) => `${line}\n`)
      .join("")
  );
}

interface Group {
  readonly kind: string;
  readonly what: string;
  readonly notes: readonly LocatedNotice[];
  readonly all: number;
}

/** Sorts notices: losses first, then by frequency. */
function grouped(notes: readonly LocatedNotice[]): readonly Group[] {
  const groups = Map.groupBy(notes, ({ kind, what }) => `${kind} ${what}`);
  const all = [...groups.values()].flatMap((list): readonly Group[] => {
    const [first] = list;
    return first === undefined ? [] : [{ kind: first.kind, what: first.what, notes: list, all: list.length }];
  });
  const order = ["401", "handler", "lost", "guessed", "renamed", "hint"];
  return all.toSorted((one, other) => order.indexOf(one.kind) - order.indexOf(other.kind) || other.all - one.all);
}

function listed(notes: readonly LocatedNotice[]): string {
  return grouped(notes)
    .map(({ kind, what, notes: list }) => {
      const lines = list.map(
        ({ line, pointer, detail }) => `  ${line}  ${pointer}${detail === undefined ? "" : `  (${detail})`}\n`,
      );
      return `\n${kind}: ${what}\n${lines.join("")}`;
    })
    .join("");
}

function compared(differences: readonly Difference[]): string {
  if (differences.length === 0)
    return "\nexport openapi of it describes the same paths, methods, parameters, required members and statuses\n";
  return `\nexport openapi of it differs\n${differences.map(({ operation, what }) => `  ${operation} ${what}\n`).join("")}`;
}
