/**
 * Values at the edges of what a type allows, and values one step outside. Each is compared with the type before it is returned, so that
 * no valid value is ever sent as an invalid one.
 */
import { fragmentSegment } from "../../base/json-pointer.ts";
import type { FieldType } from "../../language/resources/model.ts";
import type { Contract } from "../contract.ts";
import { type Edge, edgesAt } from "./edges.ts";
import { problemsOf } from "./fits.ts";
import { type Mistake, mistakesAt } from "./mistakes.ts";
import { type Scope, type Spot, spotsOf } from "./spots.ts";
import type { Supply } from "./valid.ts";

export interface InvalidValue extends Edge {
  /** The codes of the entries of `errors` that Nonet has for the value: one of them, or several. */
  readonly codes: readonly string[];
  /** The part that is wrong, to be put behind the pointer to the value: `/0/street`, or nothing for the value itself. */
  readonly pointer: string;
  /** Whether a merge patch with the value means something else, so that it is invalid only in a complete body. */
  readonly completeOnly: boolean;
  /** The error that the request gets, if it is not `invalid-request`. */
  readonly error?: string;
}

export function edgeValues(contract: Contract, type: FieldType, supply: Supply): readonly Edge[] {
  const scope: Scope = { contract, supply };
  const found = new Map<string, Edge>();
  for (const spot of spotsOf(scope, type)) {
    for (const edge of edgesAt(scope, spot)) {
      const value = spot.put(edge.value);
      if (value === undefined || problemsOf(contract, type, value, "input").length > 0) continue;
      const key = edge.what + locationOf(spot);
      // The same value may be at two edges, of which the document writes one.
      if (found.get(key)?.stated !== true) found.set(key, { what: key, value, stated: edge.stated });
    }
  }
  return [...found.values()];
}

export function invalidValues(contract: Contract, type: FieldType, supply: Supply): readonly InvalidValue[] {
  const scope: Scope = { contract, supply };
  const found = new Map<string, InvalidValue>();
  for (const spot of spotsOf(scope, type)) {
    for (const mistake of mistakesAt(scope, spot)) {
      const key = mistake.what + locationOf(spot);
      if (found.has(key)) continue;
      const invalid = verified(scope, type, spot, mistake);
      if (invalid !== undefined) found.set(key, { what: key, ...invalid });
    }
  }
  return [...found.values()];
}

/** Compares a value with the type; undefined unless it is wrong exactly where it should be, and for that reason. */
function verified(
  { contract }: Scope,
  type: FieldType,
  spot: Spot,
  mistake: Mistake,
): Omit<InvalidValue, "what"> | undefined {
  const value = spot.put(mistake.value);
  if (value === undefined) return undefined;
  const { member } = mistake;
  const path = [...spot.path, ...(member === undefined ? [] : [member])];
  const problems = problemsOf(contract, type, value, "input");
  const here = problems.filter((problem) => isSamePath(problem.path, path));
  if (!here.some(({ code }) => code === mistake.code)) return undefined;
  // A mistake may violate several branches of a schema, some of them at other values.
  if (here.length < problems.length && spot.keywords === undefined) return undefined;
  return {
    value,
    codes: [...new Set([...problems.map(({ code }) => code), ...(mistake.codes ?? [])])],
    pointer: path.map((step) => `/${fragmentSegment(step)}`).join(""),
    stated: mistake.stated ?? here.some((problem) => problem.stated),
    completeOnly: mistake.completeOnly === true && !spot.inList,
    ...(mistake.error === undefined ? {} : { error: mistake.error }),
  };
}

function isSamePath(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((step, index) => step === other[index]);
}

function locationOf({ path }: Spot): string {
  return path.length === 0 ? "" : ` at ${path.join("/")}`;
}
