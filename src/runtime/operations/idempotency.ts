/** Implements idempotency keys (R4.18 to R4.20): one transaction contains the operation, the stored response and the key. */
import { hash } from "node:crypto";
import { after } from "../../base/after.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import type { BodyPlan } from "../../plan/endpoints/types.ts";
import type { Awaitable, StoredResponse, Transaction } from "../../store/port/store.ts";
import type { Call } from "../context/context.ts";
import { hashWithSalt, secretText } from "../auth/password.ts";
import type { HttpResponse } from "../../http/message.ts";
import { malformed, ApiError } from "../errors/api-error.ts";
import { canonicalText } from "../../http/json.ts";
import { hasPlaceholders, remarked } from "../auth/token-placeholders.ts";
import { Uploaded } from "../validation/upload.ts";
import { sentFor } from "../versions/request.ts";

export interface IdempotencyKey {
  readonly key: string;
  /** The owner of the key: callers never share keys. */
  readonly scope: string;
  readonly fingerprint: string;
}

/** Returns the request's idempotency key, if the operation supports one; throws 400 for a malformed or missing key. */
export function idempotencyKeyOf(call: Call): Awaitable<IdempotencyKey | undefined> {
  const { operation } = call.compiled;
  if (operation.repeats === undefined) return undefined;
  const header = operation.repeats.header.toLowerCase();
  const field = call.httpRequest.headers.get(header);
  if (field === undefined) {
    if (!operation.repeats.required) return undefined;
    throw malformed({ header, code: "required", detail: `Send ${operation.repeats.header}` });
  }
  const key = keyIn(field);
  if (key === undefined || call.httpRequest.headers.repeated(header)) {
    throw malformed({
      header,
      code: "bad-header",
      detail: `${operation.repeats.header} has to be 1 to 255 printable ASCII characters, with or without quotes`,
    });
  }
  const scope = `${call.caller.credential ?? ""}\0${call.caller.id ?? call.httpRequest.address}`;
  return after(withoutSecrets(call, `${scope}\0${key}`), (input) => {
    return { key, scope, fingerprint: fingerprintOf(call, input) };
  });
}

/** Returns the header field with the request's key, if responses have it. */
export function echoedKey({ compiled, httpRequest }: Call): readonly string[] | undefined {
  const { repeats } = compiled.operation;
  const field = repeats?.echoed === true ? httpRequest.headers.get(repeats.header.toLowerCase()) : undefined;
  return repeats === undefined || field === undefined ? undefined : [repeats.header, field];
}

/**
 * Returns the key in a field: a quoted string (RFC 9651 section 3.3.3) and the bare text are the same key; undefined for other
 * values.
 */
function keyIn(field: string): string | undefined {
  const key = field.startsWith('"') ? quoted.exec(field)?.[1]?.replace(/\\(.)/g, "$1") : bare.exec(field)?.[0];
  return key === undefined || key.length > 255 || key.trim() === "" ? undefined : key;
}

const quoted = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;
const bare = /^[\x20\x21\x23-\x7e]+$/;

/**
 * Returns the sent body with its secrets replaced by slow hashes: the stored fingerprint must not make secrets easier to guess
 * than their stored hashes.
 */
function withoutSecrets(call: Call, location: string): Awaitable<Json> {
  const { body, session } = call.compiled.operation;
  const sent = call.envelope?.sent ?? call.input;
  const files = Object.values(call.input).some((value) => value instanceof Uploaded);
  const hasSecrets = session?.proof !== undefined || secretMembers(body).length > 0;
  return hasSecrets || files ? replaced(call, location, sent, files) : sent;
}

function secretMembers(body: BodyPlan | undefined): readonly string[] {
  return [...(body?.fields ?? []), ...(body?.others ?? [])].flatMap(({ name, secret }) =>
    secret === true ? [name] : [],
  );
}

async function replaced(call: Call, location: string, content: Json, files: boolean): Promise<Json> {
  const { body, session } = call.compiled.operation;
  const hashes = new Map<string, string>();
  for (const name of [...secretMembers(body), ...(session?.proof === undefined ? [] : [session.proof])]) {
    const sent = sentFor(call, name) ?? null;
    if (sent === null) continue;
    const salt = hash("sha256", location, "buffer").subarray(0, 16);
    hashes.set(canonicalText(sent), await hashWithSalt(secretText(sent), salt));
  }
  const instead = (value: Json): Json => {
    const hashed = hashes.get(canonicalText(value));
    if (hashed !== undefined) return hashed;
    // The id is omitted, since a repeated upload of the same file has another one.
    if (value instanceof Uploaded) return { type: value.type, sha256: value.sha256, name: value.name ?? null };
    if (Array.isArray(value)) return value.map(instead);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value as JsonObject).map(([name, member]) => [name, instead(member)]));
  };
  return hashes.size === 0 && !files ? content : instead(content);
}

/** Returns a hash of method, path, query and parsed body; member order and white space do not matter (R4.19). */
function fingerprintOf(call: Call, input: Json): string {
  const query = call.query.size === 0 ? [] : [...call.query].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const { httpRequest, path, version } = call;
  const text = `${version.tag}\n${httpRequest.method}\n${path}\n${JSON.stringify(query)}\n${canonicalText(input)}`;
  return hash("sha256", text, "base64url");
}

/** Returns the stored response, byte for byte; throws 422 if the key was used for another request. */
export function replay(
  call: Call,
  tx: Transaction,
  idempotencyKey: IdempotencyKey,
): Awaitable<HttpResponse | undefined> {
  return after(tx.findResponse(idempotencyKey.scope, idempotencyKey.key), (first) =>
    first === undefined || first.expires <= call.now ? undefined : replayed(call, idempotencyKey, first),
  );
}

function replayed(call: Call, idempotencyKey: IdempotencyKey, first: StoredResponse): HttpResponse {
  if (first.fingerprint !== idempotencyKey.fingerprint) {
    throw new ApiError("idempotency-key-reused", { detail: "This idempotency key was used for another request" });
  }
  const { [placeholderHeader]: nonce, ...publicHeaders } = first.headers;
  const headers = Object.entries(publicHeaders).flat();
  const body = nonce === undefined ? first.body : remarked(call, first.body, nonce);
  return {
    status: first.status,
    headers: [...headers, "Idempotent-Replayed", "true"],
    ...(body === "" ? {} : { body }),
  };
}

/**
 * The header field of a stored response with the nonce of its placeholders. Tokens are not stored; a replay creates new ones.
 */
const placeholderHeader = "Nonet-Marks";

export function saveResponse(
  call: Call,
  tx: Transaction,
  idempotencyKey: IdempotencyKey,
  response: HttpResponse,
  expires: number,
): Awaitable<void> {
  const headers: Record<string, string> = {};
  if (call.placeholders !== undefined && hasPlaceholders(call, response))
    headers[placeholderHeader] = call.placeholders.nonce;
  for (let i = 0; i + 1 < response.headers.length; i += 2)
    headers[response.headers[i] as string] = response.headers[i + 1] as string;
  const stored: StoredResponse = {
    fingerprint: idempotencyKey.fingerprint,
    status: response.status,
    headers,
    body: typeof response.body === "string" ? response.body : "",
    expires,
  };
  return tx.saveResponse(idempotencyKey.scope, idempotencyKey.key, stored);
}
