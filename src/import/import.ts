/**
 * Imports a description of an existing API (OpenAPI 3.0 or 3.1, Swagger 2, AsyncAPI 3) as a Nonet document and a report. The
 * document has what the source declares, in blocks or at least in prose, and states the rest as gaps; the report has what was
 * omitted, guessed or renamed, with its position in the source.
 */
import { isObject, type JsonObject } from "../base/json.ts";
import type { Position } from "../base/span.ts";
import type { Model } from "../language/model.ts";
import { printModel, type Prose } from "../language/print.ts";
import { asyncParts } from "./asyncapi.ts";
import { type ImportChoice, modelOf } from "./model.ts";
import { createNotices, type ImportNotice, textOf } from "./report.ts";
import { type ImportSource, readSource } from "./source.ts";

export type Imported =
  | {
      readonly kind: "imported";
      readonly format: string;
      readonly document: string;
      readonly model: Model;
      readonly source: JsonObject;
      readonly notes: readonly LocatedNotice[];
    }
  | { readonly kind: "error"; readonly message: string; readonly position: Position };

export interface LocatedNotice extends ImportNotice {
  readonly line: number;
  readonly column: number;
}

/** Imports a description. Never throws; returns an error with its position if nothing can be imported. */
export function importDocument(name: string, input: Uint8Array | string, choice: ImportChoice = {}): Imported {
  const source = readSource(name, input);
  if (!("root" in source)) return { kind: "error", ...source };
  const format = formatOf(source);
  if ("error" in format) return { kind: "error", message: format.error, position: positionAt(source, format.at) };
  const notes = createNotices();
  const { model, prose } =
    format.kind === "asyncapi" ? asyncParts(format.root, notes) : modelOf(format.root, format.kind, notes, choice);
  const document = printModel(model, withLosses(prose, notes.all));
  return {
    kind: "imported",
    format: format.name,
    document,
    model,
    source: format.root,
    notes: located(source, notes.all),
  };
}

/** Adds what the import omitted to the prose, for readers who have only the document. */
function withLosses(prose: Prose, notes: readonly ImportNotice[]): Prose {
  const groups = Map.groupBy(
    notes.filter(({ kind }) => kind === "lost"),
    ({ what }) => what,
  );
  if (groups.size === 0) return prose;
  const lines = [...groups].map(([what, { length }]) => `- ${what}${length > 1 ? `, ${length} times` : ""}`);
  const { before = [], after = [] } = prose.purpose ?? {};
  return {
    ...prose,
    purpose: { before, after: [...after, "### What the source says besides", lines.join("\n")] },
  };
}

type Format =
  | { readonly kind: "2.0" | "3.0" | "3.1" | "asyncapi"; readonly name: string; readonly root: JsonObject }
  | { readonly error: string; readonly at: string };

function formatOf({ root }: ImportSource): Format {
  if (!isObject(root)) return { error: "This is no description of an API: it is no map of names and values", at: "" };
  const { swagger, openapi, asyncapi } = root;
  if (textOf(swagger).startsWith("2")) return sound({ kind: "2.0", name: "Swagger 2.0", root });
  const version = textOf(openapi);
  if (version.startsWith("3.0")) return sound({ kind: "3.0", name: `OpenAPI ${version}`, root });
  // OpenAPI 3.2 extends 3.1 without changing what the import reads.
  if (/^3\.[12]/.test(version)) return sound({ kind: "3.1", name: `OpenAPI ${version}`, root });
  if (textOf(asyncapi).startsWith("3")) return { kind: "asyncapi", name: `AsyncAPI ${textOf(asyncapi)}`, root };
  const [key, found] = Object.entries({ swagger, openapi, asyncapi }).find(([, value]) => value !== undefined) ?? [];
  const known = "OpenAPI 3.0 and 3.1, Swagger 2.0 and AsyncAPI 3 are read";
  if (key === undefined)
    return { error: `This says neither \`openapi\` nor \`swagger\` nor \`asyncapi\`: ${known}`, at: "" };
  return { error: `\`${key}: ${JSON.stringify(found)}\` is a version that is not read: ${known}`, at: `/${key}` };
}

function sound(format: Format): Format {
  if ("error" in format) return format;
  const { paths, webhooks } = format.root;
  if (paths !== undefined && !isObject(paths)) return { error: "`paths` has to be a map of paths", at: "/paths" };
  if (paths === undefined && webhooks === undefined) return { error: "This description has no `paths`", at: "" };
  return format;
}

function positionAt(source: ImportSource, pointer: string): Position {
  return source.positionsOf(new Set([pointer])).get(pointer) ?? { line: 1, column: 1, offset: 0 };
}

/** Returns the notices in the order of the source. */
function located(source: ImportSource, notes: readonly ImportNotice[]): readonly LocatedNotice[] {
  const positions = source.positionsOf(new Set(notes.map(({ pointer }) => pointer)));
  const all = notes.map((notice) => {
    const { line = 1, column = 1 } = positions.get(notice.pointer) ?? {};
    return { ...notice, line, column };
  });
  return all.toSorted((one, other) => one.line - other.line || one.column - other.column);
}

export type { Prose };
