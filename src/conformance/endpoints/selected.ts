/** The one record that `the` selects: it fulfils the condition, and if there is none, the response is that for a missing record. */
import { withArticle } from "../../base/case.ts";
import type { Json } from "../../base/json.ts";
import { nodesOf, type TypedExpression } from "../../expression/typed.ts";
import { Broken, type Case, NotTried, shortText } from "../case.ts";
import type { Caller } from "../caller.ts";
import { type Contract, deletionOf, type Operation } from "../contract.ts";
import { expectSuccess } from "../expect.ts";
import { knownTruth } from "../known-truth.ts";
import { recordIn } from "../response.ts";
import { newCaller } from "../trial/callers.ts";
import { subjectFor } from "../trial/calls.ts";
import type { KnownRecord } from "../trial/known.ts";
import type { Trial } from "../trial/trial.ts";
import { samplesOf } from "./matching.ts";
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

export function selectedCases(contract: Contract): readonly Case[] {
  return plainOperations(contract).flatMap((called): readonly Case[] => {
    const { the } = called.endpoint;
    if (the === undefined || called.resource === undefined) return [];
    const condition = contract.typed.get(pathOf(called, "the"));
    const isOfCaller =
      condition !== undefined &&
      nodesOf(condition).some((one) => one.kind === "variable" && one.path.join(".") === "caller.id");
    return [
      ...(called.action === "delete" ? [] : [fulfils(contract, called, isOfCaller)]),
      ...(isOfCaller ? [isMissing(contract, called)] : []),
    ];
  });
}

function fulfils(contract: Contract, called: Operation, isOfCaller: boolean): Case {
  const { operation, resource, endpoint } = called;
  return operationCase(
    called,
    "the",
    aspectsOf(
      contract,
      called,
      ["the"],
      `${operation} is about ${withArticle(resource ?? "record")} of which \`${endpoint.the}\` is true`,
    ),
    async (trial) => {
      const condition = contract.typed.get(pathOf(called, "the"));
      if (condition === undefined) throw new NotTried("the test cannot evaluate the condition");
      const { caller, record } = await chosenSubject(trial, called, condition, isOfCaller);
      const interaction = await trial.call(operation, { ...(await validOptions(trial, called, caller)), record });
      const { json } = expectSuccess(trial, interaction, pathOf(called, "the"));
      const observed = recordIn(contract, called, json)?.record;
      if (observed === undefined) throw new NotTried("the response does not show the record");
      const values = new Map<string, Json>(Object.entries(observed));
      // What a transition of the operation itself sets may make the condition false.
      if (endpoint.method !== "GET") return;
      if (knownTruth(trial, condition, { ...trial.scope(caller), resource, record: values }) !== false) return;
      throw new Broken(
        `${withArticle(resource ?? "record")} of which \`${endpoint.the}\` is true`,
        shortText(observed),
        interaction,
        pathOf(called, "the"),
      );
    },
    // Other cases make records that the operation may select.
    isOfCaller ? {} : { exclusive: true },
  );
}

/** Returns a caller with a record that is selected, and if possible with an older one that is not. */
async function chosenSubject(
  trial: Trial,
  called: Operation,
  condition: TypedExpression,
  isOfCaller: boolean,
): Promise<{ readonly record: KnownRecord; readonly caller: Caller }> {
  const caller = (await newUser(trial, called)) ?? (isOfCaller ? undefined : await trial.callerFor(called.operation));
  if (caller === undefined) return subjectFor(trial, called);
  const holds = (record: KnownRecord): boolean | undefined => knownTruth(trial, condition, trial.scope(caller, record));
  const resource = called.resource as string;
  if (!isOfCaller) await removeAll(trial, resource, holds);
  const samples = await samplesOf(trial, { resource, condition, caller, holds, most: 1, isFalseFirst: true });
  const selected = samples.find(({ isTrue }) => isTrue);
  return selected === undefined ? subjectFor(trial, called) : { record: selected.record, caller };
}

/** Deletes the records of other cases that the operation may select. */
async function removeAll(
  trial: Trial,
  resource: string,
  holds: (record: KnownRecord) => boolean | undefined,
): Promise<void> {
  const remove = deletionOf(trial.contract, resource);
  const others = trial.world.records.filter((one) => one.resource === resource && !one.isDeleted);
  for (const record of others)
    if (remove !== undefined && holds(record) !== false)
      await ifPossible(() => trial.call(remove.operation, { record }));
}

/** Returns a caller who has no records yet; undefined if each caller is a record, or if the test has only callers that others know. */
async function newUser(trial: Trial, called: Operation): Promise<Caller | undefined> {
  const [usual] = (await callersOf(trial, called)).filter(({ signedIn }) => signedIn);
  const caller = usual === undefined ? undefined : await newCaller(trial, usual.roles, trial.world.count());
  const account = caller === undefined ? undefined : trial.world.accounts.get(caller);
  return account?.resource === called.resource ? undefined : caller;
}

/** A new caller has no record yet. */
function isMissing(contract: Contract, called: Operation): Case {
  const { operation, resource, endpoint } = called;
  const aspects = aspectsOf(
    contract,
    called,
    ["the"],
    `without ${withArticle(resource ?? "record")} of which \`${endpoint.the}\` is true there is none`,
  );
  return operationCase(called, "none", aspects, async (trial) => {
    const caller = await newUser(trial, called);
    if (caller === undefined) throw new NotTried("the test has no caller without records");
    const { body, query } = await validOptions(trial, called);
    expectMissing(trial, await trial.call(operation, { caller, record: null, body, query }), pathOf(called, "the"));
  });
}
