/**
 * Authenticates OAuth clients by `client_secret_basic` or `client_secret_post` (RFC 6749 section 2.3.1). A client is a key that
 * `nonet key create` made: the key's id is the client id, and the store has the hash of the secret. A public client sends only
 * its id (section 2.1); its permissions come from the users who consent.
 */
import type { CredentialPlan } from "../../../plan/authentication/types.ts";
import type { Key } from "../../../store/port/store.ts";
import { subscriberOf } from "../../limits/limiter.ts";
import { findKey, hashSecret, isSecret } from "../api-key.ts";
import { attempt } from "../failures.ts";
import { decode } from "../../routing/target.ts";
import { readBasic } from "../methods.ts";
import type { HttpRequest } from "../../../http/message.ts";
import { OAuthError } from "./error.ts";
import type { Form } from "./form.ts";
import type { OAuthOptions } from "./options.ts";
import { findClient } from "./registered.ts";

export interface Client {
  readonly key: Key;
  /** Set for a public client, which has not authenticated. */
  readonly isPublic: boolean;
}

/** Authenticates a client. @throws OAuthError */
export type ProveClient = (httpRequest: HttpRequest, form: Form) => Promise<Client>;

/**
 * Creates a function that authenticates clients. Only failures are limited, so that attacks do not block clients with a valid
 * secret (R5.7).
 */
export function createClients(credential: CredentialPlan, options: OAuthOptions): ProveClient {
  const { clock, failures } = options;
  const fromAddress = failures("clients from an address");
  const forClient = failures("clients by their ids");
  const publicClient = async (httpRequest: HttpRequest, form: Form): Promise<Client | undefined> => {
    const id = form.get("client_id");
    if (id === undefined || form.has("client_secret") || httpRequest.headers.get("authorization") !== undefined)
      return undefined;
    const client = await findClient(credential, options, id, clock.now());
    return client?.isPublic === true ? client : undefined;
  };
  return async (httpRequest, form) => {
    const unproved = await publicClient(httpRequest, form);
    if (unproved !== undefined) return unproved;
    const { id, secret } = presented(httpRequest, form);
    const now = clock.now();
    const isKey = isSecret(credential.prefix, secret);
    const key = isKey ? await findKey(credential, options.keys, hashSecret(secret), now) : undefined;
    if (key?.id === id) return { key, isPublic: false };
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

/** Returns the sent credentials; rejects more than one authentication method (RFC 6749 section 2.3). */
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
  // Name and secret were form-encoded before the base64 encoding.
  const [name, secretText] = readBasic(text);
  const user = decode(name);
  const password = secretText === undefined ? undefined : decode(secretText);
  if (user === undefined || password === undefined)
    throw new OAuthError("invalid_client", "The Authorization field is not Basic with a client and its secret");
  if (id !== undefined && id !== user) throw new OAuthError("invalid_request", "The request names two clients");
  return { id: user, secret: password };
}
