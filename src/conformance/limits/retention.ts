/** What clients can observe of `keep`: when its time has passed, a record is deleted or erased, and not before. */
import { withArticle } from "../../base/case.ts";
import { isImpossible } from "../attempts.ts";
import { addDuration, parseDuration } from "../../base/duration.ts";
import { isWrittenAlike, type Json, type JsonObject } from "../../base/json.ts";
import type { Retention } from "../../language/limits/model.ts";
import { fieldsOf, isServerSet, lifecycleOf, lookup } from "../../language/resources/fields.ts";
import type { Field } from "../../language/resources/model.ts";
import { Broken, type Case, NotTried, type PartCases } from "../case.ts";
import { anonymous, type Caller } from "../caller.ts";
import { mayRun } from "../permissions.ts";
import type { Contract, Operation } from "../contract.ts";
import { statusText } from "../errors/expected.ts";
import { recordIn } from "../response.ts";
import { distinctValue } from "../values/valid.ts";
import { supplyFor } from "../trial/inputs.ts";
import { type KnownRecord, millisecondsOf } from "../trial/known.ts";
import { readersOf } from "../trial/looking.ts";
import { isSoon, momentOf } from "../trial/patience.ts";
import { marginMilliseconds } from "../trial/states.ts";
import type { Trial } from "../trial/trial.ts";
import { presentOf } from "../trial/world.ts";

export function retentionCases(contract: Contract): PartCases {
  const all = Object.entries(contract.model.limits.keep ?? {});
  const isReadable = (resource: string): boolean =>
    [...contract.operations.values()].some(
      (one) => one.resource === resource && one.action === "read" && one.key !== undefined,
    );
  return {
    cases: all.filter(([resource]) => isReadable(resource)).map(([resource, retention]) => ends(resource, retention)),
    unobservable: all
      .filter(([resource]) => !isReadable(resource))
      .map(([resource, retention]) => ({
        path: `limits/keep/${resource}`,
        expects: textOf(resource, retention),
        reason: `no operation reads one ${resource}`,
      })),
  };
}

function textOf(resource: string, { act, after, duration }: Retention): string {
  return `${withArticle(resource)} is ${act === "delete" ? "deleted" : "erased"} ${duration} after ${after}, and not before`;
}

function ends(resource: string, retention: Retention): Case {
  const { act } = retention;
  const path = `limits/keep/${resource}`;
  return {
    id: `${path}: ${act}`,
    aspects: [{ path, expects: textOf(resource, retention) }],
    exclusive: true,
    run: async (trial) => {
      const { record, since } = await recordSince(trial, resource, retention);
      const duration = parseDuration(retention.duration);
      if (duration === undefined) throw new NotTried("the test cannot read the duration");
      const reader = await readerOf(trial, record);
      const before = await read(trial, record, reader);
      if (before === undefined) throw new NotTried(`nobody can read the ${resource}`);
      const due = addDuration(since, duration);
      const early = Math.min(3_600_000, (due - since) / 4);
      await trial.pass(Math.max(0, due - early - presentOf(trial.world)));
      const stillThere = await read(trial, record, reader);
      if (stillThere === undefined)
        throw broken(trial, `${withArticle(resource)} before ${retention.duration} are over`, "none");
      if (act === "erase") expectUnchanged(trial, record, before, stillThere);
      await trial.pass(Math.max(0, due - presentOf(trial.world)) + marginMilliseconds);
      let after: JsonObject | undefined;
      // This may be the task of another process.
      await isSoon(
        trial,
        async () => {
          after = await read(trial, record, reader);
          return after === undefined || (act === "erase" && !isWrittenAlike(before, after));
        },
        momentOf(trial),
      );
      if (act === "erase") expectErased(trial, record, before, after);
      else if (after !== undefined)
        throw broken(trial, `no ${resource} any more after ${retention.duration}`, "the record");
    },
  };
}

function broken({ interactions }: Trial, expected: string, got: string): Broken {
  return new Broken(expected, got, interactions.at(-1));
}

// ── Records ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Makes a record whose time has begun, and returns when it began. */
async function recordSince(
  trial: Trial,
  resource: string,
  { act, after }: Retention,
): Promise<{ readonly record: KnownRecord; readonly since: number }> {
  const lifecycle = lifecycleOf(trial.contract.model, resource);
  const states = after === "final" ? (lifecycle?.final ?? []) : [after];
  const isState = states.some((state) => lookup(lifecycle?.states ?? {}, state) !== undefined);
  const values = act === "erase" ? personalValues(trial, resource) : {};
  if (isState) return { record: await makeIn(trial, resource, states, values), since: presentOf(trial.world) };
  const record = await trial.make(resource, { values });
  if (!record.values.has(after)) await trial.look(record);
  const since = millisecondsOf(lookup(fieldsOf(trial.contract.model, resource), after)?.type, record.values.get(after));
  if (Number.isNaN(since)) throw new NotTried(`the test does not know \`${after}\` of ${withArticle(resource)}`);
  return { record, since };
}

