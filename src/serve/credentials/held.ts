/** What roles a caller still has whose request has long been answered, such as whoever made a webhook (R5.10, R6.13). */
import type { Plan } from "../../plan/plan.ts";
import type { Key } from "../../store/store.ts";
import { endOf } from "./api-key.ts";
import { keyCredentials } from "./mint.ts";

export interface Holder {
  readonly owner: string;
  /** The credential that was sent; absent: it is not known. */
  readonly credential?: string;
  /** The roles of then. */
  readonly roles: readonly string[];
}

/**
 * Those roles of then that a key of theirs still gives; undefined where no key of theirs is good any more. Tokens of
 * somebody else are not known here, so for whoever sent one the roles of then stand.
 */
export function rolesHeld(
  plan: Plan,
  keys: readonly Key[],
  { owner, credential, roles }: Holder,
  now: number,
): readonly string[] | undefined {
  const made = keyCredentials(plan).find(({ name }) => name === credential);
  if (made === undefined) return roles;
  const good = keys.filter((key) => key.user === owner && key.credential === made.name && now < endOf(key, made));
  return good.length === 0 ? undefined : roles.filter((role) => good.some((key) => key.roles.includes(role)));
}
