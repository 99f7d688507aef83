/**
 * The report as JSON, for programs. The format is stable: later releases only add members. `docs/reference/test-reports.md`
 * describes it.
 */
import type { JsonObject } from "../../base/json.ts";
import { type Interaction, isResponse } from "../interaction.ts";
import type { CaseResult, Report, StatementResult } from "../result.ts";
import { curlLines, type CurlOptions, headerValue } from "./curl.ts";
import { countsOf, reachOf, resultsByPart, statementText } from "./summary.ts";

/** The number of the format; it changes only if a member changes its meaning. */
const format = 1;

export function reportJson(report: Report, options: CurlOptions = {}): JsonObject {
  const { document, title, url, version, seed, startedAt, milliseconds, requests, statements, cases } = report;
  const { operations, failed } = reachOf(report);
  return {
    format,
    document,
    title,
    url,
    ...(version === undefined ? {} : { version }),
    seed,
    startedAt: new Date(startedAt).toISOString(),
    milliseconds,
    requests,
    operations: { all: operations, neverSucceeded: failed },
    summary: {
      ...countsJson(statements),
      parts: resultsByPart(report).map((one) => ({ part: one.part, ...countsJson(one.statements) })),
    },
    statements: statements.map((result) => statementJson(report, result)),
    cases: cases.map((result) => caseJson(result, options)),
  };
}

function countsJson(results: readonly StatementResult[]): JsonObject {
  const counts = countsOf(results);
  return { holds: counts.holds, broken: counts.broken, notTried: counts["not tried"] };
}

function statementJson(report: Report, { statement, kind, cases }: StatementResult): JsonObject {
  const { path, part, span } = statement;
  return {
    path,
    part,
    kind,
    text: statementText(report, statement),
    line: span.start.line,
    column: span.start.column,
    endLine: span.end.line,
    endColumn: span.end.column,
    cases: cases.map(({ id }) => id),
  };
}

function caseJson(result: CaseResult, options: CurlOptions): JsonObject {
  const { id, kind, aspects } = result;
  const common = { id, kind, aspects: aspects.map(({ path, expects }) => ({ path, expects })) };
  switch (result.kind) {
    case "holds":
      return { ...common, requests: result.interactions.length };
    case "not tried":
      return { ...common, reason: result.reason, ...(result.remedy === undefined ? {} : { remedy: result.remedy }) };
    case "broken":
      return {
        ...common,
        expected: result.expected,
        got: result.got,
        also: result.also,
        curl: curlLines(result.interactions, options),
        interactions: result.interactions.map((interaction) => interactionJson(interaction, options)),
      };
  }
}

function interactionJson(interaction: Interaction, options: CurlOptions): JsonObject {
  const { request, response, startedAt, milliseconds, caller, operation } = interaction;
  return {
    caller,
    ...(operation === undefined ? {} : { operation }),
    startedAt: new Date(startedAt).toISOString(),
    milliseconds,
    request: {
      method: request.method,
      url: request.url,
      headers: Object.fromEntries(sentHeaders(interaction, options)),
      ...bodyJson(request.body),
    },
    response: isResponse(response)
      ? { status: response.status, headers: response.headers, body: response.text }
      : { problem: response.problem },
  };
}

/** Returns the header fields of a request, without credentials if the options say so. */
export function sentHeaders(interaction: Interaction, options: CurlOptions): readonly (readonly [string, string])[] {
  return Object.keys(interaction.request.headers).map((name) => {
    const { text, variable = "" } = headerValue(interaction, name, options);
    return [name, text + variable];
  });
}

function bodyJson(body: string | Uint8Array | undefined): JsonObject {
  if (body === undefined) return {};
  return typeof body === "string" ? { body } : { bodyBase64: base64(body) };
}

export function base64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}
