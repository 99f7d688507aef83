/**
 * With which operation, callers and records a test uses up one rate limit and no other: whatever else limits these requests has to
 * admit more of them, and has to be unused.
 */
import { partsOf } from "../../language/endpoints/model.ts";
import type { Json } from "../../base/json.ts";
import { NotTried } from "../case.ts";
import { anonymous, type Caller } from "../caller.ts";
import { mayEverRun } from "../permissions.ts";
import { type Operation, needsRecord } from "../contract.ts";
import { listNames } from "../response.ts";
import { rolesOf } from "../roles.ts";
import { newCaller } from "../trial/callers.ts";
import { type BuiltRequest, requestFor } from "../trial/calls.ts";
import type { Trial } from "../trial/trial.ts";
import { applies, countedBy, isByCaller, isByRecord, linesFor, type RateLine } from "./rate-lines.ts";

export interface Setting {
  readonly called: Operation;
  readonly caller: Caller;
  /** Another caller who may run the operation, if there is one. */
  readonly other: Caller | undefined;
  /** Whether these callers have sent no requests before. */
  readonly isNew: boolean;
  /**
   * The requests that use up the limit, each as often as the limits of its record admit; only one, if the line is per record; for
   * two operations, if the line is for all of them.
   */
  readonly requests: readonly BuiltRequest[];
}

/** How many records a test makes so that no limit per record is in the way. */
const mostRecords = 20;

/** How many more requests than the limit admits a case sends. */
const more = 4;

export async function settingFor(trial: Trial, line: RateLine, number: number): Promise<Setting> {
  let problem = new NotTried(`no operation shows this limit before another one`);
  for (const called of operationsFor(trial, line)) {
    for (const kind of kindsFor(trial, line, called)) {
      const records = recordsNeeded(trial, line, called, kind);
      if (records === undefined) continue;
      const caller = await callerLike(trial, kind, number);
      if (caller === undefined) {
        problem = new NotTried(`the test has no caller for ${called.operation}`, "a credential");
        continue;
      }
      const other = await callerLike(trial, kind, number + 1, caller.caller);
      const isNew = caller.isNew && (other === undefined || other.isNew);
      const requests: BuiltRequest[] = [];
      for (let count = 0; count < records; count += 1)
        requests.push(await requestTo(trial, line, called, caller.caller));
      const second = records === 1 ? alternativeTo(trial, line, called, kind) : undefined;
      if (second !== undefined) requests.push(await requestTo(trial, line, second, caller.caller));
      return { called, caller: caller.caller, other: other?.caller, isNew, requests };
    }
  }
  throw problem;
}

/** Returns the operations that the line counts: those first that change nothing and need no record. */
function operationsFor({ contract, world }: Trial, line: RateLine): readonly Operation[] {
  const cost = (called: Operation): number =>
    Number(called.endpoint.method !== "GET") * 2 + Number(needsRecord(called));
  return [...contract.operations.values()]
    .filter((called) => line.target === called.operation || (isGeneral(line) && isHarmless(called)))
    .filter((called) => countedBy(called, line.rate) !== undefined && !world.target.skipped.has(called.operation))
    .toSorted((one, other) => cost(one) - cost(other));
}

/** A limit of all operations counts the requests for several of them together: returns another one that has the same limits. */
function alternativeTo(trial: Trial, line: RateLine, called: Operation, kind: Caller): Operation | undefined {
  const { contract } = trial;
  const limits = (one: Operation): string =>
    linesFor(contract, one, kind)
      .map(({ path }) => path)
      .join();
  return operationsFor(trial, line).find(
    (one) =>
      isGeneral(line) &&
      one !== called &&
      one.endpoint.method === "GET" &&
      !needsRecord(one) &&
      one.parents.length === 0 &&
      mayEverRun(contract, one.operation, kind) &&
      limits(one) === limits(called),
  );
}

function isGeneral({ target }: RateLine): boolean {
  return target === "all" || target === "anyone";
}

/** Logins may have limits that the document does not write, and what an endpoint with a contract of its own does is unknown. */
function isHarmless({ action, endpoint }: Operation): boolean {
  return endpoint.wire === undefined && action !== "login" && action !== "renew" && action !== "logout";
}

/**
 * Returns the kinds of callers whose requests the line counts and who may run the operation. If every operation needs a credential,
 * the line for requests without one counts the rejected requests.
 */
function kindsFor({ contract }: Trial, line: RateLine, called: Operation): readonly Caller[] {
  const signedIn = rolesOf(contract).map((roles): Caller => ({ ...anonymous, roles, signedIn: true }));
  const isClosed = [...contract.operations.keys()].every((one) => !mayEverRun(contract, one, anonymous));
  return [...signedIn, anonymous].filter(
    (kind) =>
      applies(line, called, kind) && (mayEverRun(contract, called.operation, kind) || (isClosed && !kind.signedIn)),
  );
}

