/** Requests that show whether the service accepts a credential: those that get 401 without one. */
import { NotTried } from "../case.ts";
import { type Caller, anonymous } from "../caller.ts";
import { mayEverRun } from "../permissions.ts";
import { type Contract, type Operation, needsRecord } from "../contract.ts";
import { rolesOf } from "../roles.ts";
import { callerWith, isOfRecords, lentCaller, signUp } from "../trial/callers.ts";
import { recordFor } from "../trial/calls.ts";
import type { KnownRecord } from "../trial/known.ts";
import type { Trial } from "../trial/trial.ts";
import { presentOf } from "../trial/world.ts";
import { callerLike } from "./kinds.ts";
import { tokenCaller } from "../web-token.ts";

/** Returns the operations that need a credential, those that need the least besides it first. */
export function probesOf(contract: Contract): readonly Operation[] {
  const cost = (one: Operation): number => (needsRecord(one) ? 2 : 0) + (one.endpoint.method === "GET" ? 0 : 1);
  return [...contract.operations.values()]
    .filter((one) => !mayEverRun(contract, one.operation, anonymous))
    .filter((one) => !["login", "renew", "logout", "delete", "clear"].includes(one.action))
    .filter(({ endpoint }) => endpoint.wire === undefined && endpoint.the === undefined)
    .toSorted((one, other) => cost(one) - cost(other));
}

export interface Probe {
  readonly caller: Caller;
  readonly operation: string;
  /** The record of the caller that the operation is about. */
  readonly record?: KnownRecord;
}

/**
 * Returns a caller with the credential, and an operation that the caller may run. `number`: callers of other numbers are other
 * users. @throws NotTried if the test has no such caller
 */
export async function probeWith(trial: Trial, credential: string, number: number): Promise<Probe> {
  const { contract } = trial;
  for (const called of probesOf(contract)) {
    const { operation } = called;
    for (const roles of rolesOf(contract)) {
      if (!mayEverRun(contract, operation, callerLike(roles))) continue;
      const caller = await callerOf(trial, credential, roles, number);
      if (caller === undefined) continue;
      return needsRecord(called)
        ? { caller, operation, record: await recordFor(trial, called, caller) }
        : { caller, operation };
    }
  }
  throw new NotTried(`the test has no caller with the credential ${credential}`, `a credential ${credential}`);
}

/** Numbers from here on are those of users whose credential a case lets end. */
const firstNew = 1000;

/** The same with a user who is only in this run of the case: a case that runs again needs another one. */
export function probeWithNew(trial: Trial, credential: string): Promise<Probe> {
  return probeWith(trial, credential, firstNew + trial.world.count());
}

async function callerOf(
  trial: Trial,
  credential: string,
  roles: readonly string[],
  number: number,
): Promise<Caller | undefined> {
  const { contract, world } = trial;
  if (isOfRecords(contract, credential)) return signUp(trial, roles, number, credential);
  const lent = await lentCaller(trial, roles, number, credential);
  if (lent?.credential === credential) return lent;
  const usual = await callerWith(trial, roles, number);
  if (usual?.credential === credential) return usual;
  const now = (): number => presentOf(world);
  return tokenCaller(contract, world.target.secrets, { roles, number, now, credential });
}
