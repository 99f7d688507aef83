/** Values that may make a condition true or false: those beside the constants in it, and others by type. */
import { withArticle } from "../../base/case.ts";
import { unixTimeOf } from "../../base/unix-time.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import { mentions, nodesOf, type TypedExpression } from "../../expression/typed.ts";
import type { InputMember } from "../../language/endpoints/input.ts";
import { bareType, isNullable, referenceOf } from "../../language/resources/fields.ts";
import type { FieldType } from "../../language/resources/model.ts";
import { NotTried } from "../case.ts";
import type { KnownRecord } from "../trial/known.ts";
import { readId } from "../trial/looking.ts";
import type { Trial } from "../trial/trial.ts";
import { edgeValues } from "../values/boundaries.ts";
import { problemOf } from "../values/fits.ts";
import { isSameJson } from "../values/same.ts";
import { validValue } from "../values/valid.ts";
import { creationsOf, supplyFor, type Write } from "./writing.ts";

/** Longer lists and texts are not made. */
const mostItems = 60;

/** Returns values of a member, each of them valid; undefined: the member is left out. */
export async function candidatesFor(
  trial: Trial,
  { field, name, required }: InputMember,
  condition: TypedExpression | undefined,
  { called, kind }: Pick<Write, "called" | "kind">,
): Promise<readonly (Json | undefined)[]> {
  const { contract } = trial;
  const constants = condition === undefined ? [] : constantsOf(condition);
  const supply = await supplyFor(trial, field.type);
  const usual = [1, 2, 3].flatMap(() => validValue(contract, field.type, supply) ?? []);
  const edges = edgeValues(contract, field.type, supply).flatMap(({ value }) =>
    JSON.stringify(value).length < 500 ? [value] : [],
  );
  const nextTo = constants.flatMap((constant) => constantOperand(trial, field.type, constant));
  const references = await referencesFor(trial, field.type);
  const known =
    condition !== undefined && mentions(condition, "records") ? knownValues(trial, called.resource, name) : [];
  const found: (Json | undefined)[] = [];
  for (const value of [...nextTo, ...edges, ...usual, ...references, ...known]) {
    if (problemOf(contract, field.type, value, "input") !== undefined) continue;
    if (!found.some((one) => isSameJson(one, value))) found.push(value);
  }
  if (isNullable(field) && (kind === "change" || field.type.kind === "nullable") && !found.includes(null))
    found.push(null);
  if (!required) found.push(undefined);
  return found;
}

/** How many of the records that the test knows a new one is compared with. */
const mostKnown = 3;

/** Returns the values of the last records of a resource, which a rule may compare with those of a new one. */
function knownValues({ world }: Trial, resource: string, name: string): readonly Json[] {
  const last = world.records.filter((one) => one.resource === resource && !one.isDeleted).slice(-mostKnown);
  return last.flatMap(({ values }) => values.get(name) ?? []);
}

/** Returns values of a member equal or next to those of the other members, with which a rule may compare it. */
export function nextToOthers(trial: Trial, { field, name }: InputMember, others: JsonObject): readonly Json[] {
  const found = Object.entries(others).flatMap(([other, value]) =>
    other === name || typeof value === "boolean" ? [] : constantOperand(trial, field.type, value),
  );
  return found.filter((value) => problemOf(trial.contract, field.type, value, "input") === undefined);
}

function constantsOf(condition: TypedExpression): readonly Json[] {
  const found = nodesOf(condition).flatMap((node) =>
    node.kind === "constant" && node.value !== null ? [node.value] : [],
  );
  return [...new Set(found)];
}

function constantOperand({ random }: Trial, type: FieldType, constant: Json): readonly Json[] {
  const bare = bareType(type);
  if (typeof constant === "boolean") return [constant];
  if (bare.kind === "scalar" && bare.name === "datetime" && typeof constant === "string") {
    const time = Date.parse(constant);
    const near = Number.isNaN(time) ? [] : [0, 1000, -1000].map((step) => new Date(time + step).toISOString());
    const { unix } = bare;
    return unix === undefined ? near : near.map((one) => unixTimeOf(one, unix));
  }
  // A unique text must differ from those of other records.
  if (typeof constant === "string") return [constant, `${constant}${random.text(8)}`, constant.toUpperCase()];
  if (typeof constant !== "number") return [];
  if (bare.kind === "scalar" && ["integer", "number", "decimal"].includes(bare.name)) {
    const step = bare.name === "integer" ? 1 : 0.1;
    return [constant, constant + step, constant - step].map((value) => Number(value.toFixed(6)));
  }
  if (!Number.isInteger(constant) || constant < 0 || constant > mostItems) return [];
  const lengths = [constant, constant + 1, Math.max(constant - 1, 0)];
  if (bare.kind === "scalar") return lengths.map((length) => random.text(length));
  return [];
}

/** Returns ids of records that refer to other records than the usual ones. */
async function referencesFor(trial: Trial, type: FieldType): Promise<readonly Json[]> {
  const resource = referenceOf(trial.contract.model, type);
  if (resource === undefined) return [];
  const [caller] = await trial.callers();
  if (caller === undefined) return [];
  const usual = await trial.reference(resource, caller);
  const records = [usual, await makeApart(trial, resource)];
  const ids: (Json | undefined)[] = [];
  for (const record of records) ids.push(await readId(trial, record));
  return ids.filter((id) => id !== undefined);
}

/** How far the test follows references. */
const mostDepth = 3;

/** Makes a record that refers to records of its own. */
export async function makeApart(trial: Trial, resource: string, depth = 0): Promise<KnownRecord> {
  const { contract } = trial;
  const [creation] = creationsOf(contract, resource);
  if (creation === undefined) throw new NotTried(`no operation creates ${withArticle(resource)}`);
  const values: Record<string, Json> = {};
  for (const { name, field } of depth < mostDepth ? creation.members : []) {
    const of = referenceOf(contract.model, field.type);
    if (of === undefined || of === resource || field.optional) continue;
    const id = await readId(trial, await makeApart(trial, of, depth + 1));
    if (id !== undefined) values[name] = id;
  }
  return trial.make(resource, { values });
}

/** Returns how far two values are apart, so that the test can prefer those next to each other. */
export function distance(one: Json | undefined, other: Json | undefined): number {
  if (typeof one === "number" && typeof other === "number") return Math.abs(one - other);
  return typeof one === typeof other ? 1e6 : 1e7;
}
