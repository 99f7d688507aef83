/**
 * Prints the questions of a document by part as a table, with the coverage. The status of each question is a word before it, so
 * colours are not needed; long lines wrap.
 */
import { styleText } from "node:util";
import type { CheckResult } from "../language/check.ts";
import type { PartAnswers, QuestionAnswer } from "../language/analysis/questions.ts";
import { count, wrapped } from "../base/layout.ts";
import type { Terminal } from "../server/terminal.ts";

type Status = QuestionAnswer["status"];

const colours: Readonly<Record<Status, "green" | "gray" | "cyan" | "yellow" | "red">> = {
  shown: "green",
  none: "gray",
  default: "cyan",
  "not shown": "yellow",
  silent: "red",
};

/** The columns of the status: the length of the longest one, `not shown`. */
const statusColumns = 9;
/** The most columns of a line, so that lines stay readable on wide terminals. */
const mostColumns = 120;

type Paint = (style: Parameters<typeof styleText>[0], text: string) => string;

export function checkTable(result: CheckResult, terminal: Pick<Terminal, "colour" | "columns">): string {
  const paint: Paint = (style, text) => (terminal.colour ? styleText(style, text, { validateStream: false }) : text);
  const digits = Math.max(...result.questions.map(({ line }) => String(line ?? "").length));
  const width = Math.min(terminal.columns, mostColumns);
  const rows = (part: PartAnswers) => part.questions.flatMap((question) => row(question, { paint, width, digits }));
  const parts = result.parts.map((part) => [paint("bold", heading(part)), ...rows(part), ""].join("\n"));
  const { errors, warnings, gaps, shown, questions } = result.summary;
  const answered = result.questions.filter(isAnswered).length;
  const coverage = questions === 0 ? 0 : Math.floor((100 * answered) / questions);
  return `${parts.join("\n")}
${answered} of ${count(questions, "question")} answered (${coverage} %), ${shown} of them shown
${count(gaps, "gap")}, ${count(errors, "error")}, ${count(warnings, "warning")}
`;
}

function isAnswered({ status }: QuestionAnswer): boolean {
  return status !== "silent" && status !== "not shown";
}

function heading({ part, status, stated, questions }: PartAnswers): string {
  switch (status) {
    case "gap":
      return `${part}: gap, ${stated ? "as it says" : "it says nothing"}`;
    case "partial":
      return `${part}: partial, ${questions.filter(isAnswered).length} of ${questions.length} answered`;
    default:
      return `${part}: ${status}`;
  }
}

interface Form {
  readonly paint: Paint;
  readonly width: number;
  /** The number of digits of the largest line number. */
  readonly digits: number;
}

/** Prints a row `  not shown  line 18  Which kinds of event are there?`, with the default below the question. */
function row({ text, status, line, taken }: QuestionAnswer, { paint, width, digits }: Form): string[] {
  const where = (line === undefined ? "" : `line ${String(line).padStart(digits)}`).padEnd("line ".length + digits);
  const statusText = status.padEnd(statusColumns);
  const indent = " ".repeat(`  ${statusText}  ${where}  `.length);
  const room = Math.max(width - indent.length, 30);
  const [first = "", ...more] = wrapped(text, room);
  const below = taken === undefined ? [] : wrapped(taken, room - 2).map((each) => `  ${each}`);
  return [
    `  ${paint(colours[status], statusText)}  ${where}  ${first}`,
    ...[...more, ...below].map((each) => indent + each),
  ];
}
