/** Tests an implementation against a document: from the document to a report. */
import type { CheckResult } from "../language/check.ts";
import type { Case, PartCases } from "./case.ts";
import { casesOf } from "./cases.ts";
import { contractOf } from "./contract.ts";
import type { Interaction } from "./interaction.ts";
import type { CaseResult, Report } from "./result.ts";
import { groupByCause, statementResults } from "./results.ts";
import { runCases } from "./run.ts";
import { isSelected, type Selection } from "./select.ts";
import { statementFinder, statementsOf } from "./statement.ts";
import type { Target } from "./target.ts";

export interface TargetTestOptions {
  /** The document, without errors. */
  readonly result: CheckResult;
  readonly text: string;
  /** The version to test; by default the newest. */
  readonly version?: string | undefined;
  readonly seed: number;
  readonly budgetMilliseconds: number;
  readonly workers: number;
  /** What to test; empty: everything. */
  readonly only?: readonly Selection[];
  /** The ids of the cases to run; absent: all that `only` selects. */
  readonly ids?: ReadonlySet<string> | undefined;
  readonly progress?: (result: CaseResult, done: number, of: number) => void;
  /** Called for each request and its response. */
  readonly observed?: (interaction: Interaction) => void;
}

export async function testTarget(target: Target, options: TargetTestOptions): Promise<Report> {
  const { result, text, version, seed, only = [], ids } = options;
  const { model, places } = result;
  const contract = contractOf(model, places, version);
  const statements = statementsOf(model, places);
  const statementOf = statementFinder(statements);
  const all = casesOf(contract);
  const isWanted = (one: Pick<Case, "id" | "aspects" | "operation">): boolean =>
    isSelected(one, only, statementOf) && (ids === undefined || ids.has(one.id));
  const wanted: PartCases = {
    cases: all.cases.filter(isWanted),
    unobservable: all.unobservable.filter(({ path, expects }) =>
      isSelected({ aspects: [{ path, expects }] }, only, statementOf),
    ),
  };
  // A selection leaves out the statements that none of its cases is about.
  const about = new Set(
    [...wanted.cases.flatMap(({ aspects }) => aspects), ...wanted.unobservable].map(({ path }) => statementOf(path)),
  );
  const isSelection = only.length > 0 || ids !== undefined;
  const tried = isSelection ? statements.filter((statement) => about.has(statement)) : statements;
  const startedAt = target.now();
  const { results, requests } = await runCases(contract, target, wanted, options);
  return {
    ...{ document: result.name, text, title: model.title ?? model.purpose.service ?? result.name, url: target.address },
    ...(contract.version === undefined ? {} : { version: contract.version }),
    ...{ seed, startedAt, milliseconds: target.now() - startedAt, requests },
    statements: statementResults(tried, results),
    cases: groupByCause(results),
  };
}
