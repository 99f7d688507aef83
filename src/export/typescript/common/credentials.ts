/** Adds credentials to a request. */
import type { Login, Secret } from "./calls.ts";
import type { CredentialDescription, OperationDescription, ServiceDescription } from "./description.ts";
import type { UsedOptions } from "./request.ts";
import { filled, hmacKey, isSignature } from "./signatures.ts";

export { authorize, canRenew };

// ── Credentials ────────────────────────────────────────────────────────────────────────────────────────────────────

interface OutgoingRequest {
  readonly url: string;
  readonly operation: OperationDescription;
  readonly body: string | Blob;
  readonly headers: Headers;
  /** The id of the call, the same for all attempts. */
  readonly id: string;
  readonly rejected: boolean;
}

/** Adds the credentials to the header fields, and returns the address, which contains those of the query. */
async function authorize(
  { credentials }: ServiceDescription,
  clientOptions: UsedOptions,
  outgoing: OutgoingRequest,
): Promise<string> {
  const { headers } = outgoing;
  let { url } = outgoing;
  const signing: (() => Promise<void>)[] = [];
  for (const [name, secret] of Object.entries(clientOptions.credential ?? {})) {
    const credential = credentials[name];
    if (credential === undefined) throw new TypeError(`the service has no credential ${name}`);
    const text = await textOf(secret, outgoing.rejected);
    if (credential.kind === "signature") signing.push(() => sign(credential, text, { ...outgoing, url }));
    else if (credential.in === "header") headers.set(credential.name, withScheme(credential, text));
    else if (credential.in === "cookie") headers.set("Cookie", withCookie(headers, `${credential.name}=${text}`));
    else url += `${url.includes("?") ? "&" : "?"}${credential.name}=${encodeURIComponent(text)}`;
  }
  // A signature may cover the address, so it comes after the credentials in the query.
  for (const add of signing) await add();
  return url;
}

function withScheme({ scheme }: CredentialDescription, text: string): string {
  return scheme === undefined ? text : `${scheme} ${text}`;
}

/** A request has one field `Cookie` with all cookies. Browsers ignore this field, and send their own cookies. */
function withCookie(headers: Headers, cookie: string): string {
  const others = headers.get("Cookie");
  return others === null ? cookie : `${others}; ${cookie}`;
}

async function textOf(secret: Secret | Login, rejected: boolean): Promise<string> {
  if (typeof secret !== "object") return secretOf(secret, rejected);
  const password = await secretOf(secret.password, rejected);
  return base64(new TextEncoder().encode(`${secret.user}:${password}`));
}

async function secretOf(secret: Secret, rejected: boolean): Promise<string> {
  return typeof secret === "string" ? secret : await secret(rejected);
}

function canRenew({ credential = {} }: UsedOptions): boolean {
  return Object.values(credential).some((one) => typeof (typeof one === "object" ? one.password : one) === "function");
}

/** Adds the header fields of the signature scheme. */
async function sign(credential: CredentialDescription, secret: string, outgoing: OutgoingRequest): Promise<void> {
  const { url, operation, body, headers, id } = outgoing;
  const { signature } = credential;
  if (signature === undefined) return;
  const { pathname, search } = new URL(url);
  const [, topic = "", action = topic] = /^([^.]*)(?:\.(.*))?$/.exec(operation.event ?? "") ?? [];
  const values: Record<string, string> = {
    ...{ id, seconds: String(Math.floor(Date.now() / 1000)), method: operation.method, target: pathname + search },
    ...{ type: operation.event ?? "", topic, action },
  };
  const pieces = signature.over.split(/(\{body\})/).map((piece) => (piece === "{body}" ? body : filled(piece, values)));
  const key = await hmacKey(signature, secret, "sign");
  const bytes = new Uint8Array(await crypto.subtle.sign("HMAC", key, await new Blob(pieces).arrayBuffer()));
  values["hex"] = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  values["base64"] = base64(bytes);
  for (const [name, template] of Object.entries(signature.headers)) {
    const text = filled(template, values);
    if (isSignature(template)) headers.set(name, withScheme(credential, text));
    // The operation or the caller may name the event otherwise.
    else if (!headers.has(name) || /\{(?:id|seconds)\}/.test(template)) headers.set(name, text);
  }
}

function base64(bytes: Uint8Array): string {
  return btoa(String.fromCodePoint(...bytes));
}
