/**
 * Stores the OAuth registration of a client next to its key: redirect addresses, and whether it is public. A client without a
 * registration acts only for itself.
 */
import type { CredentialPlan } from "../../../plan/authentication/types.ts";
import type { GrantStore, Key } from "../../../store/port/store.ts";
import { findKey } from "../api-key.ts";
import type { TokenDependencies } from "./options.ts";

export interface Registered {
  readonly key: Key;
  readonly redirects: readonly string[];
  /** Whether the client cannot store a secret: a mobile app or a browser page (RFC 6749 section 2.1). */
  readonly isPublic: boolean;
}

const kind = "client";

export async function register(
  grants: GrantStore,
  key: Key,
  { redirects, isPublic }: Pick<Registered, "redirects" | "isPublic">,
): Promise<void> {
  const text = JSON.stringify({ hash: key.hash, redirects, isPublic });
  await grants.put({ kind, id: key.id, group: key.id, text, expires: key.expires ?? Number.MAX_SAFE_INTEGER });
}

/** Returns a client; undefined if it has no registration or its key has ended. */
export async function findClient(
  credential: CredentialPlan,
  { grants, keys }: TokenDependencies,
  id: string,
  now: number,
): Promise<Registered | undefined> {
  const found = await grants.find(kind, id);
  if (found === undefined) return undefined;
  const { hash, redirects, isPublic } = JSON.parse(found.text) as Omit<Registered, "key"> & { readonly hash: string };
  const key = await findKey(credential, keys, hash, now);
  return key && { key, redirects, isPublic };
}

/** Returns the reason why a redirect URL is invalid; undefined for a valid one (RFC 8252 section 7, RFC 9700 section 2.1). */
export function redirectProblem(text: string): string | undefined {
  if (!URL.canParse(text)) return "is no absolute address";
  const { protocol, hostname, username, password } = new URL(text);
  if (text.includes("#")) return "has a fragment";
  if (/[*\s\\]/.test(text)) return "has a character that no address to be compared has";
  if (username !== "" || password !== "") return "has a name or a password in it";
  if (protocol === "https:") return undefined;
  if (protocol === "http:")
    return loopback.includes(hostname) ? undefined : "is not https, and not on 127.0.0.1, [::1] or localhost";
  return /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:$/.test(protocol)
    ? undefined
    : "has a scheme of its own that is no domain turned round, such as com.example.app";
}

const loopback = ["127.0.0.1", "[::1]", "localhost"];
