/** Plans custom query parameters: filters of lists, and `input` members of any operation. */
import type { TypedExpression } from "../../expression/typed.ts";
import { filterField, filterNames, filterType, isOneValue } from "../../language/endpoints/filter-type.ts";
import { resolveEndpoint, type ResourceEndpoint } from "../../language/endpoints/resolve.ts";
import { filterScope } from "../../language/analysis/expressions.ts";
import { defaultValue } from "../../language/resources/default-value.ts";
import type { Model } from "../../language/model.ts";
import { bareType } from "../../language/resources/fields.ts";
import type { FieldType, Modifier } from "../../language/resources/model.ts";
import { jsonSchemaOf } from "../../language/resources/json-schema.ts";
import { deprecationOf, withDeprecation } from "../../language/versioning/deprecated.ts";
import { jsonTypeOf } from "../resources/columns.ts";
import { seersOf } from "../authentication/permissions.ts";
import { passedResources } from "./passed-records.ts";
import type { ConditionFilterPlan, QueryPlan } from "./types.ts";
import { assert, placeholder, type PlanInput, typedAt } from "../input.ts";

export function conditionFilters(
  planInput: PlanInput,
  { operation, endpoint, resource }: ResourceEndpoint,
): readonly ConditionFilterPlan[] {
  const { model, older } = planInput;
  const around = filterScope(model, operation);
  return Object.entries(endpoint.filters ?? {}).map(([name, filter]): ConditionFilterPlan => {
    const type = filterType(model, resolveEndpoint(model, operation), name, filter, around);
    // The newest version's filter replaces a filter without a type in an older version (permitted.ts).
    if (type === undefined && older === true)
      return { name, type: "text", schema: {}, condition: placeholder, visibleTo: [] };
    assert(type !== undefined, `nobody knows what \`${name}\` of ${operation} is compared with`);
    const condition = typedAt(planInput, `endpoints/endpoints/${operation}/filters/${name}/if`);
    const passes = passedResources(planInput, condition);
    const field = filterField(model, resource, name, filter, around);
    return {
      name,
      type: jsonTypeOf(model, type),
      ...(type.kind === "list" ? { items: jsonTypeOf(model, type.of) } : {}),
      ...(filter.several === "repeated" ? { repeated: true } : {}),
      schema: withDeprecation(jsonSchemaOf(model, type, "input"), deprecationOf(model, `${operation}.${name}`)),
      ...(field === undefined ? {} : { field }),
      condition: named(condition, Object.keys(filterNames(name, condition, around)), name),
      visibleTo: everywhere(seersOf(planInput, resource, condition)),
      ...(passes.length === 0 ? {} : { passes }),
    };
  });
}

/**
 * Restricts who may use a filter: it reveals its fields in every record, so only callers who see them in all records may use
 * it.
 */
function everywhere(seers: ConditionFilterPlan["visibleTo"]): ConditionFilterPlan["visibleTo"] {
  return seers.map((grants) => grants.filter((grant) => grant.if === undefined));
}

/** Renames the filter's value in its condition to a name that is unique within a request. */
function named(expression: TypedExpression, names: readonly string[], name: string): TypedExpression {
  return replaced(expression, (one) => {
    const isValue = one.kind === "variable" && names.includes(one.path[0] ?? "");
    return isValue ? { ...one, path: ["filter", name, ...one.path.slice(1)] } : one;
  });
}

/** Replaces expressions in plain data, in which every object with `kind` and `at` is an expression. */
function replaced<Value>(value: Value, edit: (one: TypedExpression) => TypedExpression): Value {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((one: unknown) => replaced(one, edit)) as Value;
  const inside = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, replaced(one as unknown, edit)]));
  return ("kind" in inside && "at" in inside ? edit(inside as unknown as TypedExpression) : inside) as Value;
}

export function queryPlans(
  { model }: PlanInput,
  { endpoint }: Pick<ResourceEndpoint, "endpoint">,
): readonly QueryPlan[] {
  return Object.entries(endpoint.query ?? {}).map(([name, field]): QueryPlan => {
    const type = bareType(field.type);
    const value = defaultValue(model, field);
    const schema = withDeprecation(jsonSchemaOf(model, type, "input"), field.deprecated);
    const parts = sentParts(model, type, field.marks);
    return {
      name,
      type: jsonTypeOf(model, type),
      ...(type.kind === "list" ? { items: jsonTypeOf(model, bareType(type.of)) } : {}),
      ...(parts === undefined ? {} : { parts }),
      schema: value === undefined ? schema : { ...schema, default: value },
      required: !field.optional && value === undefined,
      ...(value === undefined ? {} : { default: value }),
    };
  });
}

/** Returns how a request sends the parts of a value; undefined for one text. */
function sentParts(model: Model, type: FieldType, marks: readonly Modifier[]): QueryPlan["parts"] {
  if (type.kind === "list" && !marks.includes("brackets")) return marks.includes("repeated") ? "repeated" : "commas";
  return type.kind === "list" || !isOneValue(model, type) ? "brackets" : undefined;
}
