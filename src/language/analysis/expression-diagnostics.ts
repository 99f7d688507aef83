/** Reports the problems of expressions as diagnostics: those of the type check, and expressions that SQL cannot evaluate. */
import { readingActions } from "../endpoints/model.ts";
import { defined } from "../../base/defined.ts";
import type { Span } from "../../base/span.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { sqlProblems } from "../../expression/sql.ts";
import type { ExpressionProblem } from "../../expression/syntax.ts";
import { mentions, parts, type TypedExpression } from "../../expression/typed.ts";
import { type DocumentIndex, locationOf } from "./document-index.ts";
import { subSpan } from "./finding-diagnostic.ts";
import { isStored, lookup } from "../resources/fields.ts";
import { namedTypes } from "../resources/type-names.ts";

export function expressionDiagnostics(documentIndex: DocumentIndex): readonly Diagnostic[] {
  const dropped = documentIndex.problems.length === 0 ? new Set() : droppedFields(documentIndex);
  const problems = documentIndex.problems.filter(({ text, problem }) => {
    // The name is a field whose own line has a finding already, so the name is not reported as unknown.
    return !(problem.code === "unknown-name" && dropped.has(text.slice(problem.start, problem.end)));
  });
  const reported = problems.map(({ path, text, problem }) => diagnosticFor(documentIndex, path, text, problem));
  // A value of an unknown type cannot be queried in SQL, but the unknown type is reported already.
  if (namesUnknownType(documentIndex)) return reported;
  return [
    ...reported,
    ...[...documentIndex.typed].flatMap(([path, typed]) => {
      const text = defined(documentIndex.texts.get(path), `the text of ${path}`);
      // For the bare word `own`, the ownership expression is reported where it is declared.
      const why = text === "own" ? undefined : whyInSql(documentIndex, path, typed);
      if (why === undefined) return [];
      return sqlProblems(typed).map((problem) => ({ ...diagnosticFor(documentIndex, path, text, problem), why }));
    }),
  ];
}

function namesUnknownType({ model }: DocumentIndex): boolean {
  const { resources, schemas = {}, types, views = {} } = model.resources;
  return namedTypes(model).some(
    ({ name }) => ![resources, schemas, types, views].some((all) => Object.hasOwn(all, name)),
  );
}

function diagnosticFor(
  documentIndex: DocumentIndex,
  path: string,
  text: string,
  problem: ExpressionProblem,
): Diagnostic {
  const valueSpan = locationOf(documentIndex.places, `${path}#value`);
  return {
    code: `expression/${problem.code}`,
    severity: "error",
    message: problem.message,
    span: spanOf(valueSpan, text, problem, documentIndex.document.text),
    ...(problem.help === undefined ? {} : { help: problem.help }),
  };
}

/** Returns the span of the problem if the file contains the expression verbatim, else the span of the expression. */
function spanOf(valueSpan: Span, text: string, { start, end }: ExpressionProblem, file: string): Span {
  const written = file.slice(valueSpan.start.offset, valueSpan.end.offset);
  const at = written.indexOf(text);
  if (at < 0 || written.slice(0, at + end).includes("\n")) return valueSpan;
  return subSpan(valueSpan, at + start, at + Math.max(end, start + 1));
}

/** Returns the fields that the document declares but whose types could not be read, without fields that are `not shown`. */
function droppedFields({ model, places, gaps }: DocumentIndex): ReadonlySet<string> {
  const names = new Set<string>();
  // Most paths are not of fields, so the path is split only after this cheap test.
  for (const path of places.keys()) {
    if (!isFieldPath(path) || gaps.has(path)) continue;
    const [, resource = "", field = ""] = path.split("/");
    const fields = lookup(model.resources.resources, resource)?.fields;
    const name = field.replace(/\?$/, "");
    if (fields !== undefined && !Object.hasOwn(fields, name)) names.add(name);
  }
  return names;
}

const part = "resources/";

/** Whether a path has the form `resources/Resource/field`. */
function isFieldPath(path: string): boolean {
  if (!path.startsWith(part)) return false;
  const slash = path.indexOf("/", part.length);
  return slash > 0 && slash < path.length - 1 && !path.includes("/", slash + 1);
}

/**
 * The paths of expressions that the database evaluates, each with the reason. The server evaluates all other expressions over
 * a record that it has loaded, unless they read other records.
 */
const inSql: readonly (readonly [path: RegExp, why: string])[] = [
  [/^authentication\/(?:own|show)\//, "The database evaluates it for all records of a list."],
  [/^resources\/views\/|^endpoints\/endpoints\/[^/]+\/(?:gives|group|headers)\//, "The database builds responses."],
  [/^endpoints\/endpoints\/[^/]+\/(?:choose|the)(?:\/|$)/, "The database searches for the record."],
  [/\/also\/\d+\/where$|^states\/.*\/where$/, "The database selects the records."],
  [/^endpoints\/endpoints\/[^/]+\/(?:where$|filters\/)/, "The database evaluates it for all records of a list."],
];

const computedPath = /^resources\/(?!views\/)([^/]+)\/([^/]+)\/computed$/;
const allowPath = /^authentication\/allow\/([^/]+)\//;

/** Returns why the database evaluates the expression at a path; undefined if the server evaluates it. */
function whyInSql({ endpoints, model }: DocumentIndex, path: string, expression: TypedExpression): string | undefined {
  const [, resource = "", name = ""] = computedPath.exec(path) ?? [];
  const computed = lookup(model.resources.resources, resource)?.fields[name];
  // A stored computed field is computed at each write, any other computed field at each read.
  if (computed !== undefined && !isStored(computed)) return "The database computes it for every record that it reads.";
  const [, operation = ""] = allowPath.exec(path) ?? [];
  const resolved = endpoints.get(operation);
  if (resolved?.kind === "resource" && readingActions.has(resolved.action))
    return "The database evaluates it for all records of a list.";
  // Another check reports a filter whose values have no type.
  if (path.includes("/filters/") && comparesUnknown(expression)) return undefined;
  const found = inSql.find(([pattern]) => pattern.test(path));
  if (found !== undefined) return found[1];
  return mentions(expression, "records") ? "The database evaluates expressions over several records." : undefined;
}

function comparesUnknown(expression: TypedExpression): boolean {
  if (expression.kind === "variable") return expression.type.kind === "any";
  return parts(expression).some(comparesUnknown);
}
