/** Prepares lists: records that a caller finds in a list, if possible in one that has no others. */
import { withArticle } from "../../../base/case.ts";
import type { Json } from "../../../base/json.ts";
import { nodesOf, type TypedExpression } from "../../../expression/typed.ts";
import { inputOf } from "../../../language/endpoints/input.ts";
import { fieldsOf, isUnique, lookup, referenceOf } from "../../../language/resources/fields.ts";
import type { FieldType } from "../../../language/resources/model.ts";
import { NotTried } from "../../case.ts";
import type { Caller } from "../../caller.ts";
import { mayRun } from "../../permissions.ts";
import type { Contract, Operation } from "../../contract.ts";
import { knownTruth } from "../../known-truth.ts";
import { solve } from "../../solve.ts";
import { quotaUsedUp } from "../../trial/calls.ts";
import { expressionInput, queryFor } from "../../trial/inputs.ts";
import { type KnownRecord, textOf } from "../../trial/known.ts";
import { readId } from "../../trial/looking.ts";
import { listStyle, stylePath } from "../../trial/pages.ts";
import { creatorsOf } from "../../trial/records.ts";
import type { Trial } from "../../trial/trial.ts";
import { findRecord, stopped } from "../../trial/world.ts";
import { distinctValue } from "../../values/valid.ts";
import type { Query } from "../../trial/parameters.ts";
import { callersOf, pathOf } from "../subjects.ts";

/** A list as one caller reads it. */
export interface Listed {
  readonly called: Operation;
  readonly caller: Caller;
  /** Records that are in it, the oldest first. */
  readonly records: KnownRecord[];
  /** The parameters that narrow it. */
  readonly query: Query;
  /** Whether it has no other records. */
  readonly isNarrow: boolean;
  /** Makes one more record for it, with these values if they are possible. */
  readonly add: (values?: Readonly<Record<string, Json>>) => Promise<KnownRecord>;
}

/** What the records of a narrow list have in common. */
export interface Narrowing {
  readonly parent?: KnownRecord;
  readonly values: Readonly<Record<string, Json>>;
  readonly query: Query;
}

export function listsOf(contract: Contract): readonly Operation[] {
  return [...contract.operations.values()].filter(({ action }) => action === "list");
}

/** Whether the document writes how the list is paged. */
export function hasStyle({ places }: Contract, called: Operation): boolean {
  return places.has(stylePath(called));
}

/** Returns the largest page that the document certainly admits; undefined if lists have no pages, or if it writes no size. */
export function maximumOf(contract: Contract, called: Operation): number | undefined {
  const { kind, max, size } = listStyle(contract, called) ?? {};
  return kind === "none" ? undefined : (max ?? size);
}

/** Makes so many records that are in the list. @throws NotTried if the test cannot */
export async function listed(trial: Trial, called: Operation, count: number): Promise<Listed> {
  const resource = called.resource as string;
  let problem = new NotTried(`no caller of the test may run ${called.operation}`);
  for (const caller of (await callersOf(trial, called)).slice(0, mostCallers)) {
    const before = new Set(trial.used);
    try {
      const narrowing = await narrowingFor(trial, called, caller);
      const add: Listed["add"] = (values = {}) =>
        addTo(trial, called, caller, { ...narrowing, values: { ...values, ...narrowing.values } });
      const records: KnownRecord[] = [];
      while (records.length < count) records.push(await add());
      const isNarrow = narrowing.parent !== undefined || Object.keys(narrowing.values).length > 0;
      return { called, caller, records, query: narrowing.query, isNarrow, add };
    } catch (thrown) {
      if (!(thrown instanceof NotTried) || thrown.reason === stopped) throw thrown;
      problem = thrown;
      // The records of this caller make room for those of the next one.
      for (const record of trial.used) if (!before.has(record)) trial.used.delete(record);
    }
  }
  throw new NotTried(`the test has no ${resource} that ${called.operation} lists: ${problem.reason}`, problem.remedy);
}

const mostCallers = 3;

/** Returns whether the caller finds the record in the list; undefined if the test does not know. */
export function isListed(
  trial: Trial,
  called: Operation,
  caller: Caller,
  record: KnownRecord,
  query: Query = {},
): boolean | undefined {
  const { contract } = trial;
  const sent = expressionInput(trial, called, { query: { ...queryFor(trial, called), ...query } });
  const where = contract.typed.get(pathOf(called, "where"));
  const isWanted =
    called.endpoint.where === undefined ? true : where && knownTruth(trial, where, trial.scope(caller, record, sent));
  const may = mayRun(contract, called.operation, caller, trial.around(record));
  if (may === false || isWanted === false) return false;
  return may === undefined || isWanted === undefined ? undefined : true;
}

/** Makes a record that the reader finds in the list: by the reader, or by somebody else if a quota allows no more. */
async function addTo(trial: Trial, called: Operation, reader: Caller, narrowing: Narrowing): Promise<KnownRecord> {
  let problem: unknown;
  for (const creator of new Set([reader, ...(await trial.callers())])) {
    try {
      return await addBy(trial, called, creator, reader, narrowing);
    } catch (thrown) {
      if (!(thrown instanceof NotTried) || thrown.reason !== quotaUsedUp) throw problem ?? thrown;
      problem ??= thrown;
    }
  }
  throw problem;
}

