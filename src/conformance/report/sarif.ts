/** The broken statements as a SARIF log, for code scanning: one result for each, on its lines of the document. */
import type { JsonObject } from "../../base/json.ts";
import { startOfText } from "../../base/span.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { type RuleDescription, sarif } from "../../diagnostics/sarif.ts";
import { partHeadings } from "../../language/grammar/sections.ts";
import { partNames } from "../../language/model.ts";
import type { Report } from "../result.ts";
import type { Statement } from "../statement.ts";
import { type BrokenResult, brokenGroups, expectationOf, statementText } from "./summary.ts";

/** The code of broken results that are about no statement. */
const otherCode = "service/broken";

const rules: readonly RuleDescription[] = [
  ...partNames.map(
    (part): RuleDescription => ({
      code: `${part}/broken`,
      summary: `The implementation breaks a statement of the part "${partHeadings[part][0]}".`,
      severity: "error",
    }),
  ),
  { code: otherCode, summary: "The implementation does something that its document excludes.", severity: "error" },
];

/** `release`: the release of Nonet. */
export function reportSarif(report: Report, release: string): JsonObject {
  const others = brokenGroups(report).filter(({ statements }) => statements.length === 0);
  const found = [
    ...others.map(({ result }) => diagnosticOf(report, undefined, [result])),
    ...report.statements.flatMap(({ statement, cases }) => {
      const broken = cases.filter((one) => one.kind === "broken");
      return broken.length === 0 ? [] : [diagnosticOf(report, statement, broken)];
    }),
  ];
  return sarif(found, report.document, rules, release);
}

function diagnosticOf(report: Report, statement: Statement | undefined, broken: readonly BrokenResult[]): Diagnostic {
  const [first] = broken as [BrokenResult];
  const stated = `${expectationOf(first, statement)}: expected ${first.expected}, got ${first.got}`;
  const others = broken.flatMap(({ id, also }, index) => [...(index === 0 ? [] : [id]), ...also]);
  const why = others.length === 0 ? {} : { why: `Further broken cases: ${others.join(", ")}` };
  if (statement === undefined)
    return { code: otherCode, severity: "error", message: stated, span: startOfText, ...why };
  return {
    code: `${statement.part}/broken`,
    severity: "error",
    message: `\`${statementText(report, statement)}\` is broken: ${stated}`,
    span: statement.span,
    ...why,
  };
}
