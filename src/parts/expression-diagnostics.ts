/** What is wrong with expressions, as diagnostics at their words: what the type check found, and what SQL cannot say. */
import { readingDeeds } from "./endpoints/model.ts";
import type { Span } from "../base/span.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { sqlProblems } from "../expression/sql.ts";
import type { ExpressionProblem } from "../expression/syntax.ts";
import { parts, type TypedExpression } from "../expression/typed.ts";
import { type Facts, placeOf } from "./facts.ts";
import { within } from "./finding-diagnostic.ts";
import { isStored, own } from "./resources/fields.ts";

export function expressionDiagnostics(facts: Facts): readonly Diagnostic[] {
  const dropped = facts.problems.length === 0 ? new Set() : droppedFields(facts);
  const problems = facts.problems.filter(({ text, problem }) => {
    // The line of the field itself has been reported, so its name is not unknown.
    return !(problem.code === "unknown-name" && dropped.has(text.slice(problem.start, problem.end)));
  });
  return [
    ...problems.map(({ path, text, problem }) => diagnosticFor(facts, path, text, problem)),
    ...sqlPaths(facts).flatMap(([path, text, why]) => {
      const typed = facts.typed.get(path);
      const found = typed === undefined ? [] : sqlProblems(typed);
      return found.map((problem) => ({ ...diagnosticFor(facts, path, text, problem), why }));
    }),
  ];
}

function diagnosticFor(facts: Facts, path: string, text: string, problem: ExpressionProblem): Diagnostic {
  const whole = placeOf(facts.places, `${path}#value`);
  return {
    code: `expression/${problem.code}`,
    severity: "error",
    message: problem.message,
    span: spanOf(whole, text, problem, facts.document.text),
    ...(problem.help === undefined ? {} : { help: problem.help }),
  };
}

/** The words of the problem, where the expression stands in the file as it is; else the whole of it. */
function spanOf(whole: Span, text: string, { start, end }: ExpressionProblem, file: string): Span {
  const written = file.slice(whole.start.offset, whole.end.offset);
  const at = written.indexOf(text);
  if (at < 0 || written.slice(0, at + end).includes("\n")) return whole;
  return within(whole, at + start, at + Math.max(end, start + 1));
}

/** Fields that stand in the document and that no reader understood; those that are said to be open are not among them. */
function droppedFields({ model, places, gaps }: Facts): ReadonlySet<string> {
  const names = new Set<string>();
  // Most places are of something else, so a path is not taken apart before it is known to be a field's.
  for (const path of places.keys()) {
    if (!isFieldPath(path) || gaps.has(path)) continue;
    const [, resource = "", field = ""] = path.split("/");
    const fields = own(model.resources.resources, resource)?.fields;
    const name = field.replace(/\?$/, "");
    if (fields !== undefined && !Object.hasOwn(fields, name)) names.add(name);
  }
  return names;
}

const part = "resources/";

/** Whether a path is `resources/Resource/field`, the whole of its line. */
function isFieldPath(path: string): boolean {
  if (!path.startsWith(part)) return false;
  const slash = path.indexOf("/", part.length);
  return slash > 0 && slash < path.length - 1 && !path.includes("/", slash + 1);
}

type SqlPath = readonly [path: string, text: string, why: string];

/** The expressions that are asked of many records at once, and so in SQL. */
function sqlPaths({ model, endpoints, typed }: Facts): readonly SqlPath[] {
  const list = "A list asks it of all records at once, inside the database.";
  const owned = Object.entries(model.authentication.own).map(([name, text]): SqlPath => {
    return [`authentication/own/${name}`, text, list];
  });
  const allowed = Object.entries(model.authentication.allow).flatMap(([operation, grants]) => {
    const meaning = endpoints.get(operation);
    const reads = meaning?.kind === "resource" && readingDeeds.has(meaning.deed);
    return grants.flatMap(({ if: text }, index): SqlPath[] =>
      reads && text !== undefined && text !== "own"
        ? [[`authentication/allow/${operation}/${index}/if`, text, list]]
        : [],
    );
  });
  const shown = Object.entries(model.authentication.show).flatMap(([field, grants]) =>
    grants.flatMap(({ if: text }, index): SqlPath[] =>
      text === undefined || text === "own" ? [] : [[`authentication/show/${field}/${index}/if`, text, list]],
    ),
  );
  const asked = Object.entries(model.endpoints.endpoints).flatMap(([operation, { choose = {}, where }]) => {
    const at = `endpoints/endpoints/${operation}`;
    const choices = Object.entries(choose).flatMap(([field, { if: text }]): SqlPath[] =>
      text === undefined ? [] : [[`${at}/choose/${field}/if`, text, "The database looks for the record to take."]],
    );
    return where === undefined ? choices : [...choices, [`${at}/where`, where, list] as SqlPath];
  });
  const ruled = Object.entries(model.resources.rules).flatMap(([resource, rules]) =>
    rules.flatMap((rule, index): SqlPath[] => {
      const path = `resources/rules/${resource}/${index}/holds`;
      const expression = typed.get(path);
      if (rule.kind !== "holds" || expression === undefined || !goesThroughRecords(expression)) return [];
      return [[path, rule.expression, "The database evaluates a rule that goes through records."]];
    }),
  );
  // What is stored is worked out when its record is written; the rest, whenever it is read.
  const computed = Object.entries(model.resources.resources).flatMap(([resource, { fields }]) =>
    Object.entries(fields).flatMap(([name, field]): SqlPath[] =>
      field.computed === undefined || isStored(field)
        ? []
        : [
            [
              `resources/${resource}/${name}/computed`,
              field.computed,
              "The database works it out for every record that is read.",
            ],
          ],
    ),
  );
  return [...computed, ...ruled, ...asked, ...owned, ...allowed, ...shown];
}

function goesThroughRecords(expression: TypedExpression): boolean {
  return expression.kind === "records" || parts(expression).some(goesThroughRecords);
}
