/** Parses the filters of a list: parameters by the fields of its records, and those with a condition (R4.13). */
import { onceFor } from "../../base/once.ts";
import { folded } from "../../base/search.ts";
import type { Value } from "../../expression/evaluate.ts";
import { decide } from "../../language/authentication/decide.ts";
import { parametersOfFilter } from "../../plan/endpoints/filter-parameters.ts";
import { mayPass } from "../../plan/endpoints/passed-records.ts";
import type { FilterOperator, FilterParameter, FilterPlan, ListPlan } from "../../plan/endpoints/types.ts";
import { subjectOf } from "../context/caller.ts";
import type { Call } from "../context/context.ts";
import { malformed } from "../errors/api-error.ts";
import { typedParameter, typedParameters } from "./query.ts";

/** A filter by a field; `text` is what the request sent. */
export interface RequestedFilter {
  readonly column: string;
  readonly operator: FilterOperator;
  readonly value: Value | readonly Value[];
  readonly text: string;
}

/**
 * Returns the value of a filter with a condition; undefined, as for an unknown filter, if the caller may not see a field, or any
 * record of another resource, that the filter reads (R4.13).
 */
export function parseCondition(call: Call, plan: ListPlan, name: string, texts: readonly string[]): Value | undefined {
  const filter = plan.conditions.find((one) => one.name === name);
  const subject = subjectOf(call.caller);
  if (filter === undefined || !filter.visibleTo.every((grants) => decide(grants, subject) === "allowed"))
    return undefined;
  if (!mayPass(filter, subject)) return undefined;
  const validate = call.compiled.filters.get(name);
  const [text = ""] = texts;
  if (filter.items === undefined) return typedParameter(name, text, filter.type, validate, "the filter's type");
  const values = filter.repeated === true ? texts : text.split(",");
  return typedParameters(name, values, filter.items, validate, "the filter's type");
}

interface FilterLookup extends FilterParameter {
  readonly filter: FilterPlan;
}

/** Returns the filters of a list by the name of their parameter. */
const filtersOf = onceFor((plan: ListPlan): ReadonlyMap<string, FilterLookup> => {
  const found = plan.filters.flatMap((filter) =>
    parametersOfFilter(filter).map((parameter) => [parameter.name, { ...parameter, filter }] as const),
  );
  const explicit = found.flatMap(([name, one]) =>
    one.operator === "eq" && name === one.filter.field ? [[`${name}[eq]`, one] as const] : [],
  );
  return new Map([...explicit, ...found]);
});

/** Returns the names of the parameters that a request may repeat. */
export const repeatableOf: (plan: ListPlan) => ReadonlySet<string> = onceFor(
  (plan: ListPlan): ReadonlySet<string> =>
    new Set([
      ...[...filtersOf(plan)].flatMap(([name, { repeated }]) => (repeated === true ? [name] : [])),
      ...plan.conditions.flatMap(({ name, repeated }) => (repeated === true ? [name] : [])),
    ]),
);

/** Returns a filter by a field; undefined if the caller has no such filter. */
export function parseFilter(
  call: Call,
  plan: ListPlan,
  name: string,
  texts: readonly string[],
): Pick<RequestedFilter, "column" | "operator" | "value"> | undefined {
  const found = filtersOf(plan).get(name);
  if (found === undefined || !call.kind.record.readable.has(found.filter.field)) return undefined;
  const { filter, operator } = found;
  const [text = ""] = texts;
  const column = filter.field;
  switch (operator) {
    case "in":
    case "nin": {
      const items = found.repeated === true ? texts : text.split(",");
      const values = valuesOf(call, filter, name, items);
      const [only] = values;
      // A single value is found by an index or a unique column; `in` might not be.
      if (operator === "in" && name === column && values.length === 1)
        return { column, operator: "eq", value: only ?? null };
      return { column, operator, value: values };
    }
    case "contains":
    case "startsWith":
      return { column, operator, value: partOf(name, text) };
    case "null":
      return { column, operator, value: typedParameter(name, text, "boolean", undefined, "the type `boolean`") };
    default:
      return { column, operator, value: typedValue(call, filter, name, text) };
  }
}

const maximumValues = 100;

function valuesOf(call: Call, filter: FilterPlan, name: string, texts: readonly string[]): readonly Value[] {
  if (texts.length > maximumValues) {
    throw malformed({ parameter: name, code: "too-many", detail: `\`${name}\` takes at most ${maximumValues} values` });
  }
  return texts.map((text) => typedValue(call, filter, name, text));
}

const longestPart = 200;

/** Returns a part of a text in the form in which texts are compared: in whatever letter case. */
function partOf(name: string, text: string): string {
  const part = folded(text);
  if (part !== "" && text.length <= longestPart) return part;
  const [code, detail] =
    part === ""
      ? (["no-value", `\`${name}\` needs a value`] as const)
      : (["too-long", `\`${name}\` takes at most ${longestPart} characters`] as const);
  throw malformed({ parameter: name, code, detail });
}

function typedValue(call: Call, filter: FilterPlan, name: string, text: string): Value {
  return typedParameter(name, text, filter.type, call.compiled.filters.get(filter.field));
}
