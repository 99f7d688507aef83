/**
 * The report as JUnit XML, as GitLab, Jenkins and the reporters of GitHub Actions read it: a suite for each part, a test case for
 * each statement. Cases about no statement are a suite of their own.
 */
import type { CaseResult, Report, StatementResult } from "../result.ts";
import type { Statement } from "../statement.ts";
import { curlLines, type CurlOptions } from "./curl.ts";
import { type BrokenResult, brokenGroups, expectationOf, locationOf, resultsByPart, statementText } from "./summary.ts";

interface TestCase {
  readonly name: string;
  readonly line?: number;
  readonly seconds: number;
  readonly kind: StatementResult["kind"];
  /** Why it is broken, or why it was not tried. */
  readonly message: string;
  readonly details: string;
}

export function reportJunit(report: Report, options: CurlOptions = {}): string {
  const others = brokenGroups(report).filter(({ statements }) => statements.length === 0);
  const suites: (readonly [name: string, cases: readonly TestCase[]])[] = [
    ...resultsByPart(report).map(
      ({ part, statements }) => [part, statements.map((one) => testCaseOf(report, one, options))] as const,
    ),
    ...(others.length === 0 ? [] : [["service", others.map(({ result }) => testCaseOfCase(result, options))] as const]),
  ];
  const all = suites.flatMap(([, cases]) => cases);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: report.title, ...countsOf(all), time: secondsText(report.milliseconds / 1000) })}>`,
    ...suites.flatMap(([name, cases]) => suiteLines(report, name, cases)),
    "</testsuites>",
    "",
  ].join("\n");
}

function suiteLines(report: Report, name: string, cases: readonly TestCase[]): readonly string[] {
  const time = secondsText(cases.reduce((sum, { seconds }) => sum + seconds, 0));
  const timestamp = new Date(report.startedAt).toISOString().slice(0, 19);
  const properties = {
    document: report.document,
    url: report.url,
    ...(report.version === undefined ? {} : { version: report.version }),
    seed: report.seed,
  };
  return [
    `  <testsuite${attributes({ name, ...countsOf(cases), time, timestamp, file: report.document })}>`,
    "    <properties>",
    ...Object.entries(properties).map(([key, value]) => `      <property${attributes({ name: key, value })}/>`),
    "    </properties>",
    ...cases.flatMap((one) => caseLines(report, name, one)),
    "  </testsuite>",
  ];
}

function caseLines(report: Report, suite: string, one: TestCase): readonly string[] {
  const { name, line, seconds, kind, message, details } = one;
  // Jenkins reads the text before the last dot as a package.
  const classname = `${baseName(report.document)}.${suite}`;
  const location = { file: report.document, ...(line === undefined ? {} : { line }) };
  const open = `    <testcase${attributes({ name, classname, ...location, time: secondsText(seconds) })}`;
  switch (kind) {
    case "holds":
      return [`${open}/>`];
    case "not tried":
      return [`${open}>`, `      <skipped${attributes({ message })}/>`, "    </testcase>"];
    case "broken":
      return [
        `${open}>`,
        `      <failure${attributes({ message, type: "broken" })}>${escaped(details)}</failure>`,
        "    </testcase>",
      ];
  }
}

function testCaseOf(report: Report, { statement, kind, cases }: StatementResult, options: CurlOptions): TestCase {
  const { path, part, span } = statement;
  const broken = cases.filter((one) => one.kind === "broken");
  const reasons = cases.flatMap((one) =>
    one.kind === "not tried" ? [one.remedy === undefined ? one.reason : `${one.reason}; to try: ${one.remedy}`] : [],
  );
  const head = `${locationOf(report, statement)}: ${statementText(report, statement)}`;
  return {
    name: path === part ? part : path.slice(part.length + 1),
    line: span.start.line,
    seconds: secondsOf(cases),
    kind,
    message: kind === "broken" ? broken.map(messageOf).join("; ") : [...new Set(reasons)].join("; "),
    details: [head, ...broken.map((one) => detailsOf(one, statement, options))].join("\n\n"),
  };
}

function testCaseOfCase(result: BrokenResult, options: CurlOptions): TestCase {
  return {
    name: result.id,
    seconds: secondsOf([result]),
    kind: "broken",
    message: messageOf(result),
    details: detailsOf(result, undefined, options),
  };
}

function messageOf({ expected, got }: BrokenResult): string {
  return `expected ${expected}, got ${got}`;
}

function detailsOf(result: BrokenResult, statement: Statement | undefined, options: CurlOptions): string {
  const { id, expected, got, also, interactions } = result;
  return [
    `case:     ${id}`,
    `stated:   ${expectationOf(result, statement)}`,
    `expected: ${expected}`,
    `got:      ${got}`,
    ...(also.length === 0 ? [] : [`also:     ${also.join(", ")}`]),
    "",
    curlLines(interactions, options),
  ].join("\n");
}

function countsOf(cases: readonly TestCase[]): Readonly<Record<string, number>> {
  const counted = (kind: TestCase["kind"]): number => cases.filter((one) => one.kind === kind).length;
  return { tests: cases.length, failures: counted("broken"), errors: 0, skipped: counted("not tried") };
}

function secondsOf(results: readonly CaseResult[]): number {
  const interactions = results.flatMap((one) => (one.kind === "not tried" ? [] : one.interactions));
  return interactions.reduce((sum, { milliseconds }) => sum + milliseconds, 0) / 1000;
}

function secondsText(seconds: number): string {
  return seconds.toFixed(3);
}

/** `parcel-lockers` of `examples/parcel-lockers.md`. */
function baseName(path: string): string {
  const name = path.split(/[\\/]/).at(-1) ?? path;
  return name.replace(/\.[^.]+$/, "");
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(
      ([name, value]) =>
        ` ${name}="${escaped(String(value)).replaceAll(/[\t\n\r]/g, (one) => `&#${one.charCodeAt(0)};`)}"`,
    )
    .join("");
}

/** Escapes a text of an element or an attribute, without the characters that XML 1.0 cannot contain (section 2.2). */
function escaped(text: string): string {
  return (
    text
      .toWellFormed()
      .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "")
      .replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
      // A carriage return in a text would be read as a line feed.
      .replaceAll("\r", "&#13;")
  );
}
