/**
 * Puts tokens into responses. For `token(session)` of the document the store writes a placeholder into the text; a token
 * replaces it just before the response is sent. This happens in the transaction of the request, so a rollback leaves no
 * session, and after the response was saved for its idempotency key, so no secret is stored (R4.20).
 *
 * A token belongs to the record in the response. The server creates one for a record that this request created or that has
 * just logged in; a caller with a session gets the token of that session. For other records the member is null. Placeholders
 * start with a nonce, so that no stored text can imitate one.
 */
import { instantText } from "../../base/clock.ts";
import { defined } from "../../base/defined.ts";
import type { Value } from "../../expression/evaluate.ts";
import type { CredentialPlan } from "../../plan/authentication/types.ts";
import type { Awaitable, Transaction } from "../../store/port/store.ts";
import { type Call, type Context, credentialNamed } from "../context/context.ts";
import type { SessionSecrets, TokenPlaceholders } from "../context/login.ts";
import { openSession } from "./session.ts";
import type { HttpResponse } from "../../http/message.ts";
import { idText } from "../context/caller.ts";
import { setCookies } from "./locations.ts";

/** Allows tokens for a record that the caller has created, or as which the caller has logged in. */
export function allowTokens(
  { placeholders }: Call,
  resource: string,
  id: Value | undefined,
  secrets?: SessionSecrets,
): void {
  placeholders?.proved.set(`${resource}\0${idText(id)}`, secrets);
}

const uses = ["token", "refreshToken", "expiry"] as const;

/** Creates the placeholders of a request; undefined if the document has no password credential. */
export function createPlaceholders(
  credentials: readonly CredentialPlan[],
  random: Context["random"],
): TokenPlaceholders | undefined {
  const passwordCredentials = credentials.filter(({ kind }) => kind === "password");
  if (passwordCredentials.length === 0) return undefined;
  const nonce = Buffer.from(random(18)).toString("base64url");
  const placeholders = passwordCredentials.map(({ name }) => {
    return [name, Object.fromEntries(uses.map((use) => [use, `${nonce}:${use}:${name}:`]))] as const;
  });
  return { nonce, variable: { ...Object.fromEntries(placeholders), end: `:${nonce}` }, proved: new Map() };
}

/** Returns the text without nonces, so that it is the same for each request: the input of the entity tag. */
export function unmarked({ placeholders }: Call, text: string): string {
  return placeholders === undefined ? text : text.replaceAll(placeholders.nonce, "");
}

export function hasPlaceholders({ placeholders }: Call, { body }: HttpResponse): boolean {
  return placeholders !== undefined && typeof body === "string" && body.includes(placeholders.nonce);
}

/** Returns the response without the placeholders of records whose tokens this caller may not have. */
export function admitted(call: Call, response: HttpResponse): HttpResponse {
  if (call.placeholders === undefined || !hasPlaceholders(call, response)) return response;
  const { nonce } = call.placeholders;
  const without = (instead: string) => (match: string, use: string, name: string, id: string) => {
    return isFor(call, name, idIn(id), use) ? match : instead;
  };
  // Inside a longer text, the placeholder is only a part of the value.
  const values = (response.body as string).replaceAll(placeholderPattern(nonce, '"'), without("null"));
  return { ...response, body: values.replaceAll(placeholderPattern(nonce, ""), without("")) };
}

function isFor({ placeholders, caller, context }: Call, credential: string, id: string, use: string): boolean {
  if (placeholders?.proved.has(provedKey(context, credential, id)) === true) return true;
  return use !== "refreshToken" && caller.session !== undefined && caller.credential === credential && caller.id === id;
}

function provedKey({ plan }: Context, credential: string, id: string): string {
  return `${plan.credentials.find(({ name }) => name === credential)?.login?.resource}\0${id}`;
}

/** Returns the response with its tokens, which are created in the transaction. */
export function withTokens(call: Call, tx: Transaction | undefined, result: HttpResponse): Awaitable<HttpResponse> {
  return call.placeholders === undefined ? result : withMade(call, tx, result);
}

