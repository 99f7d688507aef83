/** Makes records for a selection (`where`, `first`, `sort`): more than it takes, in another order than its own, and some that it does not select. */
import type { Json } from "../../base/json.ts";
import type { TypedExpression } from "../../expression/typed.ts";
import type { Selection } from "../../language/states/further-writes.ts";
import { ifPossible } from "../attempts.ts";
import { samplesOf } from "../endpoints/matching.ts";
import { type Scope, truth } from "../expressions.ts";
import { candidatesFor } from "../resources/candidates.ts";
import { creationsOf } from "../resources/writing.ts";
import { solve } from "../solve.ts";
import type { Wish } from "../trial/records.ts";
import type { Trial } from "../trial/trial.ts";
import { rankOf, selecting } from "./predict.ts";

/** What the condition of a selection reads, and what its records have in common. */
interface Matching {
  readonly resource: string;
  readonly selection: Selection;
  /** The condition of the selection; undefined if it selects any record. */
  readonly condition: TypedExpression | undefined;
  readonly scope: Scope;
  readonly wish?: Wish;
}

export async function makeMatching(trial: Trial, matching: Matching): Promise<void> {
  const { condition, resource, scope, selection, wish = {} } = matching;
  const { first = 0, sort } = selection;
  const values = sort === undefined ? [] : await valuesInDisorder(trial, resource, sort.replace(/^-/, ""), condition);
  const [usual = {}, ...others] = values;
  if (condition !== undefined)
    await samplesOf(trial, {
      ...{ resource, condition, caller: scope.caller, scope, most: first + 1, wish: { ...wish, values: usual } },
      holds: (record) => truth(condition, selecting(scope, resource, record.values)),
    });
  const wanted =
    condition === undefined ? {} : writable(trial, resource, solve(condition, { ...scope, resource }).fields);
  const more = first === 0 && condition !== undefined ? 0 : Math.max(first + 1, others.length);
  for (let index = 0; index < more; index += 1) {
    const own = others[index % Math.max(others.length, 1)];
    await ifPossible(() => trial.make(resource, { ...wish, values: { ...wanted, ...own } }));
  }
}

/** Returns the values that a creation can set. */
function writable(
  trial: Trial,
  resource: string,
  values: ReadonlyMap<string, unknown>,
): Readonly<Record<string, Json>> {
  const members = creationsOf(trial.contract, resource)[0]?.members ?? [];
  const found = [...values].filter(([name]) => members.some((one) => one.name === name && one.sets));
  return Object.fromEntries(found) as Readonly<Record<string, Json>>;
}

/** Returns three values of the field by which a selection sorts, so that neither the oldest nor the newest record comes first. */
async function valuesInDisorder(
  trial: Trial,
  resource: string,
  name: string,
  condition: TypedExpression | undefined,
): Promise<readonly Readonly<Record<string, Json>>[]> {
  const [creation] = creationsOf(trial.contract, resource);
  const member = creation?.members.find((one) => one.name === name && one.sets);
  if (creation === undefined || member === undefined) return [];
  const candidates = await candidatesFor(trial, member, condition, creation);
  const ranked = candidates.flatMap((value) => {
    const rank = rankOf(value);
    return value === undefined || rank === undefined ? [] : [{ value, rank }];
  });
  const ordered = ranked.toSorted((one, other) => one.rank - other.rank).map(({ value }) => value);
  const [middle, low, high] = [ordered[Math.floor(ordered.length / 2)], ordered[0], ordered.at(-1)];
  if (low === undefined || middle === undefined || high === undefined) return [];
  return [middle, high, low, middle].map((value) => ({ [name]: value }));
}
