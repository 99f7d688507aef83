/** `nonet diff OLD NEW`: reports the differences of two documents, which ones break callers, and which ones are undeclared. */
import { markdownOf } from "../diff/markdown.ts";
import { isComparisonCode } from "../language/analysis/comparison.ts";
import { type Compared, compareFiles } from "./comparing.ts";
import { printDiagnostics, visible } from "../diagnostics/text.ts";
import type { Terminal } from "../server/terminal.ts";
import type { AssessedDifference } from "../diff/compare.ts";
import type { Effect } from "../language/grammar/changes.ts";
import { locationOf } from "../language/analysis/document-index.ts";
import { changeText } from "../language/versioning/change.ts";
import { count } from "../base/layout.ts";

export interface DiffOptions {
  readonly format: "text" | "json" | "markdown";
}

export async function diff(older: string, newer: string, { format }: DiffOptions, terminal: Terminal): Promise<number> {
  const compared = await compareFiles(older, newer, terminal);
  terminal.out(print[format](compared));
  const { result, open } = compared;
  // Invalid parts of the newer document cannot be compared, so their errors are reported.
  const errors = result.diagnostics.filter(({ severity, code }) => severity === "error" && !isComparisonCode(code));
  terminal.err(printDiagnostics({ ...result, diagnostics: errors }, terminal));
  return open.size > 0 || errors.length > 0 ? 1 : 0;
}

const print: Readonly<Record<DiffOptions["format"], (compared: Compared) => string>> = {
  text: textOf,
  json: (compared) => `${JSON.stringify(jsonOf(compared), null, 2)}\n`,
  markdown: ({ comparison, open }) => markdownOf(comparison, open),
};

const effects: readonly Effect[] = ["breaking", "additive", "neutral"];

function textOf(compared: Compared): string {
  const { comparison, open } = compared;
  const groups = effects.flatMap((effect) => {
    const group = comparison.differences.filter(({ difference }) => difference.effect === effect);
    const { printed, left } = effect === "neutral" ? withoutRepetition(group) : { printed: group, left: [] };
    return group.length === 0 ? [] : [[effect, ...printed.flatMap((one) => linesOf(compared, one)), ...left, ""]];
  });
  const numbers = effects.map((effect) => `${numberOf(compared, effect)} ${effect}`);
  const lines = [
    ...groups.flat(),
    ...idleLines(compared),
    ...entryLines(compared),
    `${count(comparison.differences.length, "difference")}: ${numbers.join(", ")}; ${open.size} not declared`,
  ];
  return `${lines.map(visible).join("\n")}\n`;
}

/** The most neutral differences of one kind that are printed, and the number of them that are printed of more. */
const mostOfKind = 12;
const printedOfKind = 3;

/** Leaves out most neutral differences of a kind that repeats, as if a text in each operation has changed. */
function withoutRepetition(all: readonly AssessedDifference[]): {
  readonly printed: readonly AssessedDifference[];
  readonly left: readonly string[];
} {
  const kinds = Map.groupBy(all, ({ difference }) => difference.kind);
  const long = [...kinds].filter(([, group]) => group.length > mostOfKind);
  const hidden = new Set(long.flatMap(([, group]) => group.slice(printedOfKind)));
  return {
    printed: all.filter((one) => !hidden.has(one)),
    left: long.map(
      ([kind, { length }]) =>
        `  and ${length - printedOfKind} more of the kind \`${kind}\`: --format json has all of them`,
    ),
  };
}

function numberOf({ comparison }: Compared, effect: Effect): number {
  return comparison.differences.filter(({ difference }) => difference.effect === effect).length;
}

function linesOf(compared: Compared, one: AssessedDifference): readonly string[] {
  const { result } = compared;
  const { difference } = one;
  const location = `${result.name}:${locationOf(result.places, difference.at).start.line}`;
  return [
    `  ${location}: ${difference.message}`,
    ...(difference.effect === "breaking" && !compared.isDescription ? [`    ${stateOf(compared, one)}`] : []),
  ];
}

function stateOf({ open, comparison }: Compared, one: AssessedDifference): string {
  const { declared, by, difference } = one;
  if (by !== undefined) return `declared by ${by.version}: ${changeText(by.change)}`;
  if (declared) return `declared by ${comparison.heading.version}`;
  if (!open.has(one)) return "not declared, but suppressed with a reason";
  return difference.entry === undefined
    ? "not declared, and no version entry can declare it: nonet check --against says what to do"
    : `not declared: ${changeText(difference.entry)}`;
}

function idleLines({ comparison, result }: Compared): readonly string[] {
  if (comparison.idle.length === 0) return [];
  const lines = comparison.idle.map(({ version, index, change }) => {
    const { line } = locationOf(result.places, `versioning/versions/${version}/${index}`).start;
    return `  ${result.name}:${line}: ${changeText(change)}`;
  });
  return ["entries without a change", ...lines, ""];
}

/** Returns the missing version entries, as the document has to contain them. */
function entryLines(compared: Compared): readonly string[] {
  const entries = missingEntries(compared);
  if (entries.length === 0 || compared.isDescription) return [];
  const { version, isNew } = compared.comparison.heading;
  const where = isNew ? "above the others" : "below its heading";
  return [
    `to declare the rest, write in the versions, ${where}`,
    `  ${version}:`,
    ...entries.map((entry) => `    - ${entry}`),
    "",
  ];
}

/** Returns the missing entries without duplicates: one entry can declare several differences. */
function missingEntries({ open }: Compared): readonly string[] {
  const entries = [...open].flatMap(({ difference: { entry } }) => (entry === undefined ? [] : [changeText(entry)]));
  return [...new Set(entries)];
}

/** Returns the stable JSON format: members are only added, and all are always present, null if unknown. */
function jsonOf(compared: Compared): unknown {
  const { old, result, comparison, open } = compared;
  const { heading, since = null } = comparison;
  return {
    old: old.name,
    new: result.name,
    since,
    summary: {
      ...Object.fromEntries(effects.map((effect) => [effect, numberOf(compared, effect)])),
      undeclared: open.size,
    },
    differences: comparison.differences.map((one) => {
      const { effect, kind, subject, message, at, oldAt = at, entry } = one.difference;
      return {
        effect,
        kind,
        subject,
        message,
        line: locationOf(result.places, at).start.line,
        oldLine: locationOf(old.places, oldAt).start.line,
        declared: one.declared,
        silenced: !one.declared && !open.has(one),
        version: one.by?.version ?? null,
        entry: one.by !== undefined ? changeText(one.by.change) : entry === undefined ? null : changeText(entry),
      };
    }),
    idle: comparison.idle.map(({ version, index, change }) => ({
      version,
      entry: changeText(change),
      line: locationOf(result.places, `versioning/versions/${version}/${index}`).start.line,
    })),
    missing: { version: heading.version, isNew: heading.isNew, entries: missingEntries(compared) },
  };
}
