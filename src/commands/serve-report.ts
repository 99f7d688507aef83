/** What `serve` prints when it starts: where, what, by whom, what was taken and what is open. */
import type { Grant } from "../parts/authentication/model.ts";
import type { Operation } from "../plan/plan.ts";
import type { Loaded } from "./serve.ts";

export function describe({ result, plan, data }: Loaded, url: string): string {
  const { allow } = result.model.authentication;
  const operations = plan.operations.map((operation) => [
    `${operation.method} ${operation.template}`,
    operation.name,
    (allow[operation.name] ?? []).map(grantText).join(" | "),
  ]);
  const taken = result.questions.filter(({ status }) => status === "default");
  const open = result.questions.filter(({ status }) => status === "not shown" || status === "silent");
  return [
    `${plan.title} at ${url}`,
    `  data: ${data}; document: ${url}/; OpenAPI: ${url}/openapi.json`,
    "",
    ...section("Operations, and who may run them", columns(operations)),
    ...section(
      "Taken by default",
      taken.map(({ part, id, taken: value }) => `${part}: ${id}${value === undefined ? "" : `: ${value}`}`),
    ),
    ...section(
      "Still open",
      open.map(({ part, text }) => `${part}: ${text}`),
    ),
    ...section(
      "Not enforced yet by this release",
      plan.unenforced.map(({ line, what }) => `line ${line}: ${what}`),
    ),
  ].join("\n");
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`), ""];
}

function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => (row[at] ?? "").length)));
  return rows.map((row) =>
    row.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd((widths[at] ?? 0) + 2))).join(""),
  );
}

/** As the document writes it. */
export function grantText({ who, if: condition }: Grant): string {
  const name = who.kind === "role" ? who.role : who.kind;
  return condition === undefined ? name : `${name} if ${condition}`;
}

/** The path of an operation with sample values, for a command line. */
export function pathOf(operation: Operation, values: Readonly<Record<string, string>>): string {
  return `/${operation.path.map((segment) => (segment.kind === "literal" ? segment.text : (values[segment.name] ?? segment.name))).join("/")}`;
}
