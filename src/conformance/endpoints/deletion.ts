/** Deletions: afterwards nothing finds the record any more, and the deletion of many deletes exactly those that it selects. */
import { withArticle } from "../../base/case.ts";
import { creates } from "../../language/endpoints/input.ts";
import type { ResourceEndpoint } from "../../language/endpoints/resolve.ts";
import { Broken, type Case, NotTried } from "../case.ts";
import type { Caller } from "../caller.ts";
import { mayRun } from "../permissions.ts";
import { type Contract, type Operation, needsRecord } from "../contract.ts";
import { expectSuccess } from "../expect.ts";
import { knownTruth } from "../known-truth.ts";
import { subjectFor } from "../trial/calls.ts";
import { expressionInput, queryFor } from "../trial/inputs.ts";
import type { KnownRecord } from "../trial/known.ts";
import { readersOf } from "../trial/looking.ts";
import { itemOf, pagesOf } from "../trial/pages.ts";
import type { Trial } from "../trial/trial.ts";
import { type Sample, samplesOf } from "./matching.ts";
import {
  aspectsOf,
  callersOf,
  expectMissing,
  ifPossible,
  operationCase,
  pathOf,
  plainOperations,
  validOptions,
} from "./subjects.ts";

export function deletionCases(contract: Contract): readonly Case[] {
  return plainOperations(contract).flatMap((called): readonly Case[] => {
    if (called.kind !== "resource") return [];
    if (called.action === "clear") return [clears(contract, called)];
    return called.action === "delete" && called.endpoint.the === undefined ? [deletes(contract, called)] : [];
  });
}

/** After a deletion, every operation on the record gets the response for a missing record, and no list has it. */
function deletes(contract: Contract, called: ResourceEndpoint): Case {
  const { operation, resource } = called;
  const aspects = aspectsOf(contract, called, ["does"], `a deleted ${resource} is gone: no operation finds it`);
  return operationCase(called, "gone", aspects, async (trial) => {
    const { record, caller } = await subjectFor(trial, called);
    await trial.look(record);
    expectSuccess(trial, await trial.call(operation, { caller, record }), pathOf(called));
    let count = 0;
    for (const other of othersOf(contract, called)) {
      const [by] = await callersOf(trial, other, record);
      if (by === undefined) continue;
      const isTried = await ifPossible(async () => {
        if (other.action === "list") return isNotListed(trial, { called, list: other, caller: by, record });
        expectMissing(trial, await trial.call(other.operation, { caller: by, record }), pathOf(called));
        return true;
      });
      if (isTried === true) count += 1;
    }
    if (count === 0) throw new NotTried(`no operation shows whether ${withArticle(resource)} is there`);
  });
}

/** Returns the operations that find records of the resource: those that read first, the deletion itself last. */
function othersOf(contract: Contract, { resource, operation }: Operation): readonly Operation[] {
  const others = plainOperations(contract).filter((one) => {
    if (one.resource !== resource || one.operation === operation || one.endpoint.the !== undefined) return false;
    if (one.action === "list") return true;
    return needsRecord(one) && !(one.kind === "resource" && creates(contract.model, one));
  });
  const reading = others.filter(({ endpoint }) => endpoint.method === "GET");
  const itself = contract.operations.get(operation);
  return [...reading, ...others.filter((one) => !reading.includes(one)), ...(itself === undefined ? [] : [itself])];
}

/** How many pages the test reads. */
const mostPages = 10;

interface Search {
  readonly called: Operation;
  readonly list: Operation;
  readonly caller: Caller;
  readonly record: KnownRecord;
}

/** Expects that a list does not have the record; returns whether the list identifies its records. */
async function isNotListed(trial: Trial, { called, list, caller, record }: Search): Promise<boolean> {
  for await (const page of pagesOf(trial, list, { caller, record }, mostPages)) {
    const found = itemOf(trial.contract, list, page, record);
    if (found === "unknown") return false;
    if (found === undefined) continue;
    throw new Broken(
      `no deleted ${record.resource} in ${list.operation}`,
      "it is there",
      page.interaction,
      pathOf(called),
    );
  }
  return true;
}

// ── Deletions of many ──────────────────────────────────────────────────────────────────────────────────────────────

function clears(contract: Contract, called: ResourceEndpoint): Case {
  const { operation, resource } = called;
  const expects = `${operation} deletes the ${resource} records that it selects, and no others`;
  return operationCase(
    called,
    "selected",
    aspectsOf(contract, called, ["where", "does"], expects),
    async (trial) => {
      const caller = await trial.callerFor(operation);
      const samples = await samplesFor(trial, called, caller);
      const { query } = await validOptions(trial, called, caller);
      expectSuccess(trial, await trial.call(operation, { caller, record: null, query }), pathOf(called));
      const path = called.endpoint.where === undefined ? pathOf(called) : pathOf(called, "where");
      let count = 0;
      for (const { record, isTrue } of samples) {
        const isThere = await find(trial, record);
        const last = trial.interactions.at(-1);
        if (isThere === true && isTrue)
          throw new Broken(`no ${resource} that ${operation} selects`, "one is there", last, path);
        if (isThere === false && !isTrue)
          throw new Broken(`the ${resource} that ${operation} does not select`, "it is gone", last, path);
        if (isThere !== undefined) count += 1;
      }
      if (count === 0)
        throw new NotTried(`the test does not know which ${resource} ${operation} selects, or whether it is there`);
    },
    {
      exclusive: true,
    },
  );
}

/** Makes records that the deletion selects, and others. */
async function samplesFor(trial: Trial, called: ResourceEndpoint, caller: Caller): Promise<readonly Sample[]> {
  const { contract } = trial;
  const { operation, resource, endpoint } = called;
  const where = contract.typed.get(pathOf(called, "where"));
  const sent = expressionInput(trial, called, { query: queryFor(trial, called) });
  const holds = (record: KnownRecord): boolean | undefined => {
    const may = mayRun(contract, operation, caller, trial.around(record));
    const isSelected =
      endpoint.where === undefined ? true : where && knownTruth(trial, where, trial.scope(caller, record, sent));
    if (may === false || isSelected === false) return false;
    return may === undefined || isSelected === undefined ? undefined : true;
  };
  if (where !== undefined) return samplesOf(trial, { resource, condition: where, caller, holds });
  const record = await trial.make(resource, { creator: caller });
  return holds(record) === true ? [{ record, isTrue: true }] : [];
}

/** Returns whether somebody finds the record; undefined if no operation of the document shows that. */
async function find(trial: Trial, record: KnownRecord): Promise<boolean | undefined> {
  let result: boolean | undefined;
  for (const reader of readersOf(trial, record.resource)) {
    for (const caller of await callersOf(trial, reader, record)) {
      const found = await ifPossible(() => findBy(trial, reader, caller, record));
      if (found === true) return true;
      result ??= found;
    }
  }
  return result;
}

async function findBy(
  trial: Trial,
  reader: Operation,
  caller: Caller,
  record: KnownRecord,
): Promise<boolean | undefined> {
  if (reader.action === "read") {
    if (reader.endpoint.the !== undefined) return undefined;
    return trial.responseOf(await trial.call(reader.operation, { caller, record })).status < 300;
  }
  for await (const page of pagesOf(trial, reader, { caller, record }, mostPages)) {
    const found = itemOf(trial.contract, reader, page, record);
    if (found === "unknown") return undefined;
    if (found !== undefined) return true;
  }
  return false;
}
