/** Describes what a document declares under a name, in Markdown, for hover texts and completions. */
import { spanIn } from "../document/source.ts";
import { callForms } from "../expression/check.ts";
import { describeType, type FieldType } from "../expression/types.ts";
import { nothingBelow } from "../language/grammar/grammar.ts";
import { grammars } from "../language/grammars.ts";
import { standardErrors } from "../language/errors/model.ts";
import { lookup } from "../language/resources/fields.ts";
import type { Model } from "../language/model.ts";
import { transitionName, type TriggerSource } from "../language/states/model.ts";
import type { Analysis } from "./analysis.ts";
import { declarationsOf, type Name } from "./names.ts";

/** The most characters of a declaration that a description shows. */
const mostPrinted = 600;

/** Returns the description of a name: what it is, its declaration, and facts from other parts. */
export function describe(analysis: Analysis, name: Name): string {
  const owner = name.of === undefined ? "" : `${name.of}.`;
  const source = sourceOf(analysis, name);
  return [
    `**${name.kind}** \`${owner}${name.name}\``,
    ...(source === undefined ? [] : [`\`\`\`yaml\n${source}\n\`\`\``]),
    ...detailsOf(analysis, name),
  ].join("\n\n");
}

/** Returns one line about a name, for a list of completions. */
export function summary({ index: { model } }: Analysis, { kind, name, of }: Name): string {
  if (kind === "operation") return lookup(model.purpose.operations, name) || addressOf(model, name) || "operation";
  if (kind === "state") return stateText(model, of ?? "", name) || `state of ${of}`;
  if (kind === "error") return errorText(model, name) || "error";
  return of === undefined ? kind : `${kind} of ${of}`;
}

/** Describes the type of an expression: `a list of string, may be null`. */
export function typeText({ nullable, type }: FieldType): string {
  return `${describeType(type)}${nullable && type.kind !== "null" ? ", may be null" : ""}`;
}

/** Returns the forms in which a function of expressions is called; undefined if there is none with the name. */
export function formsOf(name: string): readonly string[] | undefined {
  return Object.hasOwn(callForms, name) ? callForms[name as keyof typeof callForms] : undefined;
}

/** Returns the method and path of an operation as clients send it, with the base of the document. */
export function addressOf({ endpoints }: Model, operation: string): string {
  const endpoint = lookup(endpoints.endpoints, operation);
  if (endpoint === undefined) return "";
  const base = endpoints.base?.replace("{base_url}", "").replace(/\/$/, "") ?? "";
  return `${endpoint.method} ${base}${endpoint.path}`;
}

/** Returns who may run an operation, as part 5 declares it; undefined if it does not. */
export function allowedText({ authentication }: Model, operation: string): string | undefined {
  const grants = lookup(authentication.allow, operation);
  if (grants === undefined) return undefined;
  const tree = grammars.authentication.print({ ...authentication, allow: { [operation]: grants } }, nothingBelow);
  const lines = (tree as { readonly allow?: Readonly<Record<string, unknown>> }).allow?.[operation];
  return [lines ?? "none"]
    .flat()
    .map((line) => (typeof line === "string" ? line : JSON.stringify(line)))
    .join(" | ");
}

function sourceOf(analysis: Analysis, name: Name): string | undefined {
  const { index, lines, text } = analysis;
  const [first] = declarationsOf(analysis, name);
  if (first === undefined) return undefined;
  const span = index.places.get(first.at) ?? first.span;
  const start = lines.starts[span.start.line - 1] ?? span.start.offset;
  const indent = /^\s*/.exec(text.slice(start, span.start.offset))?.[0] ?? "";
  const declared = text.slice(span.start.offset, spanIn(lines, 0, span.end.offset).end.offset).trimEnd();
  const printed = declared.length > mostPrinted ? `${declared.slice(0, mostPrinted)}…` : declared;
  return printed.replaceAll(`\n${indent}`, "\n");
}

function detailsOf({ index }: Analysis, { kind, name, of = "" }: Name): readonly string[] {
  const { model } = index;
  switch (kind) {
    case "operation": {
      const allowed = allowedText(model, name);
      const transitions = index.transitionsBy.get(name) ?? [];
      return [
        lookup(model.purpose.operations, name) ?? "",
        addressOf(model, name) && `\`${addressOf(model, name)}\``,
        allowed === undefined ? "" : `Allowed: \`${allowed}\``,
        ...transitions.map(({ resource, transition }) => `${resource}: \`${transitionName(transition)}\``),
      ].filter(Boolean);
    }
    case "resource": {
      const operations = (index.endpointsOf.get(name) ?? []).map(({ operation }) => `\`${operation}\``);
      return operations.length === 0 ? [] : [`Operations: ${operations.join(", ")}`];
    }
    case "state": {
      const transitions = (index.lifeOf.get(of)?.transitions ?? []).filter(
        ({ from, to }) => to === name || from.includes(name),
      );
      return [
        stateText(model, of, name),
        transitions
          .map(({ transition, trigger }) => `- \`${transitionName(transition)}\`: ${triggerText(trigger.on)}`)
          .join("\n"),
      ].filter(Boolean);
    }
    case "error":
      return [errorText(model, name)].filter(Boolean);
    default:
      return [];
  }
}

function stateText({ states }: Model, resource: string, name: string): string {
  const lifecycle = lookup(states, resource);
  return lifecycle === undefined || lifecycle === "none" ? "" : (lookup(lifecycle.states, name) ?? "");
}

function errorText({ errors }: Model, name: string): string {
  const own = lookup(errors.errors, name);
  const standard = lookup(standardErrors, name);
  if (own !== undefined) return `${own.status ?? ""} ${own.sentence ?? ""}`.trim();
  return standard === undefined ? "" : `${standard.status} ${standard.title}`;
}

function triggerText(on: TriggerSource): string {
  switch (on.kind) {
    case "by":
      return `by \`${on.operation}\``;
    case "after":
      return `after \`${on.duration}\``;
    case "at":
      return `at \`${on.field}\``;
    case "when":
      return `when ${on.events.map((event) => `\`${event}\``).join(", ")}`;
  }
}
