/** Prints findings as workflow commands of GitHub Actions, which shows them at their lines in a pull request. */
import type { Diagnostic, Severity } from "./diagnostic.ts";

const commands: Readonly<Record<Severity, string>> = { error: "error", warning: "warning", hint: "notice" };

/** Prints one line `::error file=…::message` for each finding; `name` is the file's path from the root of the repository. */
export function github(diagnostics: readonly Diagnostic[], name: string): string {
  return diagnostics.map((diagnostic) => `${commandOf(diagnostic, name)}\n`).join("");
}

function commandOf({ code, severity, message, span, why, help }: Diagnostic, name: string): string {
  // GitHub accepts columns only for a finding on one line, counts them from 1 and includes the last one.
  const oneLine = span.start.line === span.end.line;
  const properties = {
    file: name,
    line: String(span.start.line),
    endLine: String(span.end.line),
    ...(oneLine && {
      col: String(span.start.column),
      endColumn: String(Math.max(span.start.column, span.end.column - 1)),
    }),
    title: code,
  };
  const written = Object.entries(properties).map(([key, value]) => `${key}=${escapeProperty(value)}`);
  const text = [message, why, help].filter((part) => part !== undefined).join("\n");
  return `::${commands[severity]} ${written.join(",")}::${escapeText(text)}`;
}

/** Escapes a text like GitHub's own toolkit: in the message line ends, in a property also the characters that end it. */
function escapeText(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function escapeProperty(text: string): string {
  return escapeText(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