async function withMade(call: Call, tx: Transaction | undefined, result: HttpResponse): Promise<HttpResponse> {
  const response = admitted(call, result);
  const { placeholders } = call;
  if (placeholders === undefined) return response;
  const cookie = await cookieOf(call, tx, result);
  if (!hasPlaceholders(call, response)) return withHeaders(response, cookie);
  const text = response.body as string;
  const pattern = placeholderPattern(placeholders.nonce, "");
  const secrets = new Map<string, SessionSecrets>();
  for (const [, , name = "", id = ""] of text.matchAll(pattern)) {
    const key = `${name}\0${id}`;
    if (!secrets.has(key)) secrets.set(key, await secretsOf(call, tx, name, idIn(id)));
  }
  const body = text.replaceAll(pattern, (_, use: (typeof uses)[number], name: string, id: string) => {
    return textOf(defined(secrets.get(`${name}\0${id}`), `a token of ${name}`), use);
  });
  const headers = response.headers.map((field, index) =>
    index % 2 === 1 && response.headers[index - 1] === "Cache-Control" ? "no-store" : field,
  );
  return withHeaders({ ...response, headers, body }, cookie);
}

function withHeaders(response: HttpResponse, more: readonly string[]): HttpResponse {
  return more.length === 0 ? response : { ...response, headers: [...response.headers, ...more] };
}

/** Returns the cookie with the token of a session that this request begins or renews, if the document declares one. */
async function cookieOf(call: Call, tx: Transaction | undefined, { status }: HttpResponse): Promise<readonly string[]> {
  const { placeholders, context, now } = call;
  const { session } = call.compiled.operation;
  if (session === undefined || status >= 300) return [];
  const { plan } = context;
  const { login, name, sent } = credentialNamed(context, session.credential);
  if (!sent.some((one) => "cookie" in one && one.set !== undefined)) return [];
  if (call.compiled.operation.action === "logout") return setCookies(plan, sent, context.baseUrl(), "", 0);
  const [key] = [...(placeholders?.proved.keys() ?? [])].filter((one) => one.startsWith(`${login?.resource}\0`));
  if (key === undefined) return [];
  const secrets = await secretsOf(call, tx, name, key.slice(key.indexOf("\0") + 1));
  placeholders?.proved.set(key, secrets);
  const age = secrets.expires === undefined ? undefined : Math.floor((secrets.expires - now) / 1000);
  return setCookies(plan, sent, context.baseUrl(), secrets.token, age);
}

async function secretsOf(call: Call, tx: Transaction | undefined, name: string, user: string): Promise<SessionSecrets> {
  const { caller, placeholders, context, now } = call;
  const ready = placeholders?.proved.get(provedKey(context, name, user));
  if (ready !== undefined) return ready;
  if (caller.session !== undefined && caller.credential === name && caller.id === user) return caller.session;
  if (tx === undefined) throw new Error("a token would be made by what only reads");
  const credential = credentialNamed(context, name);
  const session = context.newId("ses");
  return openSession(tx, { credential, user, session, now }, context.random);
}

/**
 * Returns the text of a token or of its expiry; empty for a session without expiry (`until revoked`), for which the response
 * has null.
 */
function textOf({ token, refreshToken, expires }: SessionSecrets, use: (typeof uses)[number]): string {
  if (use === "token") return token;
  if (use === "refreshToken") return refreshToken ?? "";
  return expires === undefined ? "" : instantText(expires);
}

/** Returns a pattern for placeholders with `around` on both sides. An id may be any text; in JSON it is escaped. */
function placeholderPattern(nonce: string, around: "" | '"'): RegExp {
  return new RegExp(`${around}${nonce}:(${uses.join("|")}):([^:"]+):((?:[^"\\\\]|\\\\.)*?):${nonce}${around}`, "g");
}

function idIn(escaped: string): string {
  return JSON.parse(`"${escaped}"`) as string;
}

/**
 * Replaces the placeholders of a stored response with those of this request, and allows their tokens, as the first request
 * did.
 */
export function remarked(call: Call, text: string, nonce: string): string {
  const { placeholders, context } = call;
  if (placeholders === undefined) return text;
  for (const [, , name = "", id = ""] of text.matchAll(placeholderPattern(nonce, ""))) {
    placeholders.proved.set(provedKey(context, name, idIn(id)), undefined);
  }
  return text.replaceAll(nonce, placeholders.nonce);
}
