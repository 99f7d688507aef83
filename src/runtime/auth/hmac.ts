/**
 * Verifies `hmac-sha256` signatures, with which a device signs each request. The field contains `t=<unix seconds>,v1=<hex>`.
 * The signature covers the time, the method, the target and the body, separated by newlines, so it is valid for one request
 * only. The clocks may differ by five minutes; during this time the server accepts a signature once.
 */
import { createHmac, timingSafeEqual } from "node:crypto";

const toleranceSeconds = 300;

/**
 * How long a signature can be valid, in milliseconds: five minutes before and after, plus 1 ms because the end is exclusive.
 */
export const goodMilliseconds: number = 2 * toleranceSeconds * 1000 + 1;

export interface Signed {
  readonly method: string;
  readonly target: string;
  readonly body: Uint8Array;
}

export function signature(secret: string, seconds: number, request: Signed): string {
  return createHmac("sha256", secret)
    .update(`${seconds}\n${request.method}\n${request.target}\n`)
    .update(request.body)
    .digest("hex");
}

/** Returns the value of the field for a request at `seconds`; clients compute the same value. */
export function signatureField(secret: string, seconds: number, request: Signed): string {
  return `t=${seconds},v1=${signature(secret, seconds, request)}`;
}

export interface SignatureVerifier {
  /** Returns the signature, and whether it was used before; undefined if it is invalid. */
  verify(field: string, request: Signed, now: number): Verified | undefined;
}

export interface Verified {
  readonly signature: string;
  readonly again: boolean;
}

/** Creates a verifier. Without a secret all signatures are invalid. */
export function createSignatureVerifier(secret: string | undefined): SignatureVerifier {
  if (secret === undefined || secret === "") return { verify: () => undefined };
  // Used signatures, oldest first, with the time (epoch milliseconds) at which they can be deleted.
  const usedSignatures = new Map<string, number>();
  return {
    verify(field, request, now) {
      const parts = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(field.trim());
      if (parts === null) return undefined;
      const seconds = Number(parts[1]);
      const sent = parts[2] as string;
      if (Math.abs(now / 1000 - seconds) > toleranceSeconds) return undefined;
      const expected = signature(secret, seconds, request);
      if (!timingSafeEqual(Buffer.from(expected), Buffer.from(sent))) return undefined;
      for (const [old, until] of usedSignatures) {
        if (until > now) break;
        usedSignatures.delete(old);
      }
      if (usedSignatures.has(sent)) return { signature: sent, again: true };
      usedSignatures.set(sent, now + goodMilliseconds);
      return { signature: sent, again: false };
    },
  };
}