async function addBy(
  trial: Trial,
  called: Operation,
  creator: Caller,
  reader: Caller,
  narrowing: Narrowing,
): Promise<KnownRecord> {
  const { parent, values } = narrowing;
  const resource = called.resource as string;
  const where = trial.contract.typed.get(pathOf(called, "where"));
  const scope = { ...trial.scope(reader), resource };
  for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
    // The records of a list have to differ, for its order and its summaries, so bounds are the last resort.
    const wanted = where === undefined ? [] : solve(where, scope, true, attempt >= mostAttempts / 2).fields;
    const { state, ...fields } = Object.fromEntries(wanted) as Record<string, Json>;
    const record = await trial.make(resource, {
      ...{ creator, values: { ...fields, ...values } },
      ...(parent === undefined ? {} : { parent }),
      ...(typeof state === "string" ? { state } : {}),
    });
    if (!record.values.has("id")) await trial.look(record);
    if (!isNarrowed(record, values)) throw new NotTried("the test cannot choose what the records have in common");
    if (isListed(trial, called, reader, record, narrowing.query) === true) return record;
    if (creator !== reader) break;
    if (where !== undefined && (await linkFor(trial, where, reader, record))) {
      if (isListed(trial, called, reader, record, narrowing.query) === true) return record;
    }
  }
  throw new NotTried(`the test cannot make ${withArticle(resource)} that is in the list`);
}

const mostAttempts = 6;

/** Makes links that the condition reads, from the record or from those to which it refers; returns whether it made one. */
export async function linkFor(
  trial: Trial,
  where: TypedExpression,
  caller: Caller,
  record: KnownRecord,
): Promise<boolean> {
  const { contract, world } = trial;
  const read = nodesOf(where).flatMap((node) => (node.kind === "records" ? [node.resource] : []));
  const links = [...contract.operations.values()].filter(({ endpoint }) => read.includes(endpoint.link?.in ?? ""));
  const fields = Object.entries(fieldsOf(contract.model, record.resource));
  const referred = fields.flatMap(([name, { type }]) => {
    const resource = referenceOf(contract.model, type);
    const id = record.values.get(name);
    return resource === undefined || id === undefined ? [] : (findRecord(world, resource, id) ?? []);
  });
  let isMade = false;
  for (const link of links) {
    for (const one of [record, ...referred].filter(({ resource }) => resource === link.resource)) {
      const interaction = await trial.call(link.operation, { caller, record: one });
      isMade = trial.responseOf(interaction).status < 300 || isMade;
    }
  }
  return isMade;
}

function isNarrowed(record: KnownRecord, values: Readonly<Record<string, Json>>): boolean {
  return Object.entries(values).every(([name, value]) => record.values.get(name) === value);
}

/** Returns what narrows the list: a new parent in the path, or the value of a field by which the list can be filtered. */
export async function narrowingFor(trial: Trial, called: Operation, caller: Caller): Promise<Narrowing> {
  const last = called.parents.at(-1);
  if (last !== undefined) {
    const parent = await trial.make(last.resource, { creator: caller });
    if (!parent.values.has("id") || !parent.values.has(last.column)) await trial.look(parent);
    const id = parent.values.get("id");
    const isBelow = creatorsOf(trial, called.resource as string).some(
      (one) => one.parents.at(-1)?.field === last.field,
    );
    if (id === undefined && !isBelow) throw new NotTried(`the test does not know the id of the ${last.resource}`);
    return { parent, values: id === undefined ? {} : { [last.field]: id }, query: {} };
  }
  for (const [name, type] of narrowFields(trial, called)) {
    const value = await commonValue(trial, type, caller);
    if (value !== undefined) return { values: { [name]: value }, query: { [name]: textOf(value) } };
  }
  return { values: {}, query: {} };
}

/** Returns the fields by which the list can be filtered, that a creation sets and that several records may have in common. */
function narrowFields(trial: Trial, called: Operation): readonly (readonly [string, FieldType])[] {
  const { model } = trial.contract;
  const resource = called.resource as string;
  const [creator] = creatorsOf(trial, resource);
  const members = creator === undefined ? [] : inputOf(model, creator);
  return Object.entries(fieldsOf(model, resource)).flatMap(([name, { marks, type }]) => {
    const isHidden = lookup(model.authentication.show, `${resource}.${name}`) !== undefined;
    const isSent = members.some((one) => one.name === name && one.sets);
    if (!marks.includes("filter") || !isSent || isHidden || isUnique(model, resource, name)) return [];
    return lookup(called.endpoint.filters ?? {}, name) === undefined ? [[name, type] as const] : [];
  });
}

/** Returns a value that no record has yet. */
async function commonValue(trial: Trial, type: FieldType, caller: Caller): Promise<Json | undefined> {
  const { contract, random, world } = trial;
  const resource = referenceOf(contract.model, type);
  if (resource !== undefined) {
    return readId(trial, await trial.make(resource, { creator: caller }));
  }
  const isWide =
    type.kind === "scalar" &&
    (type.name === "string" || type.name === "text") &&
    type.pattern === undefined &&
    (type.max ?? wideText) >= wideText;
  if (!isWide) return undefined;
  return distinctValue(
    contract,
    type,
    { random, now: 0, reference: () => undefined, user: () => "nobody" },
    world.count(),
  );
}

/** How many characters a text needs so that no other record has the same one. */
const wideText = 12;
