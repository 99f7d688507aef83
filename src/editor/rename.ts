/**
 * Renames a name of a document, in all nine parts and in expressions. The result is proved: the renamed document, read again,
 * is the model with the other name, and has no further error. If the document has versions, the rename comes with the entries
 * that keep older callers served.
 */
import { isSame } from "../language/grammar/form.ts";
import type { Span } from "../base/span.ts";
import { compare } from "../diff/compare.ts";
import { findingsOf } from "../diff/findings.ts";
import { spanIn } from "../document/source.ts";
import { mapReferences } from "../language/analysis/references.ts";
import type { Endpoint } from "../language/endpoints/model.ts";
import type { Model } from "../language/model.ts";
import { changeText } from "../language/versioning/change.ts";
import type { Change, Version } from "../language/versioning/model.ts";
import { type Analysis, analyse } from "./analysis.ts";
import { declarationsOf, keyOf, kinds, type Name, nameAt, occurrencesOf, referencesOf } from "./names.ts";
import { parameterChanges, type PathChange, resourceChanges } from "./rename-paths.ts";

export interface TextEdit {
  readonly span: Span;
  readonly text: string;
}

/** The edits, or why there are none: a sentence for the author. */
export type Renaming = { readonly edits: readonly TextEdit[] } | { readonly rejected: string };

/** Returns the span and the text of the name at an offset; why it cannot be renamed, if it cannot. */
export function renameable(
  analysis: Analysis,
  offset: number,
): { readonly span: Span; readonly name: string } | { readonly rejected: string } {
  const found = nameAt(analysis, offset);
  if (found === undefined) return { rejected: "There is no name of the document here." };
  if (declarationsOf(analysis, found).length === 0)
    return { rejected: `The document does not declare \`${found.name}\`.` };
  return { span: found.span, name: found.name };
}

/** `today`: a date, `2026-11-22`, for the name of a new version. */
export function rename(analysis: Analysis, offset: number, to: string, today: string): Renaming {
  const possible = renameable(analysis, offset);
  if ("rejected" in possible) return possible;
  const name = nameAt(analysis, offset) as Name;
  if (to === name.name) return { edits: [] };
  const parameters = parameterChanges(analysis, name, to);
  const edits = [
    ...occurrencesOf(analysis, name).map(({ span }): TextEdit => ({ span, text: to })),
    ...parameters.flatMap((change) => change.edits),
  ];
  const renamed = analyse(analysis.name, applied(analysis.text, edits));
  const paths = [...parameters, ...resourceChanges(analysis, renamed, name, to)];
  const entries = entriesFor(analysis, renamed, name, to, today);
  const all = [...edits, ...paths.slice(parameters.length).flatMap((change) => change.edits), ...entries];
  const result = all.length === edits.length ? renamed : analyse(analysis.name, applied(analysis.text, all));
  const problem = problemOf(analysis, result, name, to, paths);
  return problem === undefined ? { edits: all } : { rejected: problem };
}

/** Returns the text with the edits, which do not overlap. */
export function applied(text: string, edits: readonly TextEdit[]): string {
  return edits
    .toSorted((a, b) => b.span.start.offset - a.span.start.offset)
    .reduce((all, edit) => all.slice(0, edit.span.start.offset) + edit.text + all.slice(edit.span.end.offset), text);
}

// ── Proof ──────────────────────────────────────────────────────────────────────────────────────────────────────────

function problemOf(
  before: Analysis,
  after: Analysis,
  name: Name,
  to: string,
  paths: readonly PathChange[],
): string | undefined {
  const known = new Set(before.result.diagnostics.map(({ code }) => code));
  const fresh = after.result.diagnostics.find(({ code, severity }) => severity === "error" && !known.has(code));
  if (fresh !== undefined)
    return `Renamed to \`${to}\`, the document would have an error: ${fresh.message.replace(/\.$/, "")}.`;
  const kindOf = kinds(referencesOf(before.index));
  const key = keyOf(name);
  const expected = mapReferences(
    before.index.model,
    (one) => (keyOf({ kind: kindOf(one), name: one.name, of: one.of }) === key ? to : one.name),
    before.index.typed,
    { values: true },
  );
  const different = differentPart(withPaths(expected, paths), after.index.model);
  return (
    different && `\`${name.name}\` cannot be renamed safely: part \`${different}\` would change in another way too.`
  );
}

