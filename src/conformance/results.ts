/** From the results of cases to the results of statements, and to one result for each root cause. */
import type { CaseResult, StatementResult } from "./result.ts";
import { type Statement, statementFinder } from "./statement.ts";

type BrokenResult = CaseResult & { readonly kind: "broken" };

/** What differs from response to response: ids, tokens, UUIDs. */
const ids = /\b(?:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|\w{20,})\b/gi;

/** The reason of a statement that no case is about. */
export const notObservable = "no client can observe it";

const order: Readonly<Record<CaseResult["kind"], number>> = { broken: 0, holds: 1, "not tried": 2 };

/**
 * Returns one result for each statement. Pass all results of cases, before `groupByCause`, so that each statement has its own
 * evidence.
 */
export function statementResults(
  statements: readonly Statement[],
  caseResults: readonly CaseResult[],
): readonly StatementResult[] {
  const find = statementFinder(statements);
  const found = new Map<Statement, CaseResult[]>(statements.map((statement) => [statement, []]));
  for (const result of caseResults) {
    const about = new Set(result.aspects.map(({ path }) => find(path)));
    for (const statement of about) if (statement !== undefined) found.get(statement)?.push(result);
  }
  return [...found].map(([statement, results]): StatementResult => {
    const [first = nothingObservable(statement), ...more] = results.toSorted(
      (one, other) => order[one.kind] - order[other.kind],
    );
    return { statement, kind: first.kind, cases: [first, ...more] };
  });
}

function nothingObservable({ path }: Statement): CaseResult {
  return { kind: "not tried", id: path, aspects: [], reason: notObservable };
}

/**
 * Groups the broken results that have one root cause: the same operation, which was expected to do the same and did the same,
 * but for ids in its response. The first one stays, with the ids and the aspects of the others.
 */
export function groupByCause(results: readonly CaseResult[]): readonly CaseResult[] {
  const grouped = new Map<string, CaseResult>();
  for (const result of results) {
    const key = result.kind === "broken" ? causeOf(result) : `case ${result.id}`;
    const first = grouped.get(key);
    grouped.set(key, first?.kind === "broken" && result.kind === "broken" ? joined(first, result) : result);
  }
  return [...grouped.values()];
}

function causeOf({ expected, got, id, interactions }: BrokenResult): string {
  const last = interactions.at(-1);
  // Without an operation there is nothing to say that two causes are one, so these stay apart.
  return JSON.stringify(last?.operation === undefined ? [id] : [last.operation, expected, got.replaceAll(ids, "…")]);
}

function joined(first: BrokenResult, other: BrokenResult): BrokenResult {
  const paths = new Set(first.aspects.map(({ path }) => path));
  return {
    ...first,
    aspects: [...first.aspects, ...other.aspects.filter(({ path }) => !paths.has(path))],
    also: [...first.also, other.id, ...other.also],
  };
}
