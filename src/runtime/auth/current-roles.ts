/** The current roles of a caller after its request has ended, such as the creator of a webhook (R5.10, R6.13). */
import type { Subject } from "../../language/authentication/decide.ts";
import type { AuthenticationPart } from "../../plan/authentication/types.ts";
import type { Key } from "../../store/port/store.ts";
import { endOf } from "./api-key.ts";
import { keyCredentials } from "./mint.ts";
import type { LoginRecords } from "../context/login.ts";

export interface Holder {
  readonly owner: string;
  /** The credential that was sent; absent: it is not known. */
  readonly credential?: string;
  /** The roles of then. */
  readonly roles: readonly string[];
}

/**
 * Those roles of then that a key of theirs still gives; undefined where no key of theirs is good any more. Tokens of
 * somebody else are not known here, so for whoever sent one the roles of then stand. Who is a record has those that it has.
 */
export async function rolesHeld(
  plan: AuthenticationPart,
  logins: ReadonlyMap<string, LoginRecords>,
  keys: readonly Key[],
  { owner, credential, roles }: Holder,
  now: number,
): Promise<Subject | undefined> {
  const sent = plan.credentials.find(({ name }) => name === credential);
  const scoped = sent === undefined ? plan.credentials.some((one) => one.scoped) : sent.scoped === true;
  const held = await rolesOf(
    plan,
    logins,
    keys,
    { owner, roles, ...(credential === undefined ? {} : { credential }) },
    now,
  );
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
    // A client of OAuth may have come for itself, by its key.
    if (record !== undefined || users === undefined)
      return record && roles.filter((role) => record.roles.includes(role));
  }
  const made = keyCredentials(plan).find(({ name }) => name === credential);
  if (made === undefined) return roles;
  const good = keys.filter((key) => key.user === owner && key.credential === made.name && now < endOf(key, made));
  return good.length === 0 ? undefined : roles.filter((role) => good.some((key) => key.roles.includes(role)));
}
