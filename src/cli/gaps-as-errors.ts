/** Implements `--strict`: reports open questions as errors. */
import type { Span } from "../base/span.ts";
import { type Diagnostic, inOrder } from "../diagnostics/diagnostic.ts";
import type { CheckResult } from "../language/check.ts";
import type { PartAnswers, QuestionAnswer } from "../language/analysis/questions.ts";
import { count } from "../base/layout.ts";

/** Returns the same result with an error `document/gap` for each gap. */
export function strictly(result: CheckResult): CheckResult {
  const gaps = result.parts.flatMap((part) => gapsOf(part, result));
  return {
    ...result,
    diagnostics: inOrder([...result.diagnostics, ...gaps]),
    summary: { ...result.summary, errors: result.summary.errors + gaps.length },
  };
}

/** Returns the gaps of a part; a part without any answer is one gap. */
function gapsOf({ part, status, questions }: PartAnswers, result: CheckResult): Diagnostic[] {
  const heading = lineSpan(result.text, result.places.get(part)?.start.line ?? 1);
  if (status === "gap") {
    const open = `${count(questions.length, "question")}, the first: ${questions[0]?.text ?? ""}`;
    return [gap(`Nothing in ${part} is shown: ${open}`, heading)];
  }
  return questions
    .filter((question) => question.status === "not shown" || question.status === "silent")
    .map((question) =>
      gap(`${question.text} ${statusText[question.status] ?? ""}`, spanOf(question, heading, result.text)),
    );
}

const statusText: Partial<Record<QuestionAnswer["status"], string>> = {
  "not shown": "The document leaves it open",
  silent: "The document says nothing",
};

function gap(message: string, span: Span): Diagnostic {
  return {
    code: "document/gap",
    severity: "error",
    message,
    span,
    why: "With --strict, every question has to have an answer.",
    help: "answer it in a `yaml` block, or write `none` if there is none",
  };
}

function spanOf({ line }: QuestionAnswer, heading: Span, text: string): Span {
  return line === undefined || line === heading.start.line ? heading : lineSpan(text, line);
}

/** Returns the span of a line's content without surrounding blanks. */
function lineSpan(text: string, line: number): Span {
  const lines = text.split("\n");
  const before = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  const content = (lines[line - 1] ?? "").trimEnd();
  const indent = content.length - content.trimStart().length;
  return {
    start: { line, column: indent + 1, offset: before + indent },
    end: { line, column: content.length + 1, offset: before + content.length },
  };
}
