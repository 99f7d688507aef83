/**
 * Verifies the signatures of webhooks and signs requests, from the standards alone: a mistake in the code that serves must not
 * hide itself here.
 */
import { createHmac, timingSafeEqual } from "node:crypto";

/** A webhook as it arrived. */
export interface SignedWebhook {
  /** The header fields by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes of the body; a text stands for its UTF-8. */
  readonly body: Uint8Array | string;
}

/** How far the time of a signature may be from the present (Standard Webhooks 1.0.0; docs/reference/http.md), in seconds. */
const toleranceSeconds = 300;

/**
 * Returns what is wrong with the signature of a webhook by Standard Webhooks 1.0.0, in plain words; undefined if it is valid. A
 * webhook may have several signatures, for example while its secret changes: one by `secret` is enough.
 *
 * @param secret base64, after `whsec_` @param now the present of the sender, in milliseconds since 1970
 */
export function webhookProblem({ headers, body }: SignedWebhook, secret: string, now: number): string | undefined {
  const [id, time, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => headers[name]);
  if (id === undefined || id === "") return "there is no webhook-id";
  if (time === undefined) return "there is no webhook-timestamp";
  if (signatures === undefined) return "there is no webhook-signature";
  if (!/^\d{1,12}$/.test(time)) return `webhook-timestamp is ${time}, which is no number of seconds`;
  const late = Math.floor(now / 1000) - Number(time);
  if (Math.abs(late) > toleranceSeconds)
    return `webhook-timestamp is ${Math.abs(late)} s ${late > 0 ? "before" : "after"} the present`;
  const key = keyOf(secret);
  if (key === undefined) return "the secret is not base64";
  const expected = createHmac("sha256", key).update(`${id}.${time}.`).update(body).digest();
  const sent = signatures.split(" ").flatMap((signature) => (signature.startsWith("v1,") ? [signature.slice(3)] : []));
  if (sent.length === 0) return "webhook-signature has no signature of the version v1";
  if (sent.some((text) => isSame(Buffer.from(text, "base64"), expected))) return undefined;
  return "no signature is that of this secret, id, timestamp and body";
}

/** The prefix is optional, as in the libraries of the standard. */
function keyOf(secret: string): Uint8Array | undefined {
  const [, text] = /^(?:whsec_)?([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
  return text === undefined ? undefined : Buffer.from(text, "base64");
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

export interface UnsignedRequest {
  readonly method: string;
  /** The path and query, as they are sent. */
  readonly target: string;
  readonly body: Uint8Array | string;
}

/**
 * Returns the header value `t=…,v1=…` with which a client signs a request (docs/reference/http.md, Signatures).
 *
 * @param now the present of the service, in milliseconds since 1970
 */
export function requestSignature({ method, target, body }: UnsignedRequest, secret: string, now: number): string {
  const seconds = Math.floor(now / 1000);
  const hmac = createHmac("sha256", secret).update(`${seconds}\n${method}\n${target}\n`).update(body);
  return `t=${seconds},v1=${hmac.digest("hex")}`;
}
