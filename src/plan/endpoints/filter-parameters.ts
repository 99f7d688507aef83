/** The query parameters of a planned filter. */
import { usualName } from "../../language/endpoints/filter-parameters.ts";
import type { FilterParameter, FilterPlan } from "./types.ts";

/** Returns the parameters, one for each operator. */
export function parametersOfFilter({ field, operators, parameters }: FilterPlan): readonly FilterParameter[] {
  return parameters ?? operators.map((operator) => ({ name: usualName(field, operator), operator }));
}
