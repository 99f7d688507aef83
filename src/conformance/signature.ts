/**
 * Verifies the signatures of webhooks and signs requests, from the standards alone: a mistake in the code that serves must not
 * hide itself here.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { type SignatureScheme, signatureSchemes } from "../base/signature-schemes.ts";
import { templatePattern } from "../base/template-pattern.ts";

/** A webhook as it arrived. */
export interface SignedWebhook {
  /** The header fields by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes of the body; a text stands for its UTF-8. */
  readonly body: Uint8Array | string;
}

/** How far the time of a signature may be from the present (docs/reference/http.md), in seconds. */
const toleranceSeconds = 300;

/**
 * Returns what is wrong with the signature of a webhook, in plain words; undefined if it is valid. A webhook may have several
 * signatures, for example while its secret changes: one by `secret` is enough.
 *
 * @param now the present of the sender, in milliseconds since 1970
 */
export function webhookProblem(
  { headers, body }: SignedWebhook,
  secret: string,
  now: number,
  scheme: SignatureScheme = signatureSchemes["standard-webhooks"],
): string | undefined {
  const values = new Map<string, string>();
  const signatures: Uint8Array[] = [];
  for (const [name, template] of Object.entries(scheme.headers)) {
    const value = headers[name.toLowerCase()];
    if (value === undefined || value === "") return `there is no ${name}`;
    for (const [placeholder, text] of valuesOf(value, template, scheme)) {
      if (placeholder === "hex" || placeholder === "base64") signatures.push(Buffer.from(text, placeholder));
      else values.set(placeholder, text);
    }
  }
  const [field, template] = Object.entries(scheme.headers).find(([, one]) => /\{(?:hex|base64)\}/.test(one)) ?? [];
  if (scheme.over.includes("{seconds}")) {
    const time = values.get("seconds");
    const where = Object.keys(scheme.headers).find((name) => scheme.headers[name]?.includes("{seconds}"));
    if (time === undefined || !/^\d{1,12}$/.test(time)) return `${where} is ${time}, which is no number of seconds`;
    const late = Math.floor(now / 1000) - Number(time);
    if (Math.abs(late) > toleranceSeconds)
      return `${where} is ${Math.abs(late)} s ${late > 0 ? "before" : "after"} the present`;
  }
  const key = scheme.key === "base64" ? keyOf(secret) : Buffer.from(secret);
  if (key === undefined) return "the secret is not base64";
  const expected = digestOf(scheme, key, values, body);
  if (signatures.length === 0) return `${field} has no signature like ${template}`;
  if (signatures.some((one) => isSame(one, expected))) return undefined;
  return "no signature is that of this secret and of the signed values";
}

function digestOf(
  { over }: SignatureScheme,
  key: Uint8Array | string,
  values: ReadonlyMap<string, string>,
  body: Uint8Array | string,
): Buffer {
  const hmac = createHmac("sha256", key);
  for (const piece of over.split(/(\{\w+\})/))
    hmac.update(piece === "{body}" ? body : (values.get(piece.slice(1, -1)) ?? piece));
  return hmac.digest();
}

/** Returns when an attempt was made, in milliseconds since 1970; undefined if its scheme has no time. */
export function sentAt(headers: SignedWebhook["headers"], scheme: SignatureScheme | undefined): number | undefined {
  const fields = scheme?.headers ?? { "webhook-timestamp": "{seconds}" };
  for (const [name, template] of Object.entries(fields)) {
    const found = new Map(valuesOf(headers[name.toLowerCase()] ?? "", template, scheme ?? {})).get("seconds");
    if (found !== undefined) return Number(found) * 1000;
  }
  return undefined;
}

/** Returns the values of the placeholders in a header field, which may consist of items. */
function valuesOf(
  value: string,
  template: string,
  { separator }: Pick<SignatureScheme, "separator">,
): readonly (readonly [string, string])[] {
  const isSignature = /\{(?:hex|base64)\}/.test(template);
  const split = (text: string): readonly string[] =>
    isSignature && separator !== undefined ? text.split(separator === "comma" ? "," : " ") : [text];
  return split(value).flatMap((item) =>
    split(template).flatMap((one) => {
      const pattern = templatePattern(one, (name) => `(?<${name}>.+)`);
      return Object.entries(pattern.exec(item)?.groups ?? {});
    }),
  );
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

/** Returns the value of the signature's field of a request by a scheme, and its other fields. */
export function schemeSignature(
  scheme: SignatureScheme,
  { body }: UnsignedRequest,
  secret: string,
  { now, id }: { readonly now: number; readonly id: string },
): { readonly token: string; readonly fields: Readonly<Record<string, string>> } {
  const values: Record<string, string> = {
    id,
    seconds: String(Math.floor(now / 1000)),
    type: "test",
    topic: "test",
    action: "test",
  };
  const key = scheme.key === "base64" ? (keyOf(secret) ?? "") : secret;
  const digest = digestOf(scheme, key, new Map(Object.entries(values)), body);
  Object.assign(values, { hex: digest.toString("hex"), base64: digest.toString("base64") });
  const filled = Object.entries(scheme.headers).map(
    ([name, template]) => [name, template.replaceAll(/\{(\w+)\}/g, (_, key: string) => values[key] ?? "")] as const,
  );
  const isSignature = (name: string): boolean => /\{(?:hex|base64)\}/.test(scheme.headers[name] ?? "");
  return {
    token: filled.find(([name]) => isSignature(name))?.[1] ?? "",
    fields: Object.fromEntries(filled.filter(([name]) => !isSignature(name))),
  };
}
