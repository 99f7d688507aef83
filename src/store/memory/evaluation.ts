/** Evaluates expressions and views over records in memory, by compiled JavaScript. */
import { onceFor } from "../../base/once.ts";
import { compileFunction, type Value, type Variables } from "../../expression/evaluate.ts";
import type { TypedExpression } from "../../expression/typed.ts";
import type { Condition, Row, View } from "../port/store.ts";
import { type NestedSource, viewWriter, type Write } from "../sql/view-text.ts";
import type { Records } from "./records.ts";

const functionOf = onceFor((expression: TypedExpression) => compileFunction(expression));

export function evaluateIn(records: Records, expression: TypedExpression, record: Row, variables: Variables): Value {
  return functionOf(expression)({
    record,
    variables,
    reference: (resource, id) => records.find(resource, "id", id),
    records: (resource) => records.all(resource),
  });
}

export function holdsIn(records: Records, condition: Condition | undefined, row: Row, variables: Variables): boolean {
  const holds = (one: TypedExpression): boolean => evaluateIn(records, one, row, variables) === true;
  return (condition?.all ?? []).every(holds) && (condition?.any?.some(holds) ?? true);
}

/** Compiles a view over one state of all tables. */
export function viewWriterIn(records: Records, view: View): Write {
  return viewWriter(view, {
    expression: (expression) => (row, variables) => evaluateIn(records, expression, row, variables),
    nested: (source) => nestedWriter(records, source),
  });
}

function nestedWriter(records: Records, source: NestedSource): (row: Row, variables: Variables) => string | null {
  const { expression, kind, view } = source;
  const orId = source.kind === "record" ? source.orId : undefined;
  const condition = source.visible === undefined ? undefined : { any: source.visible };
  const write = viewWriterIn(records, view);
  const recordOf = (value: Value): Row | undefined =>
    typeof value === "object" ? ((value ?? undefined) as Row | undefined) : records.find(view.resource, "id", value);
  return (row, variables) => {
    const value = evaluateIn(records, expression, row, variables);
    if (kind === "record") {
      const record = recordOf(value);
      const isVisible = record !== undefined && holdsIn(records, condition, record, variables);
      if (isVisible) return write(record, variables);
      if (orId === undefined || value === null) return null;
      return JSON.stringify(typeof value === "object" ? record?.["id"] : value);
    }
    if (!Array.isArray(value)) return null;
    // Items that are references to missing records are skipped.
    const texts = (value as readonly Value[]).flatMap((one) => {
      const record = recordOf(one);
      const isVisible = record !== undefined && holdsIn(records, condition, record, variables);
      return isVisible ? [write(record, variables)] : [];
    });
    return `[${texts.join(",")}]`;
  };
}
