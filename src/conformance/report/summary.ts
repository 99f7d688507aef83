/** What every report says of a test: counts, the operations that succeeded, what is broken, and what was not tried and why. */
import { count, listed } from "../../base/layout.ts";
import { type PartName, partNames } from "../../language/model.ts";
import { partHeadings } from "../../language/grammar/sections.ts";
import { type Interaction, isResponse } from "../interaction.ts";
import type { CaseResult, Report, StatementResult } from "../result.ts";
import { type Statement, statementFinder } from "../statement.ts";

export type Kind = StatementResult["kind"];
export type Counts = Readonly<Record<Kind, number>>;
export type BrokenResult = CaseResult & { readonly kind: "broken" };

export function countsOf(results: readonly StatementResult[]): Counts {
  const counts = { holds: 0, broken: 0, "not tried": 0 };
  for (const { kind } of results) counts[kind] += 1;
  return counts;
}

export interface PartResults {
  readonly part: PartName;
  readonly statements: readonly StatementResult[];
}

/** Returns the results of each part that has a statement, in the order of the document. */
export function resultsByPart({ statements }: Report): readonly PartResults[] {
  return partNames
    .map((part) => ({ part, statements: statements.filter(({ statement }) => statement.part === part) }))
    .filter((one) => one.statements.length > 0);
}

/** `212 hold, 3 broken, 14 not tried — 1,204 requests in 8.1 s, seed 42`. */
export function summaryLine(report: Report): string {
  const counts = countsOf(report.statements);
  const others = brokenGroups(report).filter(({ statements }) => statements.length === 0).length;
  const broken = `${number(counts.broken)} broken${others === 0 ? "" : ` (and ${number(others)} not about a statement)`}`;
  const results = `${number(counts.holds)} hold, ${broken}, ${number(counts["not tried"])} not tried`;
  const requests = `${number(report.requests)} request${report.requests === 1 ? "" : "s"}`;
  return `${results} — ${requests} in ${durationText(report.milliseconds)}, seed ${report.seed}`;
}

export function number(value: number): string {
  return value.toLocaleString("en-US");
}

/** `812 ms`, `8.1 s`, `3 min 12 s`. */
export function durationText(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 59_950) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Returns the words of a statement on one line: of a longer one the first line, and `…`. */
export function statementText({ text }: Report, { path, part, span }: Statement): string {
  // The location of a part that is `none` is the whole part.
  if (path === part) return `${partHeadings[part][0]}: none`;
  const [first = "", ...more] = text
    .slice(span.start.offset, span.end.offset)
    .trimEnd()
    .split(/\r\n|\n|\r/);
  return more.length === 0 ? first : `${first.trimEnd()} …`;
}

/** `parcel-lockers.md:51:3`, the location of a statement. */
export function locationOf({ document }: Report, { span: { start } }: Statement): string {
  return `${document}:${start.line}:${start.column}`;
}

/** `201`, `no response within 10 s`. */
export function outcomeOf({ response }: Pick<Interaction, "response">): string {
  return isResponse(response) ? String(response.status) : response.problem;
}

// ── Whether enough was reached ─────────────────────────────────────────────────────────────────────────────────────

export interface Reach {
  /** The operations of the document. */
  readonly operations: readonly string[];
  /** Those of them that never succeeded. */
  readonly failed: readonly string[];
}

export function reachOf({ statements, cases }: Report): Reach {
  const operations = new Set(
    statements.flatMap(({ statement: { path } }) => {
      const [part, key, name] = path.split("/");
      return part === "endpoints" && key === "endpoints" && name !== undefined ? [name] : [];
    }),
  );
  const succeeded = new Set(
    cases
      .flatMap((result) => (result.kind === "not tried" ? [] : result.interactions))
      .filter(({ response }) => isResponse(response) && response.status < 400)
      .map(({ operation }) => operation),
  );
  return { operations: [...operations], failed: [...operations].filter((name) => !succeeded.has(name)) };
}

/** Returns a warning if fewer than half of the operations succeeded: a test that reaches little proves little. */
export function thinness(report: Report): string | undefined {
  const { operations, failed } = reachOf(report);
  const succeeded = operations.length - failed.length;
  if (succeeded * 2 >= operations.length) return undefined;
  const reached = succeeded === 0 ? "None" : `Only ${succeeded}`;
  const names = failed.length > 12 ? [...failed.slice(0, 11), `${failed.length - 11} others`] : failed;
  return `${reached} of ${count(operations.length, "operation")} succeeded even once, so this test proves little: ${listed(names)} never did.`;
}

// ── What is broken, and what was not tried ─────────────────────────────────────────────────────────────────────────

/** A broken result with the statements that it is about; the first one is the one to look at. */
export interface BrokenGroup {
  readonly result: BrokenResult;
  readonly statements: readonly Statement[];
}

/** Returns the broken results, by the first line that they are about; those about no statement come first. */
export function brokenGroups({ statements, cases }: Report): readonly BrokenGroup[] {
  const find = statementFinder(statements.map(({ statement }) => statement));
  return cases
    .filter((result) => result.kind === "broken")
    .map((result) => ({ result, statements: statementsOfAspects(result, find) }))
    .toSorted((one, other) => startOf(one) - startOf(other));
}

/** Returns what a case expects of a statement, in words. */
export function expectationOf({ aspects, id }: CaseResult, statement: Statement | undefined): string {
  const find = statementFinder(statement === undefined ? [] : [statement]);
  return (aspects.find(({ path }) => find(path) !== undefined) ?? aspects[0])?.expects ?? id;
}

function statementsOfAspects(
  { aspects }: CaseResult,
  find: (path: string) => Statement | undefined,
): readonly Statement[] {
  return [...new Set(aspects.map(({ path }) => find(path)))].filter((statement) => statement !== undefined);
}

function startOf({ statements: [first] }: BrokenGroup): number {
  return first?.span.start.offset ?? -1;
}

export interface NotTriedGroup {
  readonly reason: string;
  /** What would make it possible. */
  readonly remedy?: string;
  readonly statements: readonly StatementResult[];
}

/** Returns the statements that were not tried, or not in full, by reason: first the reasons that a user can remove. */
export function notTriedGroups({ statements }: Report): readonly NotTriedGroup[] {
  const groups = new Map<string, NotTriedGroup & { readonly statements: StatementResult[] }>();
  for (const result of statements) {
    for (const one of result.cases) {
      if (one.kind !== "not tried") continue;
      const { reason, remedy } = one;
      const key = JSON.stringify([reason, remedy]);
      const group = groups.get(key) ?? { reason, ...(remedy === undefined ? {} : { remedy }), statements: [] };
      if (group.statements.at(-1) !== result) group.statements.push(result);
      groups.set(key, group);
    }
  }
  return [...groups.values()].toSorted(
    (one, other) =>
      Number(one.remedy === undefined) - Number(other.remedy === undefined) ||
      other.statements.length - one.statements.length,
  );
}
