/** Reads the records that further writes may select, before a request and after it: in a list of all, or one by one. */
import type { Json } from "../../base/json.ts";
import type { Caller } from "../caller.ts";
import type { FurtherWriteSite } from "../../language/states/further-writes.ts";
import { observedValues } from "../trial/looking.ts";
import type { Trial } from "../trial/trial.ts";
import { allListed, type Listed } from "./listed.ts";
import type { Candidate, Candidates } from "./predict.ts";

/** Returns the records of all resources that the writes are about; of those that they only create, those that the reader sees will do. */
export async function candidatesFrom(
  trial: Trial,
  sites: readonly FurtherWriteSite[],
  reader: Caller,
): Promise<ReadonlyMap<string, Candidates>> {
  const found = new Map<string, Candidates>();
  for (const [resource, own] of Map.groupBy(sites, ({ write }) => write.resource)) {
    const isOnlyCreated = own.every(({ write }) => write.kind === "create");
    found.set(resource, await candidatesOf(trial, resource, isOnlyCreated ? reader : undefined));
  }
  return found;
}

/** How many records the test reads one by one. */
const mostRead = 20;

/** `reader`: who reads a list if no list shows all records. */
export async function candidatesOf(trial: Trial, resource: string, reader?: Caller): Promise<Candidates> {
  const { records } = trial.world;
  const complete = await allListed(trial, resource);
  const listed = complete ?? (reader && (await allListed(trial, resource, reader)));
  const own = records.filter((one) => one.resource === resource && !one.isDeleted && trial.used.has(one));
  const read: Listed[] = [...(listed?.values() ?? [])];
  if (listed === undefined)
    for (const record of own.slice(-mostRead)) read.push({ record, values: await observedValues(trial, record) });
  const all = read.flatMap(({ record, values: before }): Candidate[] => {
    const age = records.indexOf(record);
    if (before.size === 0) return [];
    return [{ record, before, age: age < 0 ? undefined : age, after: new Map(before), isDeleted: false }];
  });
  const isByReader = complete === undefined && listed !== undefined && reader !== undefined;
  return { all, isComplete: complete !== undefined, ...(isByReader ? { reader } : {}) };
}

/** Returns the present values of the candidates; empty for those that nobody can read any more. */
export async function observe(
  trial: Trial,
  resource: string,
  { all, isComplete }: Candidates,
): Promise<ReadonlyMap<Candidate, ReadonlyMap<string, Json>>> {
  const listed = isComplete ? await allListed(trial, resource) : undefined;
  const observed = new Map<Candidate, ReadonlyMap<string, Json>>();
  for (const one of all) {
    const { record } = one;
    const found = listed?.get(record.values.get("id") ?? null)?.values;
    observed.set(one, listed === undefined ? await observedValues(trial, record) : (found ?? new Map<string, Json>()));
  }
  return observed;
}
