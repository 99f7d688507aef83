/** `nonet check DOC`: what is wrong, and what is still open. */
import { github } from "../diagnostics/github.ts";
import { diagnosticJson } from "../diagnostics/json.ts";
import { sarif } from "../diagnostics/sarif.ts";
import type { CheckResult } from "../parts/check.ts";
import { checkTable } from "./check-table.ts";
import { checkFile } from "./document.ts";
import { printFindings } from "./findings.ts";
import type { Terminal } from "./terminal.ts";
import { oneOf, onlyDocument, parseOptions } from "./usage.ts";

export async function check(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseOptions(args, {
    strict: { type: "boolean", default: false },
    format: { type: "string", default: "text" },
  });
  const format = oneOf("format", values.format, ["text", "json", "sarif", "github"]);
  const result = await checkFile(onlyDocument(positionals), terminal);
  print[format](result, terminal);
  return result.summary.errors > 0 || (values.strict && result.summary.gaps > 0) ? 1 : 0;
}

const print: Readonly<Record<"text" | "json" | "sarif" | "github", (result: CheckResult, terminal: Terminal) => void>> =
  {
    text(result, terminal) {
      printFindings(result, terminal, (text) => terminal.out(text));
      terminal.out(checkTable(result, terminal));
    },
    json: (result, terminal) => terminal.out(`${JSON.stringify(checkJson(result), null, 2)}\n`),
    sarif: (result, terminal) => terminal.out(`${JSON.stringify(sarif(result.diagnostics, result.name), null, 2)}\n`),
    github: (result, terminal) => terminal.out(github(result.diagnostics, result.name)),
  };

/** The published form of a check; members are only ever added. */
function checkJson({ service, summary, parts, diagnostics }: CheckResult): unknown {
  return {
    service,
    summary,
    parts: parts.map(({ part, status, stated, questions }) => ({
      part,
      status,
      stated,
      questions: questions.map(({ id, status: answer, line }) => ({
        id,
        status: answer,
        ...(line === undefined ? {} : { line }),
      })),
    })),
    diagnostics: diagnostics.map(diagnosticJson),
  };
}
