/** How requests name a version, and what a request gets that names none or an unknown one. */
import { ifPossible } from "../attempts.ts";
import type { Json } from "../../base/json.ts";
import type { VersionLocation, VersionResponse } from "../../language/versioning/model.ts";
import { Broken, type Case, NotTried, shortText } from "../case.ts";
import type { Caller } from "../caller.ts";
import { mayEverRun, mayRun } from "../permissions.ts";
import { type Contract, hasOperationEnded, type Operation, needsRecord } from "../contract.ts";
import { isByOperation, isError, statusText } from "../errors/expected.ts";
import { expectError } from "../expect.ts";
import type { Interaction, Response } from "../interaction.ts";
import { sendAfterLimits } from "../trial/used-up.ts";
import type { KnownRecord } from "../trial/known.ts";
import { readersOf } from "../trial/looking.ts";
import type { Trial } from "../trial/trial.ts";
import { presentOf } from "../trial/world.ts";
import { hasEnded, trialAt } from "./steps.ts";

export function namingCases(contract: Contract): readonly Case[] {
  const { absent, policy, sent, versions = [] } = contract.model.versioning;
  const isWritten = sent !== undefined && versions.length > 0;
  return [
    ...(isWritten ? versions.map(({ name }) => named(contract, name, sent)) : []),
    ...(isWritten && policy?.unknown !== undefined ? [unknown(contract, policy.unknown)] : []),
    // An older version does not know which one is the newest.
    ...(absent === undefined || versions.length === 0 || !(contract.isNewest || absent === "refuse")
      ? []
      : [unnamed(absent, policy?.unknown)]),
  ];
}

/** Returns the statement that promises a version: its line, if that has no changes; else how a request names it. */
export function promiseOf({ model }: Contract, version: string): string {
  const { versions = [] } = model.versioning;
  const hasChanges = versions.some(({ changes, name }) => name === version && changes.length > 0);
  return hasChanges ? "versioning/sent" : `versioning/versions/${version}`;
}

/** A request that names a version as the document says gets a response of its operation. */
function named(contract: Contract, version: string, sent: VersionLocation): Case {
  const how = `a request names version ${version} in ${textOf(sent)}`;
  return {
    id: `versioning/sent: ${version}`,
    aspects: [
      { path: "versioning/sent", expects: how },
      { path: promiseOf(contract, version), expects: how },
    ],
    run: async (trial) => {
      const at = trialAt(trial, version);
      const { operation } = simplest(at);
      const interaction = await at.call(operation);
      const response = at.responseOf(interaction);
      // A request without a mistake is rejected as one if the service does not find its version.
      const isRejected = response.status === 400 || isUnknownVersion(at.contract, response);
      if (isByOperation(at.contract, response, operation) && !isRejected) return;
      const got = statusText(at.contract, response);
      // Other cases are about permissions, and a failure says nothing about versions.
      if ([401, 403, 429].includes(response.status) || response.status >= 500)
        throw new NotTried(`${operation} answered ${got}`);
      throw new Broken(`a response of ${operation} in version ${version}`, got, interaction);
    },
  };
}

function isUnknownVersion(contract: Contract, response: Response): boolean {
  const { unknown: rejection } = contract.model.versioning.policy ?? {};
  return (
    rejection !== undefined && response.status === rejection.status && isError(contract, response, rejection.error)
  );
}

function textOf(sent: VersionLocation): string {
  switch (sent.kind) {
    case "header":
      return `the header ${sent.name}`;
    case "query":
      return `the parameter ${sent.name}`;
    case "path":
      return `the path, ${sent.template}`;
    case "media-type":
      return "the media type";
  }
}

/** Returns an operation that changes nothing and needs no record, if there is one. */
export function simplest(trial: Trial): Operation {
  const first = cheapest(trial, () => true);
  if (first === undefined) throw new NotTried("the version has no operation");
  return first;
}

/** Returns the operation with the fewest needs of those that the test may call; undefined if there is none. */
export function cheapest(
  { contract, world }: Trial,
  isWanted: (operation: Operation) => boolean,
): Operation | undefined {
  const cost = (one: Operation): number => Number(one.endpoint.method !== "GET") * 2 + Number(needsRecord(one));
  const [first] = [...contract.operations.values()]
    .filter(({ endpoint, operation }) => endpoint.wire === undefined && !world.target.skipped.has(operation))
    .filter((one) => isWanted(one) && !hasOperationEnded(contract, one.operation, presentOf(world)))
    .toSorted((one, other) => cost(one) - cost(other));
  return first;
}

/** An unknown version gets the error that the document declares for it. */
function unknown({ model }: Contract, { error, status }: VersionResponse): Case {
  const { scheme, versions = [] } = model.versioning;
  const isDated = scheme === "dated" || /^\d{4}-/.test(versions[0]?.name ?? "");
  const version = isDated ? "2001-02-03" : "987654";
  return {
    id: "versioning/policy/unknown: unknown",
    aspects: [{ path: "versioning/policy/unknown", expects: `the unknown version ${version} gets ${status} ${error}` }],
    run: async (trial) => {
      const { request, caller, called } = await trial.build(simplest(trial).operation, { version });
      const interaction = await sendAfterLimits(trial, request, caller, { operation: called.operation });
      expectError(trial, interaction, { code: error, status });
    },
  };
}

// ── Without a version ──────────────────────────────────────────────────────────────────────────────────────────────

type Absent = NonNullable<Contract["model"]["versioning"]["absent"]>;

