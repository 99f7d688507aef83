/** The query parameters that filter a list by its fields: which operators a field has, and how a document names them. */
import type { Model } from "../model.ts";
import { bareType, fieldsOf, isNullable, lifecycleOf, lookup } from "../resources/fields.ts";
import type { Field } from "../resources/model.ts";
import { listStyleOf } from "./list-style.ts";
import type { Operators } from "./model.ts";
import type { ResourceEndpoint } from "./resolve.ts";

export type FilterOperator = keyof Operators;

export interface FilterParameter {
  readonly name: string;
  readonly operator: FilterOperator;
  /** For `in` and `nin`: whether the parameter is repeated for several values, instead of commas between them. */
  readonly repeated?: true;
}

export interface FieldFilter {
  readonly field: string;
  readonly parameters: readonly FilterParameter[];
}

/** The operators that a filter has without a declaration. The others exist only in lists that name their parameters. */
const usual: ReadonlySet<FilterOperator> = new Set(["eq", "in", "gt", "gte", "lt", "lte"]);

/** Returns the filters of a list by fields with the modifier `filter`, except for fields with a filter of the same name. */
export function fieldFilters(model: Model, { endpoint, resource }: ResourceEndpoint): readonly FieldFilter[] {
  const { operators } = listStyleOf(model, endpoint);
  const fields = Object.entries(fieldsOf(model, resource)).filter(([, { marks }]) => marks.includes("filter"));
  const state = lifecycleOf(model, resource) === undefined ? [] : (["state"] as const);
  return [...state, ...fields.map(([name]) => name)]
    .filter((name) => lookup(endpoint.filters ?? {}, name) === undefined)
    .map((name) => ({
      field: name,
      parameters: parametersOf(name, lookup(fieldsOf(model, resource), name), operators),
    }));
}

/** Returns the parameters of a filter by a field; `declared` is undefined for the state. */
export function parametersOf(
  field: string,
  declared: Field | undefined,
  operators: Operators = {},
): readonly FilterParameter[] {
  const parameters = operatorsOf(declared).flatMap((operator): FilterParameter[] => {
    const named = operators[operator];
    if (named === undefined && !usual.has(operator)) return [];
    const { as, several } = typeof named === "object" ? named : { as: named, several: undefined };
    const name = as === undefined ? usualName(field, operator) : as.replace("{field}", () => field);
    const repeated = several === "repeated" ? { repeated: true as const } : {};
    return [{ name, operator, ...repeated }];
  });
  // A parameter for several values also takes one value.
  const several = parameters.find(({ operator }) => operator === "in");
  return parameters.filter((one) => one.operator !== "eq" || one.name !== several?.name);
}

/** Returns the name of a parameter that the document does not name. */
export function usualName(field: string, operator: FilterOperator): string {
  return operator === "eq" ? field : `${field}[${operator}]`;
}

const texts: ReadonlySet<string> = new Set(["string", "text", "email", "url", "phone"]);
const ordered: ReadonlySet<string> = new Set(["integer", "number", "decimal", "datetime", "date", "time"]);

function operatorsOf(field: Field | undefined): readonly FilterOperator[] {
  const type = field && bareType(field.type);
  const name = type?.kind === "scalar" ? type.name : "";
  return [
    "eq",
    "ne",
    "in",
    "nin",
    ...(ordered.has(name) ? (["gt", "gte", "lt", "lte"] as const) : []),
    ...(texts.has(name) ? (["contains", "startsWith"] as const) : []),
    ...(field !== undefined && isNullable(field) ? (["null"] as const) : []),
  ];
}
