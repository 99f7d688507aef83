/**
 * `hmac-sha256`: a device signs each request. The field reads `t=<unix seconds>,v1=<hex>`; signed are the time, the
 * method, the target and the body, a newline between them, so that a signature is good for this one request only. The
 * clocks may differ by five minutes, and within them a signature counts once.
 */
import { createHmac, timingSafeEqual } from "node:crypto";

const toleranceSeconds = 300;

/** From the first moment at which a signature may be good to the one after the last. */
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

/** The field's value for a request at `seconds`, as a client writes it. */
export function signatureField(secret: string, seconds: number, request: Signed): string {
  return `t=${seconds},v1=${signature(secret, seconds, request)}`;
}

export interface SignatureVerifier {
  /** The signature, and whether it was seen before; undefined where it is not good. */
  verify(field: string, request: Signed, now: number): Verified | undefined;
}

export interface Verified {
  readonly signature: string;
  readonly again: boolean;
}

/** Without a secret no signature is good. */
export function createSignatureVerifier(secret: string | undefined): SignatureVerifier {
  if (secret === undefined || secret === "") return { verify: () => undefined };
  // Signatures seen, oldest first, with when they may be forgotten.
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
