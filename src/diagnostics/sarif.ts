/** Prints findings as a SARIF 2.1.0 log, the format of code scanning services. */
import type { JsonObject } from "../base/json.ts";
import type { Span } from "../base/span.ts";
import type { Diagnostic, Severity } from "./diagnostic.ts";

/** The description of a code in the log; each code appears once. */
export interface RuleDescription {
  readonly code: string;
  /** What the rule is about, in one sentence. */
  readonly summary: string;
  readonly severity: Severity;
  /** The URL of the rule's page. */
  readonly page?: string;
}

const levels: Readonly<Record<Severity, string>> = { error: "error", warning: "warning", hint: "note" };

/** Returns the log of one run over one file. A code without a description is listed by its code alone. */
export function sarif(
  diagnostics: readonly Diagnostic[],
  name: string,
  rules: readonly RuleDescription[] = [],
  version?: string,
): JsonObject {
  const codes = [...new Set([...rules.map((rule) => rule.code), ...diagnostics.map((found) => found.code)])];
  const described = new Map(rules.map((rule) => [rule.code, rule]));
  const indexes = new Map(codes.map((code, index) => [code, index]));
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "nonet",
            ...(version !== undefined && { semanticVersion: version }),
            rules: codes.map((code) => ruleOf(code, described.get(code))),
          },
        },
        columnKind: "utf16CodeUnits",
        results: diagnostics.map((diagnostic) => resultOf(diagnostic, name, indexes.get(diagnostic.code) ?? -1)),
      },
    ],
  };
}

function ruleOf(code: string, rule: RuleDescription | undefined): JsonObject {
  return {
    id: code,
    ...(rule && {
      shortDescription: { text: rule.summary },
      defaultConfiguration: { level: levels[rule.severity] },
    }),
    ...(rule?.page !== undefined && { helpUri: rule.page }),
  };
}

function resultOf(diagnostic: Diagnostic, name: string, ruleIndex: number): JsonObject {
  const { code, severity, message, span, why, help, fix } = diagnostic;
  const artifactLocation = { uri: addressOf(name) };
  const text = [message, why, help].flatMap((part) => (part === undefined ? [] : [ended(part)])).join(" ");
  return {
    ruleId: code,
    ruleIndex,
    level: levels[severity],
    message: { text },
    locations: [{ physicalLocation: { artifactLocation, region: regionOf(span) } }],
    ...(fix && {
      fixes: [
        {
          description: { text: fix.title },
          artifactChanges: [
            {
              artifactLocation,
              replacements: [{ deletedRegion: regionOf(fix.span), insertedContent: { text: fix.text } }],
            },
          ],
        },
      ],
    }),
  };
}

/** Returns the SARIF region of a span. Like a span's end, SARIF's end column is the one after the last character (3.30.8). */
function regionOf({ start, end }: Span): JsonObject {
  return {
    startLine: start.line,
    startColumn: start.column,
    endLine: end.line,
    endColumn: end.column,
    charOffset: start.offset,
    charLength: end.offset - start.offset,
  };
}

/** Returns a path as a relative reference (3.4.3); an absolute URL stays unchanged. */
function addressOf(name: string): string {
  const path = name.replaceAll("\\", "/").split("/").map(encodeSegment).join("/");
  return /^[A-Za-z]:\//.test(name.replaceAll("\\", "/")) ? `file:///${path}` : path;
}

function encodeSegment(segment: string): string {
  return encodeURIComponent(segment.toWellFormed()).replaceAll("%3A", ":");
}

/**
 * Ends a sentence with a full stop: SARIF has message, reason and help in one text, while other formats use separate lines.
 */
function ended(part: string): string {
  return /[.!?…]$/.test(part) ? part : `${part}.`;
}
