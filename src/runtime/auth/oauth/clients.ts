/**
 * Authenticates OAuth clients by `client_secret_basic` or `client_secret_post` (RFC 6749 section 2.3.1). A client is a key that
 * `nonet key create` made: the key's id is the client id, and the store has the hash of the secret. A public client sends only
 * its id (section 2.1); its permissions come from the users who consent.
 */
import type { Clock } from "../../../base/clock.ts";
import type { CredentialPlan } from "../../../plan/authentication/types.ts";
import type { GrantStore, Key, KeyStore } from "../../../store/port/store.ts";
import { subscriberOf } from "../../limits/limiter.ts";
import { endOf, hashSecret, isSecret } from "../api-key.ts";
import { attempt, type FailureLimits } from "../failures.ts";
import type { HttpRequest } from "../../../http/message.ts";
import { OAuthError } from "./error.ts";
import { type Form, formDecoded } from "./form.ts";
import { findRegistered } from "./registered.ts";

export interface Client {
  readonly key: Key;
  /** A public client has not authenticated. */
  readonly isPublic: boolean;
}

/** @throws OAuthError */
export type ProveClient = (httpRequest: HttpRequest, form: Form) => Promise<Client>;

interface ClientDependencies {
  readonly keys: KeyStore;
  readonly grants: GrantStore;
  readonly clock: Clock;
  readonly failures: FailureLimits;
}

/** R5.7: only failures are limited, so attacks do not block clients with a valid secret. */
export function createClients(
  credential: CredentialPlan,
  { keys, grants, clock, failures }: ClientDependencies,
): ProveClient {
  const fromAddress = failures("clients from an address");
  const forClient = failures("clients by their ids");
  const publicClient = async (httpRequest: HttpRequest, form: Form): Promise<Client | undefined> => {
    const id = form.get("client_id");
    if (id === undefined || form.has("client_secret") || httpRequest.headers.get("authorization") !== undefined)
      return undefined;
    const registered = await findRegistered(grants, id);
    const key = registered?.isPublic === true ? await keys.find(registered.hash) : undefined;
    return key !== undefined && isGoodClient(key, credential, clock.now()) ? { key, isPublic: true } : undefined;
  };
  return async (httpRequest, form) => {
    const unproved = await publicClient(httpRequest, form);
    if (unproved !== undefined) return unproved;
    const { id, secret } = presented(httpRequest, form);
    const key = isSecret(credential.prefix, secret) ? await keys.find(hashSecret(secret)) : undefined;
    if (key?.id === id && isGoodClient(key, credential, clock.now())) return { key, isPublic: false };
    const now = clock.now();
    const attempted = await attempt([fromAddress(subscriberOf(httpRequest.address), now), forClient(id, now)], now);
    if ("full" in attempted)
      throw new OAuthError(
        "invalid_client",
        "Too many failed attempts from this address or of this client",
        attempted.waitSeconds,
      );
    throw new OAuthError("invalid_client", "The client is unknown, or its secret is wrong");
  };
}

export function isGoodClient(key: Key, credential: CredentialPlan, now: number): boolean {
  return key.credential === credential.name && endOf(key, credential) > now;
}

/** Exactly one authentication method (RFC 6749 section 2.3). */
function presented({ headers }: HttpRequest, form: Form): { readonly id: string; readonly secret: string } {
  const field = headers.get("authorization");
  const [id, secret] = [form.get("client_id"), form.get("client_secret")];
  if (field === undefined) {
    if (id !== undefined && secret !== undefined) return { id, secret };
    throw new OAuthError("invalid_client", "The client has to authenticate");
  }
  if (headers.repeated("authorization") || secret !== undefined)
    throw new OAuthError("invalid_request", "Use exactly one method of client authentication");
  const [, text = ""] = /^basic +([A-Za-z0-9+/=_-]+) *$/i.exec(field) ?? [];
  const decoded = Buffer.from(text, "base64").toString("utf8");
  const colon = decoded.indexOf(":");
  // Both are form-encoded before the base64 encoding.
  const user = formDecoded(decoded.slice(0, colon));
  const password = formDecoded(decoded.slice(colon + 1));
  if (colon === -1 || user === undefined || password === undefined)
    throw new OAuthError("invalid_client", "The Authorization field is not Basic with a client and its secret");
  if (id !== undefined && id !== user) throw new OAuthError("invalid_request", "The request names two clients");
  return { id: user, secret: password };
}