/** A request without a version has the version that the document says, or is rejected. */
function unnamed(absent: Absent, rejection: VersionResponse | undefined): Case {
  const path = "versioning/absent";
  return {
    id: `${path}: no version`,
    aspects: [
      { path, expects: `a request without a version ${absentText(absent)}` },
      ...(absent === "refuse" && rejection !== undefined
        ? [{ path: "versioning/policy/unknown", expects: `it gets ${rejection.status} ${rejection.error}` }]
        : []),
    ],
    run: async (trial) => {
      if (absent === "refuse") await isRejected(trial, rejection);
      else await hasVersion(trial, absent);
    },
  };
}

function absentText(absent: Absent): string {
  switch (absent) {
    case "newest":
      return "has the newest one";
    case "oldest":
      return "has the oldest one that is served";
    case "pinned":
      return "has the version that was the newest at the first request of its credential";
    case "refuse":
      return "is rejected";
  }
}

async function isRejected(trial: Trial, rejection: VersionResponse | undefined): Promise<void> {
  const { request, caller, called } = await trial.build(simplest(trial).operation, { version: null });
  const interaction = await sendAfterLimits(trial, request, caller, { operation: called.operation });
  if (rejection !== undefined) {
    expectError(trial, interaction, { code: rejection.error, status: rejection.status });
    return;
  }
  const response = trial.responseOf(interaction);
  if (response.status >= 400 && response.status < 500) return;
  throw new Broken("an error", statusText(trial.contract, response), interaction);
}

/** A request for the same record in each version, and in none. */
interface Comparison {
  readonly caller: Caller;
  /** Sends the request with a version, or with none. */
  readonly send: (version: string | null) => Promise<Interaction>;
  /** The responses in the newest version and in the oldest one that is served, which differ. */
  readonly newest: Json;
  readonly oldest: Json;
}

async function hasVersion(trial: Trial, absent: Exclude<Absent, "refuse">): Promise<void> {
  const { caller, newest, oldest, send } = await comparison(trial, absent);
  const interaction = await send(null);
  const found = observed(trial, interaction);
  const isNewest = JSON.stringify(found) === JSON.stringify(newest);
  const isOldest = JSON.stringify(found) === JSON.stringify(oldest);
  const expected = absent === "oldest" ? oldest : newest;
  if (absent === "oldest" ? isOldest : isNewest) return;
  if (absent === "pinned" && caller.signedIn && caller.isNew !== true)
    throw new NotTried(`the test does not know when the credential of ${caller.name} was used first`);
  throw new Broken(
    `the same as in the ${absent === "oldest" ? "oldest" : "newest"} version: ${shortText(expected)}`,
    shortText(found),
    interaction,
  );
}

/** Finds a record that reads otherwise in the oldest version than in the newest one. */
async function comparison(trial: Trial, absent: Absent): Promise<Comparison> {
  const { contract } = trial;
  const { versions = [] } = contract.model.versioning;
  const newest = contract.version ?? "";
  const oldest = versions.map(({ name }) => name).findLast((name) => !hasEnded(trial, name)) ?? newest;
  if (oldest === newest) throw new NotTried("only one version is served");
  for (const resource of changedResources(contract)) {
    for (const reader of readersOf(trial, resource)) {
      for (const caller of await readersFor(trial, reader, absent)) {
        const record = await madeFor(trial, reader, caller);
        if (record === undefined) continue;
        const send = async (version: string | null): Promise<Interaction> => {
          const { request } = await trial.build(reader.operation, { caller, record, version });
          return sendAfterLimits(trial, request, caller, { operation: reader.operation });
        };
        const now = observed(trial, await send(newest));
        const then = observed(trial, await send(oldest));
        if (JSON.stringify(now) !== JSON.stringify(then)) return { caller, send, newest: now, oldest: then };
      }
    }
  }
  throw new NotTried("the test finds no response that differs between the versions");
}

/** Returns the resources whose records the versions show otherwise: those of changes first. */
function changedResources({ model }: Contract): readonly string[] {
  const { versions = [] } = model.versioning;
  const targets = versions.flatMap(({ changes }) =>
    changes.flatMap((change) => {
      if (change.kind === "rename") return [change.from.of];
      if (change.kind === "state") return [change.resource];
      return "target" in change ? [change.target.of] : [];
    }),
  );
  const resources = Object.keys(model.resources.resources);
  return [...new Set([...targets.filter((name) => resources.includes(name)), ...resources])];
}

/** Returns callers who may read: for `pinned`, those first whose credential is new or who have none. */
async function readersFor(trial: Trial, reader: Operation, absent: Absent): Promise<readonly Caller[]> {
  const callers = (await trial.callers()).filter((one) => mayEverRun(trial.contract, reader.operation, one));
  const isCertain = (one: Caller): boolean => !one.signedIn || one.isNew === true;
  const ordered =
    absent === "pinned" ? callers.toSorted((one, other) => Number(isCertain(other)) - Number(isCertain(one))) : callers;
  return ordered.slice(0, 2);
}

/** Makes a record that the caller can read. */
function madeFor(trial: Trial, reader: Operation, caller: Caller): Promise<KnownRecord | undefined> {
  return ifPossible(async () => {
    const record = await trial.make(reader.resource as string, { creator: caller });
    return mayRun(trial.contract, reader.operation, caller, trial.around(record)) === false ? undefined : record;
  });
}

function observed(trial: Trial, interaction: Interaction): Json {
  const { json, status } = trial.responseOf(interaction);
  return [status, status < 300 ? (json ?? null) : null];
}
