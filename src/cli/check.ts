/** `nonet check DOC`: reports errors, open questions, and changes that break the callers of an older document. */
import { github } from "../diagnostics/github.ts";
import { diagnosticJson } from "../diagnostics/json.ts";
import { sarif } from "../diagnostics/sarif.ts";
import { type CheckResult, examine } from "../language/check.ts";
import { checkSummary, openQuestions, questionTable } from "./check-table.ts";
import { nameOf, readDocument } from "../server/document.ts";
import { printDiagnostics } from "../diagnostics/text.ts";
import { concluded } from "../contracts/concluding.ts";
import { strictly } from "./gaps-as-errors.ts";
import { type Terminal, releaseVersion } from "../server/terminal.ts";

export interface CheckOptions {
  readonly strict: boolean;
  /** Whether the text format prints all questions with their answers. */
  readonly questions: boolean;
  readonly format: "text" | "json" | "sarif" | "github";
  /** The path of the older document, if one was passed. */
  readonly against: string | undefined;
}

export async function check(document: string, options: CheckOptions, terminal: Terminal): Promise<number> {
  const { against, format, strict } = options;
  const checked =
    against === undefined
      ? await concluded(examine(nameOf(document), await readDocument(document, terminal)))
      : (await (await import("./comparing.ts")).compareFiles(against, document, terminal)).result;
  const result = strict ? strictly(checked) : checked;
  print[format](result, terminal, options);
  return result.summary.errors > 0 ? 1 : 0;
}

const print: Readonly<
  Record<CheckOptions["format"], (result: CheckResult, terminal: Terminal, options: CheckOptions) => void>
> = {
  text: (result, terminal, options) =>
    terminal.out(
      printDiagnostics(result, terminal) + questionsText(result, terminal, options) + checkSummary(result, terminal),
    ),
  json: (result, terminal) => terminal.out(`${JSON.stringify(checkJson(result), null, 2)}\n`),
  sarif: (result, terminal) =>
    terminal.out(`${JSON.stringify(sarif(result.diagnostics, result.name, [], releaseVersion()), null, 2)}\n`),
  github: (result, terminal) => terminal.out(github(result.diagnostics, result.name)),
};

/** With --strict each open question is a finding already. */
function questionsText(result: CheckResult, terminal: Terminal, { questions, strict }: CheckOptions): string {
  if (questions) return questionTable(result, terminal);
  return strict ? "" : openQuestions(result, terminal);
}

/**
 * Returns the stable JSON format of a check. Members are only added, and all are always present: `service` is null if part 1
 * does not declare it; `line` is the part's line if no line answers the question; `help` is empty without advice.
 */
function checkJson({ service, summary, parts, diagnostics, places }: CheckResult): unknown {
  const { errors, warnings, gaps, shown, questions } = summary;
  return {
    service,
    summary: { errors, warnings, gaps, shown, questions },
    parts: parts.map((part) => ({
      part: part.part,
      status: part.status,
      stated: part.stated,
      questions: part.questions.map(({ id, status, line = places.get(part.part)?.start.line ?? 1 }) => ({
        id,
        status,
        line,
      })),
    })),
    diagnostics: diagnostics.map((diagnostic) => {
      const { help = "", ...rest } = diagnosticJson(diagnostic);
      return { ...rest, help };
    }),
  };
}
