/**
 * Formats a test run: a line for each file, then every failure in full, then the skipped tests with their reasons, then one line
 * of totals. Prints the output of a file only if the file failed.
 */
import { readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import type { EventData } from "node:test";
import type { TestEvent } from "node:test/reporters";
import { inspect, styleText } from "node:util";
import { reportResults } from "./results.ts";

type TestFail = EventData.TestFail;

/** A reporter for `node --test`. A run without any test counts as one failure, since its pattern is probably wrong. */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const failures: TestFail[] = [];
  const leftOut: string[] = [];
  const printed = new Map<string, string>();
  /** The counts of the current file of a queue; events of one process are contiguous. */
  let counts = { passed: 0, failed: 0 };
  const unreported = new Set(filesOfQueue());

  for await (const { type, data } of events) {
    if ((type === "test:pass" || type === "test:fail") && data.details.type !== "suite") {
      if (type === "test:fail" || data.skip === undefined || data.skip === false)
        counts[type === "test:pass" ? "passed" : "failed"] += 1;
    } else if ((type === "test:pass" || type === "test:fail") && isOfQueue(data)) {
      yield fileLine(data.name, counts, data.details.duration_ms, type === "test:pass");
      counts = { passed: 0, failed: 0 };
      unreported.delete(data.name);
      const [queue] = [...printed.keys()].filter((file) => file.endsWith(".mjs"));
      if (queue !== undefined && type === "test:fail") printed.set(resolve(data.name), printed.get(queue) ?? "");
      if (queue !== undefined) printed.delete(queue);
    }
    if (type === "test:stdout" || type === "test:stderr") {
      printed.set(data.file ?? "", (printed.get(data.file ?? "") ?? "") + data.message);
    } else if (type === "test:pass" && data.skip !== undefined && data.skip !== false) {
      leftOut.push(
        `${place(data)} ${data.name}: ${typeof data.skip === "string" && data.skip !== "" ? data.skip : "no reason given"}`,
      );
    } else if (type === "test:fail" && !failedOnlyBelow(data)) {
      failures.push(data);
    } else if (type === "test:summary" && data.file !== undefined) {
      const { counts: all, duration_ms, success } = data;
      const failed = all.tests - all.passed - all.skipped - all.todo;
      if (!data.file.endsWith(".mjs")) yield fileLine(shown(data.file), { passed: all.passed, failed }, duration_ms, success); // biome-ignore format: one
    } else if (type === "test:summary") {
      for (const failure of failures) yield failureText(failure);
      for (const file of new Set(failures.map((failure) => failure.file ?? ""))) {
        const output = printed.get(file);
        if (output !== undefined) yield `\n${styleText("bold", `printed by ${shown(file)}`)}\n${output}`;
      }
      for (const file of unreported)
        yield `${styleText("red", "✗")} ${file} ${styleText("dim", "never reported that it ended")}\n`;
      for (const line of leftOut) yield `${styleText("yellow", "left out")} ${line}\n`;
      yield totalLine(data, [...failures.map(headline), ...unreported]);
    }
  }
}

/** The files of the queue: those that a crashed process claimed are unreported, and count as failures. */
function filesOfQueue(): readonly string[] {
  const folder = process.env["NONET_TEST_QUEUE"];
  return folder === undefined ? [] : readFileSync(join(folder, "files"), "utf8").split("\n");
}

/** Whether the event is about a file of the shared queue (`scripts/test-queue.ts`). */
function isOfQueue({ nesting, file }: EventData.TestPass | TestFail): boolean {
  return nesting === 0 && file?.endsWith("test-queue.ts") === true;
}

interface Counts {
  readonly passed: number;
  readonly failed: number;
}

function fileLine(file: string, { passed, failed }: Counts, milliseconds: number, success: boolean): string {
  const mark = success ? styleText("green", "✓") : styleText("red", "✗");
  const result = failed > 0 ? `${passed} passed, ${failed} failed` : `${passed} passed`;
  return `${mark} ${file} ${styleText("dim", `${result}, ${seconds(milliseconds)}`)}\n`;
}

/** `failures`: a line for each failed test, then each file that never ended. */
function totalLine({ counts, duration_ms, success }: EventData.TestSummary, failures: readonly string[]): string {
  const { passed, skipped, todo } = counts;
  // A run can fail without a failed test, for example if a suite's hook throws.
  const failed = Math.max(failures.length, counts.tests - passed - skipped - todo, success && counts.tests > 0 ? 0 : 1);
  if (failed > 0) process.exitCode = 1;
  reportResults({ passed, failed, failures });
  const others = skipped + todo > 0 ? `, ${skipped + todo} left out` : "";
  const nothing = counts.tests === 0 ? "No test was found.\n" : "";
  return `\n${nothing}${passed} passed, ${failed} failed${others} in ${seconds(duration_ms)}\n`;
}

function failureText(failure: TestFail): string {
  const cause = failure.details.error.cause ?? failure.details.error;
  const lines = inspect(cause, { colors: process.stdout.hasColors?.() ?? false }).split("\n");
  // Stack frames of the test runner do not help.
  const text = lines.filter((line) => !/^\s+at .*\bnode:internal\//.test(line)).join("\n");
  return `\n${styleText("red", "✗")} ${styleText("bold", failure.name)} ${place(failure)}\n${text}\n`;
}

/** The failure on one line: place, name and the first line of its reason. */
function headline(failure: TestFail): string {
  const [reason = ""] = inspect(failure.details.error.cause ?? failure.details.error).split("\n");
  return `${place(failure)} ${failure.name}: ${reason}`.slice(0, 300);
}

/** Whether a parent failed only because a subtest failed; the subtest has its own report. */
function failedOnlyBelow({ details }: TestFail): boolean {
  return "failureType" in details.error && details.error.failureType === "subtestsFailed";
}

function place({ file, line }: { readonly file?: string | undefined; readonly line?: number | undefined }): string {
  return styleText("dim", file === undefined ? "" : `${shown(file)}${line === undefined ? "" : `:${line}`}`);
}

function shown(file: string): string {
  return relative(process.cwd(), file);
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
