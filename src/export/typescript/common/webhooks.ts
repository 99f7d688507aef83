/** Verifies the signatures of webhooks. Clients of services that send no webhooks do not have this part. */
import type { SignatureScheme } from "./description.ts";
import { filled, hmacKey, isSignature } from "./signatures.ts";

export { verifiedWebhook };

// ── Webhooks ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** The webhook request has no valid signature, or its timestamp is too far from the current time. */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
}

export interface WebhookOptions {
  /** The allowed difference from the sender's clock, in seconds; default five minutes. */
  readonly tolerance?: number;
  /** The current time in epoch milliseconds; default the system clock. */
  readonly now?: number;
}

/**
 * Verifies a webhook request and returns its body. `payload` is the received text, not a parsed and serialized copy. During a
 * rotation of secrets, any of `secrets` is valid.
 *
 * @throws WebhookError
 * @throws TypeError for an empty or malformed secret.
 */
async function verifiedWebhook(
  payload: string,
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>,
  secrets: string | readonly string[],
  scheme: SignatureScheme,
  { tolerance = 300, now = Date.now() }: WebhookOptions = {},
): Promise<unknown> {
  const values: Record<string, string> = { body: payload };
  const sent: string[] = [];
  for (const [name, template] of Object.entries(scheme.headers)) {
    const value = headers instanceof Headers ? headers.get(name) : (headers[name.toLowerCase()] ?? headers[name]);
    if (typeof value !== "string" || value === "") throw new WebhookError(`there is no ${name}`);
    for (const [placeholder, text] of valuesIn(value, template, scheme)) {
      if (placeholder === "hex" || placeholder === "base64") sent.push(text);
      else values[placeholder] = text;
    }
  }
  const { seconds } = values;
  if (scheme.over.includes("{seconds}") && !(Math.abs(now / 1000 - Number(seconds ?? Number.NaN)) <= tolerance))
    throw new WebhookError("the time of the signature is too far from the current time");
  const signed = new TextEncoder().encode(filled(scheme.over, values));
  for (const secret of typeof secrets === "string" ? [secrets] : secrets) {
    const key = await hmacKey(scheme, secret, "verify");
    for (const text of sent) {
      const signature = signatureBytes(text);
      if (signature !== undefined && (await crypto.subtle.verify("HMAC", key, signature, signed)))
        return JSON.parse(payload) as unknown;
    }
  }
  throw new WebhookError("no signature matches a secret");
}

/** Returns the values of the placeholders in a header field. A field with several signatures consists of items. */
function valuesIn(value: string, template: string, { separator }: SignatureScheme): readonly [string, string][] {
  const split = (text: string): readonly string[] =>
    separator === undefined || !isSignature(template) ? [text] : text.split(separator === "comma" ? "," : " ");
  const patterns = split(template).map((item) => {
    const pieces = item
      .split(/\{(\w+)\}/)
      .map((piece, index) => (index % 2 === 0 ? piece.replace(/[$()*+.?[\\\]^{|}]/g, "\\$&") : `(?<${piece}>.+)`));
    return new RegExp(`^${pieces.join("")}$`);
  });
  return split(value).flatMap((item) =>
    patterns.flatMap((pattern) => Object.entries(pattern.exec(item)?.groups ?? {})),
  );
}

/** Decodes hexadecimal digits or base 64; undefined for any other text. */
function signatureBytes(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (/^[0-9a-f]{64}$/.test(text)) return Uint8Array.from(text.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
  try {
    return Uint8Array.from(atob(text), (byte) => byte.codePointAt(0) ?? 0);
  } catch {
    return undefined;
  }
}
