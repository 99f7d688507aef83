/**
 * Records that no operation is there to make: further writes or functions of the service make them together with another record, to
 * which they refer, or in time. The test makes the other record, brings it into a state or lets a day pass, and looks into the lists.
 */
import { fieldsOf, lookup, referenceOf } from "../../language/resources/fields.ts";
import { furtherWriteSites } from "../../language/states/further-writes.ts";
import { ifPossible } from "../attempts.ts";
import type { Caller } from "../caller.ts";
import { needsRecord, type Operation } from "../contract.ts";
import { transitionsOf, type TriggeredTransition } from "../effects.ts";
import { mayEverRun } from "../permissions.ts";
import { type ObservedRecord, recordIn } from "../response.ts";
import { type KnownRecord, textOf } from "./known.ts";
import { learnCallers, learnRepresentation } from "./learning.ts";
import { readersOf, readId } from "./looking.ts";
import { pagesOf } from "./pages.ts";
import type { Query } from "./parameters.ts";
import type { Trial } from "./trial.ts";
import { findRecord } from "./world.ts";

/** Returns a record that a function makes; undefined if none appears. */
export async function appearing(
  trial: Trial,
  resource: string,
  creator: Caller | undefined,
): Promise<KnownRecord | undefined> {
  const { notAppearing } = trial.world;
  const lists = readersOf(trial, resource).filter((one) => one.action === "list" && !needsRecord(one));
  if (notAppearing.has(resource) || lists.length === 0) return undefined;
  const found = (await withAnother(trial, resource, lists, creator)) ?? (await inTime(trial, resource, lists, creator));
  // Each search takes many requests, or a day.
  if (found === undefined) notAppearing.add(resource);
  else trial.used.add(found);
  return found;
}

/** A record that appears with one of the test's, and refers to it, is the test's own: it may be changed, too. */
async function withAnother(
  trial: Trial,
  resource: string,
  lists: readonly Operation[],
  creator: Caller | undefined,
): Promise<KnownRecord | undefined> {
  const { model } = trial.contract;
  for (const [name, { marks, type }] of Object.entries(fieldsOf(model, resource))) {
    const target = referenceOf(model, type);
    const isCreated = [...trial.contract.operations.values()].some(
      ({ action, resource: of }) => of === target && (action === "create" || action === "replace"),
    );
    if (target === undefined || target === resource || !isCreated) continue;
    const states = statesThatCreate(trial, target, resource);
    for (const state of states.length === 0 ? [undefined] : states) {
      const other = await ifPossible(() => trial.make(target, { state, creator }));
      const id = other === undefined ? undefined : await readId(trial, other);
      if (other === undefined || id === undefined) continue;
      const isAbout = ({ record }: ObservedRecord): boolean => lookup(record, name) === id;
      const item = await itemWhere(
        trial,
        lists,
        other.creator,
        isAbout,
        marks.includes("filter") ? { [name]: textOf(id) } : {},
      );
      if (item === undefined) continue;
      const record = learned(trial, item, { resource, creator: other.creator, history: other.history });
      record.values.set(name, id);
      return record;
    }
  }
  return undefined;
}

/** Returns the states of one resource in which records of another one are created, the last state first. */
function statesThatCreate({ contract }: Trial, of: string, created: string): readonly string[] {
  const sites = furtherWriteSites(contract.model).filter(
    ({ write }) => write.kind === "create" && write.resource === created,
  );
  const creates = ({ trigger }: TriggeredTransition): boolean =>
    sites.some(({ of: owner }) =>
      owner.kind === "operation"
        ? trigger.on.kind === "by" && trigger.on.operation === owner.operation
        : owner.kind === "transition" && owner.trigger === trigger,
    );
  const found = transitionsOf(contract).filter((one) => one.resource === of && creates(one));
  return [...new Set(found.map(({ to }) => to))].toReversed();
}

/** How long the test waits for a record: functions that run by the clock run every day, if not more often. */
const dayMilliseconds = 86_400_000 + 60_000;

/** Looks for a record that time makes, before and after a day. Somebody else may need it, so only what no operation changes will do. */
async function inTime(
  trial: Trial,
  resource: string,
  lists: readonly Operation[],
  creator: Caller | undefined,
): Promise<KnownRecord | undefined> {
  const { contract, used, world } = trial;
  const all = [...contract.operations.values()].filter((one) => one.resource === resource);
  if (world.target.clock === undefined || all.some(({ endpoint }) => endpoint.method !== "GET")) return undefined;
  const known = (id: unknown): KnownRecord | undefined => findRecord(world, resource, id as string);
  const isNew = ({ record }: ObservedRecord): boolean => {
    const one = known(lookup(record, "id"));
    return one === undefined || !used.has(one);
  };
  for (const milliseconds of [0, dayMilliseconds]) {
    if (milliseconds > 0) await ifPossible(() => trial.pass(milliseconds));
    const item = await itemWhere(trial, lists, creator, isNew);
    if (item === undefined) continue;
    return known(lookup(item.record, "id")) ?? learned(trial, item, { resource, isFound: true, history: [] });
  }
  return undefined;
}

/** An item of a list, and who got it. */
interface Item extends ObservedRecord {
  readonly reader: Caller;
}

/** How many pages the test reads. */
const mostPages = 10;

/** Returns the first such item with an id in one of the lists, as the wished caller or another one sees them. */
async function itemWhere(
  trial: Trial,
  lists: readonly Operation[],
  wished: Caller | undefined,
  isWanted: (item: ObservedRecord) => boolean,
  filter: Query = {},
): Promise<Item | undefined> {
  const callers = new Set([...(wished === undefined ? [] : [wished]), ...(await trial.callers())]);
  for (const list of lists) {
    const readers = [...callers].filter((one) => mayEverRun(trial.contract, list.operation, one));
    for (const reader of readers) {
      const found = await ifPossible(async () => {
        for await (const page of pagesOf(trial, list, { caller: reader, query: filter }, mostPages)) {
          const items = page.items.flatMap((item) => recordIn(trial.contract, list, item) ?? []);
          const item = items.find((one) => lookup(one.record, "id") !== undefined && isWanted(one));
          if (item !== undefined) return { ...item, reader };
        }
        return undefined;
      });
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function learned(
  trial: Trial,
  { reader, record: observed, view }: Item,
  made: Pick<KnownRecord, "resource" | "history" | "isFound"> & Partial<Pick<KnownRecord, "creator">>,
): KnownRecord {
  const values = { values: new Map(), observed: new Map() };
  const record: KnownRecord = { creator: reader, ...made, ...values, isDeleted: false };
  if (record.isFound !== true) learnCallers(trial, record, record.creator);
  learnRepresentation(trial, record, reader, observed, view);
  trial.world.records.push(record);
  return record;
}
