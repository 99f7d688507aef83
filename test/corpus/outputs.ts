/** All exports and other outputs of a document without serving it, each as one text. */
import { concluded } from "../../src/contracts/check.ts";
import { compare } from "../../src/diff/compare.ts";
import { findingsOf } from "../../src/diff/findings.ts";
import { markdownOf } from "../../src/diff/markdown.ts";
import { printDiagnostic } from "../../src/diagnostics/text.ts";
import { diagnosticJson } from "../../src/diagnostics/json.ts";
import { asyncapi } from "../../src/export/asyncapi/asyncapi.ts";
import { jsonSchema } from "../../src/export/json-schema.ts";
import { markdown } from "../../src/export/markdown/markdown.ts";
import { diagrams, mermaidMarkdown } from "../../src/export/mermaid/mermaid.ts";
import { openapi } from "../../src/export/openapi/openapi.ts";
import { functionTypes } from "../../src/export/typescript/functions.ts";
import { typescript } from "../../src/cli/export.ts";
import { check, type CheckResult, examine } from "../../src/language/check.ts";
import { partNames } from "../../src/language/model.ts";
import { printData, printModel } from "../../src/language/print.ts";
import { buildPlan } from "../../src/plan/build.ts";
import type { Plan } from "../../src/plan/plan.ts";
import { type CorpusDocument, type documents, findings } from "./documents.ts";

export const baseUrl = "http://service.example";
const today = "2026-11-22";

export interface Output {
  readonly document: string;
  /** `openapi`, `openapi 2026-03-01` */
  readonly name: string;
  readonly text: string;
}

const client = await typescript();

/** Of a document that can be served. */
export function* outputsOf({ name, text }: CorpusDocument): Iterable<Output> {
  const output = (what: string, made: string): Output => ({ document: name, name: what, text: made });
  const result = check(`${name}.md`, text);
  yield output("diagnostics", diagnosticsText(result));
  yield output("questions", json(result.questions));
  yield output("model", printModel(result.model));
  yield output("data", printData(result.model));
  const plan = buildPlan(result.model, result.places, result.expressions);
  yield output("plan", json(withoutNames(plan)));
  yield output("json-schema", json(jsonSchema(plan, result.model, baseUrl)));
  yield output("markdown", markdown(plan, result.model, baseUrl));
  yield output("mermaid", mermaidMarkdown(plan, diagrams(plan, result.model)));
  yield output("typescript", client(plan));
  yield output("types", functionTypes(plan));
  for (const [version, one] of versionsOf(plan)) {
    yield output(`openapi${version}`, json(openapi(one, baseUrl)));
    yield output(`asyncapi${version}`, json(asyncapi(one, baseUrl)));
  }
}

/** Each document compared with the next one, which has little in common with it: nearly every kind of difference is in it. */
export function* differencesBetween(all: typeof documents): Iterable<Output> {
  for (const [index, { name, text }] of all.entries()) {
    const other = all[(index + 1) % all.length] as CorpusDocument;
    const [old, now] = [check(name, text), check(other.name, other.text)];
    const comparison = compare(old.model, now.model, today);
    const found = findingsOf(comparison, now.places);
    yield { document: name, name: "diff", text: json({ ...comparison, versioning: undefined }) };
    yield { document: name, name: "changelog", text: markdownOf(comparison, new Set()) };
    yield { document: name, name: "diff findings", text: [...found.keys()].map(shown).join("\n") };
  }
}

/** What is found in the examples of each check's page. */
export function* findingOutputs(): Iterable<Output> {
  for (const { language, name, old, text } of findings) {
    const inputOf = (said: string): string => (language === "yaml" ? completed(said) : said);
    const comparing = old === undefined ? undefined : check("old.yaml", inputOf(old)).model;
    const examined = examine(language === "markdown" ? "example.md" : "example.yaml", inputOf(text));
    const { model, places } = examined.documentIndex;
    const comparison = comparing && [...findingsOf(compare(comparing, model, today), places).keys()];
    const result = concluded(examined, comparison && { comparison });
    yield { document: name, name: "diagnostics", text: diagnosticsText(result) };
  }
}

function diagnosticsText({ diagnostics, summary, text }: CheckResult): string {
  return [
    ...diagnostics.map((one) => printDiagnostic(one, { name: "document", text })),
    json(diagnostics.map(diagnosticJson)),
    json(summary),
  ].join("\n");
}

function shown({ code, message, severity, span }: CheckResult["diagnostics"][number]): string {
  return `${span.start.line}:${span.start.column} ${severity} ${code}: ${message}`;
}

/** A fragment as a whole document: what it leaves out is not shown. */
function completed(text: string): string {
  const left = partNames.filter((part) => !new RegExp(`^"?${part}"?:`, "m").test(text));
  return text + left.map((part) => `${part}: not shown\n`).join("");
}

function versionsOf(plan: Plan): readonly (readonly [string, Plan])[] {
  const { versions } = plan;
  const older = (versions?.list ?? []).flatMap(({ name, older: one }): [string, Plan][] =>
    one === undefined ? [] : [[` ${name}`, { ...one.received, ...(versions === undefined ? {} : { versions }) }]],
  );
  return [["", plan], ...older];
}

/** Lists in the place of objects: what a member of the plan is called is nobody's business but the code's. */
function withoutNames(value: unknown): unknown {
  if (value instanceof Map) return [...value].map(withoutNames);
  if (value instanceof Set) return [...value].map(withoutNames);
  if (value instanceof RegExp || typeof value !== "object" || value === null) return value;
  return Object.values(value)
    .filter((one) => one !== undefined)
    .map(withoutNames);
}

/** Maps and sets as lists of what is in them, in their order; members in theirs. */
function json(value: unknown): string {
  const plain = (_: string, one: unknown): unknown => {
    if (one instanceof Map) return { map: [...one] };
    if (one instanceof Set) return { set: [...one] };
    if (one instanceof RegExp) return String(one);
    return typeof one === "bigint" ? `${one}n` : one;
  };
  return `${JSON.stringify(value, plain, 1)}\n`;
}
