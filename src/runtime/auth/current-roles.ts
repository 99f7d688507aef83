/**
 * Finds the current roles of a caller after the caller's request has ended, such as the creator of a webhook (R5.10, R6.13).
 */
import type { Subject } from "../../language/authentication/decide.ts";
import type { AuthenticationPart } from "../../plan/authentication/types.ts";
import type { Key } from "../../store/port/store.ts";
import { isGoodKey } from "./api-key.ts";
import { keyCredentials } from "./mint.ts";
import type { LoginRecords } from "../context/login.ts";

export interface Holder {
  readonly owner: string;
  /** The credential of the caller's request; absent if unknown. */
  readonly credential?: string;
  /** The roles that the caller had at the time of the request. */
  readonly roles: readonly string[];
}

/**
 * Returns those of the caller's former roles that one of its keys still has; undefined if none of its keys is valid any more.
 * A caller that is a record has the roles of the record. Tokens of another issuer cannot be looked up, so their roles stay.
 */
export async function rolesHeld(
  plan: AuthenticationPart,
  logins: ReadonlyMap<string, LoginRecords>,
  keys: readonly Key[],
  holder: Holder,
  now: number,
): Promise<Subject | undefined> {
  const sent = plan.credentials.find(({ name }) => name === holder.credential);
  const scoped = sent === undefined ? plan.credentials.some((one) => one.scoped) : sent.scoped === true;
  const held = await rolesOf(plan, logins, keys, holder, now);
  return held && { roles: held, scoped };
}

async function rolesOf(
  plan: AuthenticationPart,
  logins: ReadonlyMap<string, LoginRecords>,
  keys: readonly Key[],
  { owner, credential, roles }: Holder,
  now: number,
): Promise<readonly string[] | undefined> {
  const users = plan.credentials.find(({ name }) => name === credential)?.oauth?.users;
  const records = logins.get(users?.credential ?? credential ?? "");
  if (records !== undefined) {
    const record = await records.byId(owner);
    // An OAuth client that acted for itself used its key.
    if (record !== undefined || users === undefined)
      return record && roles.filter((role) => record.roles.includes(role));
  }
  const made = keyCredentials(plan).find(({ name }) => name === credential);
  if (made === undefined) return roles;
  const good = keys.filter((key) => key.user === owner && isGoodKey(key, made, now));
  return good.length === 0 ? undefined : roles.filter((role) => good.some((key) => key.roles.includes(role)));
}
