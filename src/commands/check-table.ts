/** The questions of a document by part, as a table for a terminal, with how much of them is answered. */
import { styleText } from "node:util";
import type { CheckResult } from "../parts/check.ts";
import type { QuestionAnswer } from "../parts/questions.ts";
import { count } from "./service-file.ts";
import type { Terminal } from "./terminal.ts";

type Status = QuestionAnswer["status"];

const marks: Readonly<Record<Status, readonly [mark: string, colour: "green" | "cyan" | "yellow" | "red" | "gray"]>> = {
  shown: ["+", "green"],
  none: ["-", "gray"],
  default: ["=", "cyan"],
  "not shown": ["?", "yellow"],
  silent: ["?", "red"],
};

export function checkTable(result: CheckResult, terminal: Pick<Terminal, "colour">): string {
  const paint = (colour: Parameters<typeof styleText>[0], text: string) =>
    terminal.colour ? styleText(colour, text) : text;
  const width = Math.max(...result.questions.map(({ text }) => text.length), 0);
  const lines = result.parts.flatMap(({ part, status, stated, questions }) => [
    paint("bold", `${part}: ${status}${status === "gap" ? (stated ? ", as it says" : ", it says nothing") : ""}`),
    ...questions.map((question) => `  ${row(question, width, paint)}`),
  ]);
  const { errors, warnings, gaps, shown, questions } = result.summary;
  const answered = result.questions.filter(({ status }) => status !== "silent" && status !== "not shown").length;
  const coverage = questions === 0 ? 0 : Math.round((100 * answered) / questions);
  const summary = [
    `${answered} of ${count(questions, "question")} answered (${coverage} %), ${shown} of them shown`,
    `${count(gaps, "gap")}, ${count(errors, "error")}, ${count(warnings, "warning")}`,
  ];
  return `${lines.join("\n")}\n\n${summary.join("\n")}\n`;
}

function row(
  { text, status, line, taken }: QuestionAnswer,
  width: number,
  paint: (colour: Parameters<typeof styleText>[0], text: string) => string,
): string {
  const [mark, colour] = marks[status];
  const where = line === undefined ? "" : `, line ${line}`;
  const what = status === "default" && taken !== undefined ? `default: ${taken}` : status;
  return `${paint(colour, mark)} ${text.padEnd(width)}  ${paint(colour, what)}${where}`;
}