function withPaths(model: Model, paths: readonly PathChange[]): Model {
  const endpoints: Record<string, Endpoint> = { ...model.endpoints.endpoints };
  for (const { changed, operation } of paths)
    endpoints[operation] = { ...(endpoints[operation] as Endpoint), ...changed };
  return { ...model, endpoints: { ...model.endpoints, endpoints } };
}

function differentPart(expected: Model, found: Model): string | undefined {
  const { gaps: _, title: __, versioning: ___, ...parts } = expected;
  return Object.entries(parts).find(([part, value]) => !isSame(value, found[part as keyof Model]))?.[0];
}

// ── Version entries ────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Returns the edits that declare the rename in part 9; none if the document has no versions. A dated version of today or later
 * is not released yet, so the entries belong to it; else they begin a new version.
 */
function entriesFor(
  before: Analysis,
  after: Analysis,
  { kind, name }: Name,
  to: string,
  today: string,
): readonly TextEdit[] {
  const { versions = [], scheme } = before.index.model.versioning;
  const [newest] = versions;
  if (newest === undefined || scheme === undefined || scheme === "none") return [];
  const comparison = compare(before.index.model, after.index.model, today);
  const found = [...findingsOf(comparison, after.index.places).values()].flatMap((one) => one?.difference.entry ?? []);
  // A comparison takes another resource for a new one, and entries of earlier versions may name it.
  const renamedResource = { kind: "rename", from: { of: name }, to } as const;
  const changes =
    kind === "resource" ? [renamedResource] : [...new Map(found.map((one) => [changeText(one), one])).values()];
  if (changes.length === 0) return [];
  const { version } = comparison.heading;
  return scheme === "dated" && newest.name >= today
    ? changes.map((change) => entryInVersion(before, newest, change))
    : [newVersion(before, newest, version, changes)];
}

/** Adds an entry to a version, or changes the entry that has renamed the name already. */
function entryInVersion(
  { index: { places }, lines, text }: Analysis,
  { name, changes }: Version,
  change: Change,
): TextEdit {
  const path = `versioning/versions/${name}`;
  if (change.kind === "rename") {
    const former = changes.findIndex(
      (one) =>
        one.kind === "rename" && one.from.of === change.from.of && one.to === (change.from.field ?? change.from.of),
    );
    const to = places.get(`${path}/${former}/to`);
    if (to !== undefined) return { span: to, text: change.to };
  }
  const value = places.get(`${path}#value`) as Span;
  const { start } = value;
  const entry = changeText(change);
  const written = text.slice(start.offset, value.end.offset);
  if (written.startsWith("["))
    return { span: spanIn(lines, start.offset + 1, start.offset + 1), text: `${JSON.stringify(entry)}, ` };
  if (written.startsWith("-"))
    return {
      span: spanIn(lines, start.offset, start.offset),
      text: `- ${quoted(entry)}\n${" ".repeat(start.column - 1)}`,
    };
  // One change without a list, or `none`.
  const kept = written.trim() === "none" ? [] : [written.trim()];
  return { span: value, text: `[${[JSON.stringify(entry), ...kept].join(", ")}]` };
}

function newVersion(
  { index: { places }, lines, text }: Analysis,
  { name }: Version,
  version: string,
  changes: readonly Change[],
): TextEdit {
  const { start } = places.get(`versioning/versions/${name}`) as Span;
  const before = text.slice(lines.starts[start.line - 1], start.offset);
  const entries = changes.map((change) => changeText(change));
  const block = [`${version}:`, ...entries.map((entry) => `  - ${quoted(entry)}`), ""].join(`\n${before}`);
  // Versions in a map on one line get a list on one line.
  const flow = `${version}: [${entries.map((entry) => JSON.stringify(entry)).join(", ")}], `;
  return { span: spanIn(lines, start.offset, start.offset), text: /^\s*$/.test(before) ? block : flow };
}

function quoted(entry: string): string {
  return /: | #|^["'[{&*!|>%@`]/.test(entry) ? JSON.stringify(entry) : entry;
}
