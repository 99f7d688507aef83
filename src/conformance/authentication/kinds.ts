/** The kinds of callers by their roles: what reports call them, and who of the test is one. */
import { NotTried } from "../case.ts";
import { anonymous, type Caller } from "../caller.ts";
import { callerWith as lentWith } from "../trial/callers.ts";
import type { Trial } from "../trial/trial.ts";

export function roleText(roles: readonly string[]): string {
  return roles.length === 0 ? "no role" : `the role ${roles.join(" and ")}`;
}

/** @param roles undefined for callers without a credential */
export function kindText(roles: readonly string[] | undefined): string {
  return roles === undefined ? "a caller without a credential" : `a caller with ${roleText(roles)}`;
}

/** Returns the kind of callers in the id of a case. */
export function kindId(roles: readonly string[] | undefined): string {
  return roles === undefined ? "anonymous" : `[${roles.join(",")}]`;
}

/** Returns a made-up caller with these roles, for permissions that depend on roles alone. It sends no requests. */
export function callerLike(roles: readonly string[] | undefined): Caller {
  return { ...anonymous, roles: roles ?? [], signedIn: roles !== undefined };
}

/** Returns a caller with exactly these roles; `number` 1 is another user. @throws NotTried if the test has none */
export async function callerWith(trial: Trial, roles: readonly string[] | undefined, number = 0): Promise<Caller> {
  if (roles === undefined) return anonymous;
  const same = (await trial.callers()).filter(
    (one) => one.signedIn && one.roles.length === roles.length && roles.every((role) => one.roles.includes(role)),
  );
  const found = same[number] ?? (roles.length === 0 ? await lentWith(trial, roles, number + 1) : undefined);
  if (found !== undefined) return found;
  const which = number === 0 ? "" : "second ";
  throw new NotTried(`the test has no ${which}caller with ${roleText(roles)}`, `a credential with ${roleText(roles)}`);
}
