/**
 * `nonet import`: converts the description of an existing API, or the catalogue of an existing database, to a document, and
 * reports the losses.
 */
import { mismatches } from "../import/compare.ts";
import { importCatalogue } from "../import/database/import.ts";
import { importDocument, type Imported } from "../import/import.ts";
import { type ImportNotice, keysOf } from "../import/report.ts";
import { check, soundModel } from "../language/check.ts";
import { isFree } from "../language/endpoints/resolve.ts";
import { DocumentError } from "../server/errors.ts";
import { nameOf, readDocument, written } from "../server/document.ts";
import type { JsonObject } from "../base/json.ts";
import { columns, count } from "../base/layout.ts";
import { withoutSecret } from "../server/open-store.ts";
import type { Terminal } from "../server/terminal.ts";
import { catalogueOf, isDatabase } from "./import-database.ts";

export interface ImportOptions {
  /** The file to write; default: standard output. */
  readonly out: string | undefined;
  readonly report: boolean;
  readonly format: "text" | "json";
}

/** A document, and the lines of its summary. */
export interface ImportedText {
  readonly document: string;
  readonly summary: string;
}

/** Returns the document of a description or database. @throws DocumentError or UsageError if it cannot be read. */
export async function importedText(operand: string, terminal: Pick<Terminal, "read">): Promise<ImportedText> {
  if (!isDatabase(operand)) {
    const imported = await readDescription(operand, terminal);
    return { document: imported.document, summary: descriptionSummary(operand, imported) };
  }
  const imported = importCatalogue(await catalogueOf(operand));
  return { document: imported.document, summary: catalogueSummary(operand, imported) };
}

/** Writes the document to standard output and a summary to standard error; with `report` only the full report. */
export async function importFile(
  file: string,
  { out, report, format }: ImportOptions,
  terminal: Terminal,
): Promise<number> {
  if (isDatabase(file)) return importDatabase(file, { out, report, format }, terminal);
  if (report) return reportDescription(file, { out, format }, terminal);
  const imported = await readDescription(file, terminal);
  await written(out, imported.document, terminal);
  terminal.err(descriptionSummary(nameOf(file), imported));
  return 0;
}

async function reportDescription(
  file: string,
  { out, format }: Omit<ImportOptions, "report">,
  terminal: Terminal,
): Promise<number> {
  const { source, notes, summary: head, differences } = await compared(file, terminal);
  const list = listed(notes, ({ line, pointer }) => `${line}  ${pointer}`);
  if (format === "json") await written(out, `${JSON.stringify({ source, notes, differences }, null, 2)}\n`, terminal);
  else await written(out, `${head}${list}${differencesText(differences)}`, terminal);
  return 0;
}

/** Imports a description, and compares the export of the document with it. */
async function compared(file: string, terminal: Terminal): Promise<Compared> {
  const imported = await readDescription(file, terminal);
  const { document, format, notes, source } = imported;
  const others = { source: format, notes, summary: descriptionSummary(nameOf(file), imported) };
  const exported = format.startsWith("AsyncAPI") ? undefined : await exportOf(document);
  return { ...others, differences: exported === undefined ? [] : mismatches(source, exported) };
}

interface Compared {
  readonly source: string;
  readonly notes: Carried["notes"];
  readonly summary: string;
  readonly differences: readonly Difference[];
}

async function readDescription(file: string, terminal: Pick<Terminal, "read">): Promise<Carried> {
  const name = nameOf(file);
  const imported = importDocument(name, await readDocument(file, terminal));
  if (imported.kind === "imported") return imported;
  throw new DocumentError(`${name}:${imported.position.line}:${imported.position.column}: ${imported.message}`);
}

type Carried = Imported & { readonly kind: "imported" };

interface Difference {
  readonly pointer: string;
  readonly operation: string;
  readonly what: string;
}

async function exportOf(document: string): Promise<JsonObject> {
  const result = check("the import", document);
  const sound = soundModel(result);
  if (sound === undefined) throw new Error(`an import has errors: ${result.diagnostics[0]?.message}`);
  const { buildPlan } = await import("../plan/build.ts");
  const { openapi } = await import("../export/openapi/openapi.ts");
  return openapi(buildPlan(sound, result.places, result.expressions), "http://127.0.0.1:8080");
}

