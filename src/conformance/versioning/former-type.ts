/** Values on both sides of the edges of a former type: the older version accepts some of them, and the newer one more. */
import { isImpossible } from "../attempts.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import { bareType } from "../../language/resources/fields.ts";
import type { Field, FieldType } from "../../language/resources/model.ts";
import { fieldAt } from "../../language/versioning/conversions.ts";
import { NotTried } from "../case.ts";
import { anonymous } from "../caller.ts";
import type { Contract } from "../contract.ts";
import { expectError } from "../expect.ts";
import { supplyFor } from "../trial/inputs.ts";
import type { Trial } from "../trial/trial.ts";
import { edgeValues, invalidValues } from "../values/boundaries.ts";
import { problemOf } from "../values/fits.ts";
import { validValue } from "../values/valid.ts";
import { type Entry, subjectOf, targetOf } from "./entry.ts";
import type { Pair } from "./readings.ts";
import { olderField, olderName } from "./steps.ts";
import { accepts, createWith, expectAccepted, putAt } from "./writings.ts";

/** How many values of one type the test sends. */
const mostValues = 4;

/** Returns values of a field that do not have its former type: those first that are just beyond it. */
export function valuesBeyond(trial: Trial, older: Contract, { type }: Field, was: FieldType): readonly Json[] {
  const supply = supplyFor(trial, anonymous);
  const near = invalidValues(older, was, supply).flatMap(({ stated, value }) => (stated ? [value] : []));
  const others = Array.from({ length: 40 }, () => validValue(trial.contract, type, supply) ?? null);
  const isBeyond = (value: Json): boolean =>
    value !== null &&
    problemOf(trial.contract, type, value, "input") === undefined &&
    problemOf(older, was, value, "input") !== undefined;
  return [...near, ...others].filter(isBeyond).slice(0, mostValues);
}

/** What only the newer version accepts, the older one rejects. */
export async function rejectedByOlder(entry: Entry, pair: Pair): Promise<void> {
  const { older } = pair;
  const { name, resource, was } = fieldIn(entry, pair);
  for (const wrong of wrongValues(entry, pair, was)) {
    const change = (body: JsonObject): JsonObject => putAt(body, [name], wrong) as JsonObject;
    const { interaction } = await createWith(older, resource, change);
    expectError(older, interaction, { code: "invalid-request", status: 422 }, entry.path);
  }
}

/** Values at the edges of the former type are accepted in the older version. */
export async function acceptedByOlder(entry: Entry, pair: Pair): Promise<void> {
  const { older } = pair;
  const { name, resource, was } = fieldIn(entry, pair);
  const edges = edgeValues(older.contract, was.type, supplyFor(older, anonymous)).filter(({ stated }) => stated);
  if (edges.length === 0) throw new NotTried("the former type has no edges");
  let problem: NotTried | undefined;
  for (const { value } of edges.slice(0, mostValues)) {
    const change = (body: JsonObject): JsonObject => putAt(body, [name], value) as JsonObject;
    const { interaction } = await createWith(older, resource, change);
    try {
      expectAccepted(older, interaction, subjectOf(entry), true);
    } catch (thrown) {
      if (!isImpossible(thrown)) throw thrown;
      problem = thrown;
    }
  }
  if (problem !== undefined) throw problem;
}

/** Returns the field that a creation of the older version takes. */
function fieldIn(
  { change, step }: Entry,
  { older }: Pair,
): { readonly name: string; readonly resource: string; readonly was: Field } {
  const { of, field } = targetOf(change);
  const name = olderField(step, { of, field }) ?? field;
  const resource = olderName(step, of);
  const was = fieldAt(older.contract.model, { of: resource, field: name });
  if (was === undefined || !accepts(older, resource, name))
    throw new NotTried(`no creation of version ${step.older} takes \`${name}\``);
  return { name, resource, was };
}

/** Returns values that only the newer version accepts; undefined for none at all. */
function wrongValues({ change }: Entry, { newer, older }: Pair, was: Field): readonly (Json | undefined)[] {
  if (change.kind === "add-value") {
    const bare = bareType(was.type);
    if (bare.kind === "one-of" && !bare.open && !bare.values.includes(change.value)) return [change.value];
    throw new NotTried("the older version accepts other values");
  }
  if (change.kind !== "relax") throw new NotTried("nothing is rejected");
  if (change.was === undefined) {
    if (was.optional || was.default !== undefined) throw new NotTried("the older version does not require the field");
    return [undefined];
  }
  const now = fieldAt(newer.contract.model, change.target);
  const values = now === undefined ? [] : valuesBeyond(newer, older.contract, now, was.type);
  if (values.length === 0) throw new NotTried("the test finds no value that the older version does not know");
  return values;
}