/** Returns with how many records the requests stay below all other limits; undefined if they cannot. */
function recordsNeeded({ contract }: Trial, line: RateLine, called: Operation, kind: Caller): number | undefined {
  const needed = line.capacity + more;
  const others = linesFor(contract, called, kind).filter((one) => one.path !== line.path);
  const counts = others.map((one) => (isByRecord(one) && !isByRecord(line) ? Math.ceil(needed / one.capacity) : 1));
  const isPossible = others.every((one) => one.capacity >= needed || (isByRecord(one) && !isByRecord(line)));
  const records = Math.max(1, ...counts);
  return isPossible && records <= mostRecords ? records : undefined;
}

interface Found {
  readonly caller: Caller;
  readonly isNew: boolean;
}

/** Returns a caller of a kind, if possible one that no other case uses. `besides`: the caller that it must not be. */
async function callerLike(trial: Trial, kind: Caller, number: number, besides?: Caller): Promise<Found | undefined> {
  if (!kind.signedIn) return besides === undefined ? { caller: anonymous, isNew: false } : undefined;
  const { roles } = kind;
  const found = await newCaller(trial, roles, number);
  if (found !== undefined) return { caller: found, isNew: true };
  const known = (await trial.callers()).find(
    (one) =>
      one.signedIn &&
      one !== besides &&
      one.roles.length === roles.length &&
      roles.every((role) => one.roles.includes(role)),
  );
  return known === undefined ? undefined : { caller: known, isNew: false };
}

/** Builds a request of the operation; for a record that no other request is about, if a limit counts by records. */
export async function requestTo(
  trial: Trial,
  { rate }: RateLine,
  called: Operation,
  caller: Caller,
): Promise<BuiltRequest> {
  const by = countedBy(called, rate);
  const parent = by?.kind === "parameter" ? called.parents.find((one) => one.parameter === by.parameter) : undefined;
  const path: Record<string, Json> = {};
  if (parent !== undefined) {
    const record = await trial.make(parent.resource, { creator: caller });
    const parts = partsOf(parent);
    if (parts.some(({ column }) => !record.values.has(column))) await trial.look(record);
    for (const { column, parameter } of parts) path[parameter] = record.values.get(column) ?? null;
  }
  return requestFor(trial, called, { caller, path, query: shortPage(trial, called) });
}

/** Asks for pages of one record, since the test may read many of them. */
function shortPage({ contract }: Trial, called: Operation): Readonly<Record<string, string>> {
  const style = called.endpoint.lists ?? contract.model.endpoints.lists;
  if (called.action !== "list" || style === undefined || style.kind === "none" || style.max === undefined) return {};
  return { [listNames(contract, called).limit]: "1" };
}

// ── Unused limits ──────────────────────────────────────────────────────────────────────────────────────────────────

/** How long a window may be that is waited for although another limit is the subject of the case. */
const longestWait = 3_600_000;

/**
 * Waits until no earlier request counts in the limits of the setting's requests. Returns whether that is certain of all of them.
 *
 * @throws NotTried if it takes too long until the line itself is unused
 */
export async function freshen(trial: Trial, line: RateLine, setting: Setting): Promise<boolean> {
  const used = linesFor(trial.contract, setting.called, setting.caller).filter(
    (one) => !isUnused(trial, line, one, setting),
  );
  const waited = used.filter((one) => one.path === line.path || one.freshMilliseconds <= longestWait);
  const milliseconds = Math.max(0, ...waited.map((one) => one.freshMilliseconds));
  if (milliseconds > 0) await letPass(trial, milliseconds + 1000);
  return used.length === waited.length;
}

function isUnused(trial: Trial, line: RateLine, one: RateLine, { called, caller, isNew }: Setting): boolean {
  if (isByRecord(one)) {
    const by = countedBy(called, one.rate);
    const isNewRecord = by?.kind === "parameter" && (one.path === line.path || by.parameter === called.key?.parameter);
    return isNewRecord && one.target === called.operation;
  }
  if (!isNew || !isByCaller(one, caller)) return false;
  return countSoFar(trial, one, caller) <= (one.path === line.path ? 0 : one.capacity - line.capacity - more);
}

/** Returns how many requests of the case the line has counted so far. */
function countSoFar({ contract, interactions }: Trial, line: RateLine, caller: Caller): number {
  return interactions.filter(({ caller: name, operation }) => {
    const called = operation === undefined ? undefined : contract.operations.get(operation);
    return name === caller.name && called !== undefined && applies(line, called, caller);
  }).length;
}

/** Lets time pass: with the test clock, or else by waiting. */
export async function letPass(trial: Trial, milliseconds: number): Promise<void> {
  const { deadline, target } = trial.world;
  if (target.clock !== undefined) return trial.pass(milliseconds);
  if (target.now() + milliseconds >= deadline)
    throw new NotTried("it takes too long until the limit is unused", "a test clock, or a larger --budget");
  await target.wait(milliseconds);
}