async function importDatabase(
  operand: string,
  { out, report, format }: ImportOptions,
  terminal: Terminal,
): Promise<number> {
  const imported = importCatalogue(await catalogueOf(operand));
  const { document, format: source, notices } = imported;
  const text = catalogueSummary(operand, imported);
  if (!report) {
    await written(out, document, terminal);
    terminal.err(text);
    return 0;
  }
  if (format === "json") await written(out, `${JSON.stringify({ source, notes: notices }, null, 2)}\n`, terminal);
  else await written(out, `${text}${listed(notices, ({ pointer }) => columnName(pointer))}`, terminal);
  return 0;
}

function catalogueSummary(operand: string, { format, model, notices }: ReturnType<typeof importCatalogue>): string {
  const operations = Object.keys(model.endpoints.endpoints).length;
  const resources = Object.keys(model.resources.resources).length;
  const head = `${withoutSecret(operand)} is ${format}: ${count(resources, "resource")}, ${count(operations, "operation")}`;
  return summary(head, notices, ({ pointer }) => `first at ${columnName(pointer)}`);
}

/** Returns `table.column`, or the name of the table. */
function columnName(pointer: string): string {
  return pointer === "" ? "the database" : keysOf(pointer).join(".");
}

function descriptionSummary(name: string, { format, model, notes }: Carried): string {
  const operations = Object.keys(model.endpoints.endpoints).length;
  const schemas = Object.keys(model.resources.schemas ?? {}).length;
  const declared = Object.values(model.endpoints.endpoints).filter((endpoint) => !isFree(endpoint)).length;
  const resources = Object.keys(model.resources.resources).length;
  const performed = `Nonet performs ${declared} of them, on ${count(resources, "resource")}; the others answer 501 until they have functions`;
  const head = `${name} is ${format}: ${count(operations, "operation")}, ${count(schemas, "schema")}${declared === 0 ? "" : `\n${performed}`}`;
  return summary(head, notes, ({ line }, group) =>
    group[0]?.kind === "empty" ? namesOf(group) : `first at line ${line}`,
  );
}

/** The most resources that the summary names. */
const mostNames = 3;

function namesOf(notices: readonly ImportNotice[]): string {
  const names = notices.flatMap(({ detail }) => detail ?? []);
  const more = names.length - mostNames;
  return more > 0 ? `${names.slice(0, mostNames).join(", ")} and ${more} more` : names.join(", ");
}

/** Returns a line for each kind of notice; `place` describes where its first one is, or what all of them are about. */
function summary<Notice extends ImportNotice>(
  head: string,
  notes: readonly Notice[],
  place: (first: Notice, all: readonly Notice[]) => string,
): string {
  const groups = grouped(notes).map(({ kind, what, notes: list, all }) => [
    `  ${kind}`,
    `${all}×`,
    what,
    list[0] === undefined ? "" : place(list[0], list),
  ]);
  return [head, ...columns(groups)].map((line) => `${line}\n`).join("");
}

interface Group<Notice> {
  readonly kind: string;
  readonly what: string;
  readonly notes: readonly Notice[];
  readonly all: number;
}

/** Sorts notices: losses first, then by frequency. */
function grouped<Notice extends ImportNotice>(notes: readonly Notice[]): readonly Group<Notice>[] {
  const groups = Map.groupBy(notes, ({ kind, what }) => `${kind} ${what}`);
  const all = [...groups.values()].flatMap((list): readonly Group<Notice>[] => {
    const [first] = list;
    return first === undefined ? [] : [{ kind: first.kind, what: first.what, notes: list, all: list.length }];
  });
  const order = ["401", "empty", "handler", "lost", "guessed", "renamed", "hint"];
  return all.toSorted((one, other) => order.indexOf(one.kind) - order.indexOf(other.kind) || other.all - one.all);
}

function listed<Notice extends ImportNotice>(notes: readonly Notice[], place: (notice: Notice) => string): string {
  return grouped(notes)
    .map(({ kind, what, notes: list }) => {
      const lines = list.map(
        (notice) => `  ${place(notice)}${notice.detail === undefined ? "" : `  (${notice.detail})`}\n`,
      );
      return `\n${kind}: ${what}\n${lines.join("")}`;
    })
    .join("");
}

function differencesText(differences: readonly Difference[]): string {
  if (differences.length === 0)
    return "\nexport openapi of it describes the same paths, methods, parameters, required members and statuses\n";
  return `\nexport openapi of it differs\n${differences.map(({ operation, what }) => `  ${operation} ${what}\n`).join("")}`;
}
