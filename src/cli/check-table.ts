/**
 * Prints the questions of a document by part: all of them with their status and answer, or only the open ones, and the summary
 * of a check. The status of each question is a word before it, so colours are not needed; long lines wrap.
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

type Screen = Pick<Terminal, "colour" | "columns">;

function painter({ colour }: Screen): Paint {
  return (style, text) => (colour ? styleText(style, text, { validateStream: false }) : text);
}

function widthOf({ columns }: Screen): number {
  return Math.min(columns, mostColumns);
}

/** Returns the number of digits of the largest line of a question. */
function digitsOf(questions: readonly QuestionAnswer[]): number {
  return Math.max(1, ...questions.map(({ line }) => String(line ?? "").length));
}

/** Prints all questions with their answers. */
export function questionTable(result: CheckResult, terminal: Screen): string {
  const form = { paint: painter(terminal), width: widthOf(terminal), digits: digitsOf(result.questions) };
  const parts = result.parts.map((part) => {
    const rows = part.questions.flatMap((question) => row(question, form));
    return [form.paint("bold", heading(part)), ...rows, ""].join("\n");
  });
  return parts.map((part) => `${part}\n`).join("");
}

/** The most open questions that are printed one by one, so that they fit on a screen with the findings. */
const mostOpen = 12;

/** Prints the open questions; a part without any answer is one line. Empty if none is open. */
export function openQuestions(result: CheckResult, terminal: Screen): string {
  const paint = painter(terminal);
  const open = result.parts.flatMap(openOf);
  if (open.length === 0) return "";
  const printed = open.slice(0, mostOpen);
  const places = printed.map(({ part, line }) => `${part}${line === undefined ? "" : `, line ${line}`}`);
  const columns = Math.max(...places.map(({ length }) => length));
  const lines = printed.flatMap(({ text }, index) => {
    const [first = "", ...more] = wrapped(text, Math.max(widthOf(terminal) - columns - 4, 30));
    const place = (places[index] ?? "").padEnd(columns);
    return [`  ${paint("yellow", place)}  ${first}`, ...more.map((each) => " ".repeat(columns + 4) + each)];
  });
  const rest = open.length > printed.length ? [`  … and ${open.length - printed.length} more`] : [];
  return [paint("bold", "open (--questions prints all questions)"), ...lines, ...rest, "", ""].join("\n");
}

interface OpenQuestion {
  readonly part: string;
  readonly line: number | undefined;
  readonly text: string;
}

function openOf({ part, status, questions }: PartAnswers): readonly OpenQuestion[] {
  const open = questions.filter((question) => !isAnswered(question));
  const [first] = open;
  if (first === undefined) return [];
  if (status !== "gap") return open.map(({ line, text }) => ({ part, line, text }));
  return [{ part, line: first.line, text: `all ${count(open.length, "question")}: ${first.text} …` }];
}

/** Prints the coverage of the questions and the number of findings. */
export function checkSummary(result: CheckResult, terminal: Screen): string {
  const paint = painter(terminal);
  const { errors, warnings, gaps, shown, questions } = result.summary;
  const answered = result.questions.filter(isAnswered).length;
  const coverage = questions === 0 ? 0 : Math.floor((100 * answered) / questions);
  const counted = (number: number, noun: string, style: "red" | "yellow"): string =>
    number === 0 ? count(number, noun) : paint(style, count(number, noun));
  return `${answered} of ${count(questions, "question")} answered (${coverage} %), ${shown} of them shown
${counted(gaps, "gap", "yellow")}, ${counted(errors, "error", "red")}, ${counted(warnings, "warning", "yellow")}
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
