/**
 * The report for a terminal: what is broken, with the lines of the document and the requests that show it, then what was not tried
 * and why, then the numbers.
 */
import { columns } from "../../base/layout.ts";
import { codeFrame, type Paint, painter, visible } from "../../diagnostics/text.ts";
import { partHeadings } from "../../language/grammar/sections.ts";
import type { Report, StatementResult } from "../result.ts";
import { curlLines, type CurlOptions } from "./curl.ts";
import {
  type BrokenGroup,
  brokenGroups,
  countsOf,
  expectationOf,
  locationOf,
  type NotTriedGroup,
  notTriedGroups,
  number,
  resultsByPart,
  statementText,
  summaryLine,
  thinness,
} from "./summary.ts";

export interface TextReportOptions extends CurlOptions {
  /** Whether the output supports colours. */
  readonly colour?: boolean;
}

/** How many statements of a group are printed: the other reports have all. */
const mostStatements = 12;

export function reportText(report: Report, options: TextReportOptions = {}): string {
  const paint = painter(options.colour ?? false);
  const warning = thinness(report);
  const sections = [
    ...(warning === undefined ? [] : [[paint(warning, "warning")]]),
    ...brokenGroups(report).map((cause) => brokenLines(report, cause, paint, options)),
    ...notTriedGroups(report).map((group, index) => [
      ...(index === 0 ? [paint("Not tried", "bold")] : []),
      ...notTriedLines(report, group, paint),
    ]),
    [...summaryTable(report), "", paint(summaryLine(report), "bold")],
  ];
  return sections.map((lines) => `${lines.map(visible).join("\n")}\n`).join("\n");
}

function brokenLines(
  report: Report,
  { result, statements: [first, ...others] }: BrokenGroup,
  paint: Paint,
  options: TextReportOptions,
): readonly string[] {
  const { expected, got, also, interactions } = result;
  const location = first === undefined ? report.document : locationOf(report, first);
  const words = first === undefined ? result.id : statementText(report, first);
  const rows: [label: string, text: string][] = [
    ["stated", expectationOf(result, first)],
    ["expected", expected],
    ["got", got],
    ...(also.length === 0 ? [] : [["also", alsoText(also)] satisfies [string, string]]),
    ...(others.length === 0
      ? []
      : [["and at", others.map((one) => locationOf(report, one)).join(", ")] satisfies [string, string]]),
  ];
  return [
    `${paint(location, "bold")}: ${paint("broken", "error")}: ${words}`,
    ...(first === undefined ? [] : codeFrame(first.span, report.text, "error", paint)),
    ...rows.map(([label, text]) => `  ${paint(`${label}:`.padEnd(10), "bold")} ${oneLine(text)}`),
    ...(interactions.length === 0 ? [] : [`  ${paint("reproduce:", "bold")}`]),
    ...curlLines(interactions, options)
      .split("\n")
      .slice(0, -1)
      .map((line) => `    ${line}`),
  ];
}

/** `3 more cases with this cause: a, b, …`. */
function alsoText(also: readonly string[]): string {
  const names = also.length > 3 ? [...also.slice(0, 3), "…"] : also;
  return `${number(also.length)} more ${also.length === 1 ? "case" : "cases"} with this cause: ${names.join(", ")}`;
}

function notTriedLines(report: Report, { reason, remedy, statements }: NotTriedGroup, paint: Paint): readonly string[] {
  const printed = statements.slice(0, mostStatements);
  const more = statements.length - printed.length;
  const locations = printed.map(({ statement }) => locationOf(report, statement));
  const width = Math.max(...locations.map((one) => one.length));
  return [
    `  ${paint(oneLine(reason), "warning")}: ${number(statements.length)} ${statements.length === 1 ? "statement" : "statements"}`,
    ...(remedy === undefined ? [] : [`  ${paint("to try:", "bold")} ${oneLine(remedy)}`]),
    ...printed.map(
      (result, index) =>
        `    ${(locations[index] ?? "").padEnd(width)}  ${statementText(report, result.statement)}${inPart(result, paint)}`,
    ),
    ...(more === 0 ? [] : [`    … and ${number(more)} more`]),
  ];
}

/** A statement that other cases tried. */
function inPart({ kind }: StatementResult, paint: Paint): string {
  return kind === "not tried" ? "" : paint(`  (in part: ${kind})`, "faint");
}

function summaryTable(report: Report): readonly string[] {
  const heads = ["part", "holds", "broken", "not tried"];
  const rows = resultsByPart(report).map(({ part, statements }) => {
    const counts = countsOf(statements);
    const numbers = [counts.holds, counts.broken, counts["not tried"]];
    return [partHeadings[part][0], ...numbers.map((one, index) => number(one).padStart(heads[index + 1]?.length ?? 0))];
  });
  return columns([heads, ...rows]);
}

/** Returns a text on one line, without colours of its own: some of it comes from the implementation. */
function oneLine(text: string): string {
  return text.replaceAll(/\s*[\r\n]+\s*/g, " ").replaceAll("\u001b", "\u241b");
}
