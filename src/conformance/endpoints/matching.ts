/** Makes records with which a condition is true, and others with which it is false, if possible just so. */
import { fieldsIn, nodesOf, type TypedExpression } from "../../expression/typed.ts";
import type { Json } from "../../base/json.ts";
import { inputOf } from "../../language/endpoints/input.ts";
import { lifecycleOf } from "../../language/resources/fields.ts";
import type { Scope } from "../expressions.ts";
import { candidatesFor } from "../resources/candidates.ts";
import { creationsOf } from "../resources/writing.ts";
import { solve } from "../solve.ts";
import type { KnownRecord } from "../trial/known.ts";
import { readId } from "../trial/looking.ts";
import { creatorsOf, type Wish } from "../trial/records.ts";
import type { Trial } from "../trial/trial.ts";
import type { Caller } from "../caller.ts";
import { ifPossible } from "./subjects.ts";

export interface Sample {
  readonly record: KnownRecord;
  readonly isTrue: boolean;
}

export interface Sampling {
  readonly resource: string;
  readonly condition: TypedExpression;
  readonly caller: Caller;
  /** Returns whether the condition is true of the record; undefined if the test does not know. */
  readonly holds: (record: KnownRecord) => boolean | undefined;
  /** What all records have in common. */
  readonly wish?: Wish;
  /** How many records of each kind are enough. */
  readonly most?: number;
  /** Whether those with which the condition is false are made first, as far as the test can choose that. */
  readonly isFalseFirst?: true;
  /** Whether the test also creates the referenced records, with the values that the condition reads through the reference. */
  readonly followsReferences?: true;
  /** What the condition reads; by default what a permission of the caller may read. */
  readonly scope?: Scope;
}

/** How many records the test makes for one condition. */
const mostRecords = 14;

/** Makes records with values next to the constants of the condition, in all states, until there are enough of each kind. */
export async function samplesOf(trial: Trial, sampling: Sampling): Promise<readonly Sample[]> {
  const { resource, caller, holds, wish = {}, most = 3 } = sampling;
  const samples: Sample[] = [];
  const enough = (isTrue: boolean): boolean => samples.filter((one) => one.isTrue === isTrue).length >= most;
  for (const { values, ...special } of (await wishesFor(trial, sampling)).slice(0, mostRecords)) {
    if (enough(true) && enough(false)) break;
    const record = await ifPossible(() =>
      trial.make(resource, { creator: caller, ...wish, ...special, values: { ...values, ...wish.values } }),
    );
    if (record === undefined) continue;
    await trial.look(record);
    const isTrue = holds(record);
    if (isTrue !== undefined && !enough(isTrue)) samples.push({ record, isTrue });
  }
  return samples;
}

type Wished = Pick<Wish, "state" | "values">;

/** Returns what the records may be like: what the condition asks for, the opposite, and what is next to its constants. */
async function wishesFor(
  trial: Trial,
  { resource, condition, caller, isFalseFirst, followsReferences, scope: around = trial.scope(caller) }: Sampling,
): Promise<readonly Wished[]> {
  const scope = { ...around, resource };
  const mentioned = new Set(fieldsIn(condition));
  const states = mentioned.has("state") ? Object.keys(lifecycleOf(trial.contract.model, resource)?.states ?? {}) : [];
  const [creator] = creatorsOf(trial, resource);
  const members = creator === undefined ? [] : inputOf(trial.contract.model, creator).filter(({ sets }) => sets);
  const solved = (wanted: boolean): readonly Wished[] => {
    const found = [...solve(condition, scope, wanted).fields].filter(
      ([name]) => name === "state" || members.some((member) => member.name === name),
    );
    return found.length === 0 ? [] : [asWish(Object.fromEntries(found))];
  };
  const varied: Wished[] = states.map((state) => ({ state }));
  for (const member of members.filter(({ name }) => mentioned.has(name))) {
    const candidates =
      creator === undefined ? [] : await candidatesFor(trial, member, condition, { kind: "create", called: creator });
    for (const value of candidates.slice(0, mostValues)) {
      if (value !== undefined) varied.push({ values: { [member.name]: value } });
    }
  }
  if (followsReferences === true) varied.unshift(...(await referredFor(trial, condition)));
  const requested =
    isFalseFirst === true
      ? [...solved(false), ...varied, ...solved(true)]
      : [...solved(true), ...solved(false), ...varied];
  return [...requested, {}, {}, {}];
}

/** How many values of a field the test tries. */
const mostValues = 5;

/** Returns references to new records that differ in what a condition reads of them. */
async function referredFor(trial: Trial, condition: TypedExpression): Promise<readonly Wished[]> {
  const wished: Wished[] = [];
  for (const node of nodesOf(condition)) {
    if (node.kind !== "walk" || node.reference.kind !== "field") continue;
    const { name, reference, resource } = node;
    const [creation] = creationsOf(trial.contract, resource);
    const member = creation?.members.find((one) => one.name === name && one.sets);
    if (creation === undefined || member === undefined) continue;
    for (const value of (await candidatesFor(trial, member, condition, creation)).slice(0, mostValues)) {
      if (value === undefined) continue;
      const referred = await ifPossible(() => trial.make(resource, { values: { [name]: value } }));
      const id = referred === undefined ? undefined : await readId(trial, referred);
      if (id !== undefined) wished.push({ values: { [reference.name]: id } });
    }
  }
  return wished;
}

function asWish({ state, ...values }: Readonly<Record<string, unknown>>): Wished {
  const wished = { values: values as Readonly<Record<string, Json>> };
  return typeof state === "string" ? { ...wished, state } : wished;
}
