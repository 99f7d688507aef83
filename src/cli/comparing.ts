/**
 * Compares two documents: checks the newer one, and reports the effect on callers of the older one. A description of an API, such
 * as OpenAPI, is imported in memory first.
 */
import { dateOf } from "../base/unix-time.ts";
import { compare, type Comparison, type AssessedDifference } from "../diff/compare.ts";
import type { Effect } from "../language/grammar/changes.ts";
import { findingsOf } from "../diff/findings.ts";
import { check, type CheckResult, examine } from "../language/check.ts";
import { locationOf } from "../language/analysis/document-index.ts";
import type { Model, SourceLocations } from "../language/model.ts";
import { concluded, handedOver } from "../contracts/concluding.ts";
import { DocumentError, UsageError } from "../server/errors.ts";
import { readDocument } from "../server/document.ts";
import { isDescription, locationsIn } from "../import/locations.ts";
import { count } from "../base/layout.ts";
import type { Terminal } from "../server/terminal.ts";

export interface Compared {
  readonly old: CheckResult;
  /** The check of the newer document, including findings of the comparison. */
  readonly result: CheckResult;
  readonly comparison: Comparison;
  /** The differences that are neither declared nor suppressed. */
  readonly open: ReadonlySet<AssessedDifference>;
  /** Whether the newer file is a description, which cannot declare its changes. */
  readonly isDescription: boolean;
}

/** Compares two files. @throws UsageError if a document cannot be read. */
export async function compareFiles(older: string, newer: string, terminal: Terminal): Promise<Compared> {
  if (older === "-" && newer === "-") throw new UsageError("only one of two documents can be standard input");
  const [before, after] = [await readInput(older, terminal), await readInput(newer, terminal)];
  const old = { ...check(before.checkedAs, before.document), name: before.name };
  const { errors } = old.summary;
  if (errors > 0) terminal.err(`${old.name} has ${count(errors, "error")}; statements with errors are not compared\n`);
  const today = todayIn(terminal);
  const examined = examine(after.checkedAs, after.document);
  const { model, places } = examined.documentIndex;
  const located = after.places?.(model) ?? places;
  const compared = compare(old.model, model, today, await handedOver(old, examined));
  const comparison = inOrder(withoutGaps(compared, before, after), located);
  const findings = findingsOf(comparison, located);
  const result = await concluded(examined, { comparison: [...findings.keys()] });
  const open = new Set(result.diagnostics.map((one) => findings.get(one)).filter((one) => one !== undefined));
  return {
    old: { ...old, places: before.places?.(old.model) ?? old.places },
    result: { ...result, name: after.name, places: after.places?.(result.model) ?? result.places },
    comparison,
    open,
    isDescription: after.places !== undefined,
  };
}

interface Input {
  readonly name: string;
  /** The name that tells the form of the document. */
  readonly checkedAs: string;
  readonly document: Uint8Array | string;
  /** For an imported description: returns the positions in it. */
  readonly places?: (model: Model) => SourceLocations;
}

/** @throws DocumentError if a description cannot be imported. */
async function readInput(file: string, terminal: Terminal): Promise<Input> {
  const name = file === "-" ? "standard input" : file;
  const bytes = await readDocument(file, terminal);
  const text = new TextDecoder().decode(bytes);
  if (!isDescription(text)) return { name, checkedAs: name, document: bytes };
  const { importDocument } = await import("../import/import.ts");
  const imported = importDocument(name, text, { contractsOnly: true });
  if (imported.kind === "error")
    throw new DocumentError(`${name}:${imported.position.line}:${imported.position.column}: ${imported.message}`);
  const places = (model: Model): SourceLocations => locationsIn(name, text, model);
  return { name, checkedAs: "import.md", document: imported.document, places };
}

/** Omits what only the import of two descriptions says: which parts they leave open. */
function withoutGaps(comparison: Comparison, ...inputs: readonly Input[]): Comparison {
  if (inputs.some(({ places }) => places === undefined)) return comparison;
  const kinds: ReadonlySet<string> = new Set(["gap-opened", "gap-closed", "part-status-changed"]);
  return { ...comparison, differences: comparison.differences.filter(({ difference }) => !kinds.has(difference.kind)) };
}

const effects: readonly Effect[] = ["breaking", "additive", "neutral"];

/** Sorts the differences: undeclared ones first, then in the order of the newer document. */
function inOrder(comparison: Comparison, places: SourceLocations): Comparison {
  const rank = ({ difference: { effect, at }, declared }: AssessedDifference): readonly number[] => [
    effects.indexOf(effect),
    declared ? 1 : 0,
    locationOf(places, at).start.offset,
  ];
  const ranked = comparison.differences.map((one) => ({ one, ranks: rank(one) }));
  const before = (a: readonly number[], b: readonly number[]): number =>
    a.map((value, index) => value - (b[index] ?? 0)).find((step) => step !== 0) ?? 0;
  return { ...comparison, differences: ranked.toSorted((a, b) => before(a.ranks, b.ranks)).map(({ one }) => one) };
}

/**
 * Returns today's date. SOURCE_DATE_EPOCH fixes it, which makes the output reproducible
 * (https://reproducible-builds.org/specs/source-date-epoch).
 */
function todayIn({ environment }: Terminal): string {
  const epoch = environment["SOURCE_DATE_EPOCH"] ?? "";
  const time = /^\d{1,11}$/.test(epoch) ? Number(epoch) * 1000 : Date.now();
  return dateOf(time);
}