/** Makes a record in the first of the states that the test can reach. */
async function makeIn(
  trial: Trial,
  resource: string,
  states: readonly string[],
  values: Readonly<Record<string, Json>>,
): Promise<KnownRecord> {
  let problem: NotTried | undefined;
  for (const state of states) {
    try {
      return await trial.make(resource, { values, state });
    } catch (thrown) {
      if (!isImpossible(thrown)) throw thrown;
      problem ??= thrown;
    }
  }
  throw problem ?? new NotTried(`the test cannot make ${withArticle(resource)}`);
}

/** Returns values of the optional personal fields, so that there is something to erase. */
function personalValues(trial: Trial, resource: string): Readonly<Record<string, Json>> {
  const { contract, world } = trial;
  const fields = Object.entries(fieldsOf(contract.model, resource));
  return Object.fromEntries(
    fields.flatMap(([name, field]): [string, Json][] => {
      if (!field.marks.includes("personal") || isServerSet(field)) return [];
      const value = distinctValue(contract, field.type, supplyFor(trial, anonymous), world.count());
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

interface Reader {
  readonly operation: Operation;
  readonly caller: Caller;
}

async function readerOf(trial: Trial, record: KnownRecord): Promise<Reader> {
  const callers = [record.creator, ...(await trial.callers())];
  for (const operation of readersOf(trial, record.resource).filter((one) => one.action === "read")) {
    const may = (caller: Caller): boolean =>
      mayRun(trial.contract, operation.operation, caller, trial.around(record)) === true;
    const caller = callers.find(may);
    if (caller !== undefined) return { operation, caller };
  }
  throw new NotTried(`no caller of the test can read one ${record.resource}`);
}

/** Reads the record; returns undefined if there is none any more. */
async function read(trial: Trial, record: KnownRecord, { caller, operation }: Reader): Promise<JsonObject | undefined> {
  const response = trial.responseOf(await trial.call(operation.operation, { caller, record }));
  if (response.status === 200) return recordIn(trial.contract, operation, response.json)?.record;
  if (response.status === 404 || response.status === 410 || response.status === 403) return undefined;
  throw new NotTried(`${operation.operation} answered ${statusText(trial.contract, response)}`);
}

// ── Erased fields ──────────────────────────────────────────────────────────────────────────────────────────────────

function expectUnchanged(trial: Trial, record: KnownRecord, before: JsonObject, after: JsonObject): void {
  for (const [name] of personalFields(trial, record)) {
    if (isWrittenAlike(lookup(before, name), lookup(after, name))) continue;
    throw broken(trial, `\`${name}\` before its time is over`, JSON.stringify(lookup(after, name)) ?? "no such member");
  }
}

/** Exactly the personal fields are without information. */
function expectErased(trial: Trial, record: KnownRecord, before: JsonObject, after: JsonObject | undefined): void {
  if (after === undefined) throw broken(trial, `the ${record.resource} without its personal fields`, "no such record");
  const personal = new Map(personalFields(trial, record));
  const present = [...personal].filter(([name]) => lookup(before, name) !== undefined && lookup(before, name) !== null);
  if (present.length === 0) throw new NotTried(`no response shows a personal field of ${withArticle(record.resource)}`);
  for (const [name, { optional }] of present) {
    const value = lookup(after, name);
    const isErased = optional ? value === undefined || value === null : !isWrittenAlike(value, lookup(before, name));
    // A value without information may be the value that the field had.
    if (isErased || typeof value === "number" || typeof value === "boolean") continue;
    throw broken(trial, `\`${name}\` without information`, JSON.stringify(value) ?? "no such member");
  }
  for (const [name, field] of Object.entries(fieldsOf(trial.contract.model, record.resource))) {
    const isOfService = field.computed !== undefined || field.default?.kind === "now-on-change";
    if (personal.has(name) || isOfService || isWrittenAlike(lookup(before, name), lookup(after, name))) continue;
    throw broken(trial, `\`${name}\` as before`, JSON.stringify(lookup(after, name)) ?? "no such member");
  }
}

function personalFields({ contract }: Trial, { resource }: KnownRecord): readonly (readonly [string, Field])[] {
  return Object.entries(fieldsOf(contract.model, resource)).filter(([, field]) => field.marks.includes("personal"));
}
