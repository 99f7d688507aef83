/** Compares two documents: checks the newer one, and reports the effect on callers of the older one. */
import { dateOf } from "../base/unix-time.ts";
import { compare, type Comparison, type AssessedDifference } from "../diff/compare.ts";
import type { Effect } from "../language/grammar/changes.ts";
import { findingsOf } from "../diff/findings.ts";
import { type CheckResult, examine } from "../language/check.ts";
import { locationOf } from "../language/analysis/document-index.ts";
import type { SourceLocations } from "../language/model.ts";
import { concluded } from "./concluding.ts";
import { UsageError } from "../server/errors.ts";
import { checkFile, nameOf, readDocument } from "../server/document.ts";
import { count } from "../base/layout.ts";
import type { Terminal } from "../server/terminal.ts";

export interface Compared {
  readonly old: CheckResult;
  /** The check of the newer document, including findings of the comparison. */
  readonly result: CheckResult;
  readonly comparison: Comparison;
  /** The differences that are neither declared nor suppressed. */
  readonly open: ReadonlySet<AssessedDifference>;
}

/** Compares two files. @throws UsageError if a document cannot be read. */
export async function compareFiles(older: string, newer: string, terminal: Terminal): Promise<Compared> {
  if (older === "-" && newer === "-") throw new UsageError("only one of two documents can be standard input");
  const old = await checkFile(older, terminal);
  const { errors } = old.summary;
  if (errors > 0) terminal.err(`${old.name} has ${count(errors, "error")}; statements with errors are not compared\n`);
  const bytes = await readDocument(newer, terminal);
  const today = todayIn(terminal);
  const examined = examine(nameOf(newer), bytes);
  const { model, places } = examined.documentIndex;
  const comparison = inOrder(compare(old.model, model, today), places);
  const findings = findingsOf(comparison, places);
  const result = await concluded(examined, { comparison: [...findings.keys()] });
  const open = new Set(result.diagnostics.map((one) => findings.get(one)).filter((one) => one !== undefined));
  return { old, result, comparison, open };
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
