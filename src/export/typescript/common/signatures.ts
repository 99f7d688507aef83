/** What signing requests and verifying webhooks share. */
import type { SignatureScheme } from "./description.ts";

export { filled, hmacKey, isSignature };

// ── Signatures ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Replaces the placeholders of a template. */
function filled(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "");
}

function isSignature(template: string): boolean {
  return /\{(?:hex|base64)\}/.test(template);
}

/** @throws TypeError for an empty secret, with which anybody could sign, and for one that is not base64 but should be. */
async function hmacKey({ key }: SignatureScheme, secret: string, use: "sign" | "verify"): Promise<CryptoKey> {
  const text = key === "base64" ? secret.replace(/^whsec_/, "") : secret;
  if (text === "") throw new TypeError("a secret is empty");
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes =
      key === "base64"
        ? Uint8Array.from(atob(text), (sign) => sign.codePointAt(0) ?? 0)
        : new TextEncoder().encode(text);
  } catch {
    throw new TypeError("a secret is `whsec_` and base 64");
  }
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, [use]);
}
