/** Plans summaries: groups of records, and their measures. */
import type { JsonObject } from "../../base/json.ts";
import type { TypedExpression } from "../../expression/typed.ts";
import { isMoney, type ValueType } from "../../expression/types.ts";
import type { ResourceEndpoint } from "../../language/endpoints/resolve.ts";
import { currencyGroup, measuresOf } from "../../language/endpoints/summary.ts";
import { jsonSchemaOf, orNull } from "../../language/resources/json-schema.ts";
import { columnTypeOfValue, schemaOfExpression, schemaOfValue } from "../resources/columns.ts";
import { seersOf } from "../authentication/permissions.ts";
import type { GroupPlan, MeasurePlan, ResponseMember, SummaryPlan } from "./types.ts";
import { type PlanInput, typedAt } from "../input.ts";

export function summaryPlan(planInput: PlanInput, resolved: ResourceEndpoint): SummaryPlan {
  const { operation, endpoint, resource } = resolved;
  const path = `endpoints/endpoints/${operation}`;
  const visibleTo = (expression: TypedExpression): Pick<GroupPlan, "visibleTo"> => {
    const seers = seersOf(planInput, resource, expression);
    return seers.length === 0 ? {} : { visibleTo: seers };
  };
  const groups = Object.keys(endpoint.group ?? {}).map((name): GroupPlan => {
    const expression = typedAt(planInput, `${path}/group/${name}`);
    return { name, expression, ...visibleTo(expression) };
  });
  const typedGroups = Object.fromEntries(groups.map(({ name, expression }) => [name, expression]));
  const measures = Object.entries(measuresOf(endpoint.gives)).map(([name, measure]): MeasurePlan => {
    if (measure.argument === undefined) return { name, function: measure.function };
    const expression = typedAt(planInput, `${path}/gives/${name}`);
    const currency = isMoney(expression.type) ? currencyGroup(expression, typedGroups) : undefined;
    return {
      name,
      function: measure.function,
      expression,
      ...(currency === undefined ? {} : { currency }),
      ...visibleTo(expression),
    };
  });
  const order = (endpoint.order ?? []).map(({ field, descending }) => ({ name: field, descending }));
  return { groups, measures, order };
}

/** Plans the members of a group, for descriptions of the response. */
export function summaryMembers(planInput: PlanInput, resolved: ResourceEndpoint): readonly ResponseMember[] {
  const { groups, measures } = summaryPlan(planInput, resolved);
  const { model } = planInput;
  const member = (
    { name, visibleTo }: Pick<GroupPlan, "name" | "visibleTo">,
    expression: TypedExpression,
    [schema, nullable]: readonly [JsonObject, boolean],
  ): ResponseMember => {
    const type = columnTypeOfValue(model, expression.type);
    const source = {
      kind: "expression",
      expression,
      type,
      schema: nullable ? orNull(schema) : schema,
      nullable,
    } as const;
    return { name, source, absent: "null", ...(visibleTo === undefined ? {} : { visibleTo }) };
  };
  return [
    ...groups.map((one) => {
      const { expression } = one;
      const form = expression.type.kind === "string" ? expression.type.form : undefined;
      const isDate = form === "date" && expression.kind === "call";
      const schema = isDate ? { type: "string", format: "date" } : undefined;
      const of = { ...expression, nullable: false };
      // A value that some callers may not see is null for them.
      const nullable = expression.nullable || one.visibleTo !== undefined;
      return member(one, expression, [schema ?? schemaOfExpression(model, resolved.resource, of), nullable]);
    }),
    ...measures.map((one) => {
      const expression = one.expression ?? counted;
      const schema = { ...schemaOf(planInput, one), description: describe(one) };
      const isNumber = one.function === "count" || (one.function === "sum" && !isMoney(expression.type));
      const isNever = groups.length === 0 || expression.nullable || one.visibleTo !== undefined;
      return member(one, expression, [schema, !isNumber && isNever]);
    }),
  ];
}

const counted: TypedExpression = {
  kind: "constant",
  at: { start: 0, end: 0 },
  type: { kind: "int" },
  nullable: false,
  value: 0,
};

function schemaOf({ model }: PlanInput, { function: name, expression }: MeasurePlan): JsonObject {
  if (name === "count" || expression === undefined) return { type: "integer", minimum: 0 };
  if (isMoney(expression.type)) return jsonSchemaOf(model, { kind: "scalar", name: "money" });
  const type: ValueType = name === "average" ? { kind: "double" } : expression.type;
  return schemaOfValue(model, type);
}

const words = { count: "The number", sum: "The sum", average: "The average", min: "The smallest", max: "The largest" };

function describe({ function: name, expression }: MeasurePlan): string {
  const what = name === "count" ? (expression === undefined ? "records" : "records with a condition") : "values";
  return name === "min" || name === "max" ? `${words[name]} of the values.` : `${words[name]} of the ${what}.`;
}
