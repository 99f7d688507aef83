/**
 * Verifies `hmac-sha256` signatures, with which a device signs each request. The field contains `t=<unix seconds>,v1=<hex>`.
 * The signature covers the time, the method, the target and the body, separated by newlines, so it is valid for one request
 * only. The clocks may differ by five minutes; during this time the server accepts a signature once. A credential may declare
 * another scheme, that of a provider.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import {
  encodingOf,
  isTimed,
  keyOf,
  readSignature,
  requestScheme,
  type SignatureScheme,
  signedPieces,
  usualToleranceSeconds,
} from "../../base/signature-schemes.ts";

/**
 * How long a signature can be valid, in milliseconds: five minutes before and after, plus 1 ms because the end is exclusive.
 */
export const goodMilliseconds: number = 2 * usualToleranceSeconds * 1000 + 1;

export interface Signed {
  readonly method: string;
  readonly target: string;
  readonly body: Uint8Array;
  /** Returns another header field of the request. */
  readonly header?: (name: string) => string | undefined;
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
  /** The signature, or the id that the sender gave the request. */
  readonly signature: string;
  /** The valid one of the signatures that were sent, and how long it is good, in milliseconds. */
  readonly valid: string;
  readonly goodMilliseconds: number;
  readonly again: boolean;
  /** How long the same request may come again, in milliseconds. */
  readonly repeatMilliseconds: number;
}

export interface VerifierOptions {
  readonly scheme?: SignatureScheme;
  readonly toleranceSeconds?: number;
}

/** How long a sender may send a request again that has an id, or no time, in milliseconds: providers retry for days. */
const redeliveryMilliseconds = 30 * 86_400_000;

/** Creates a verifier. Any of the secrets is valid; without one all signatures are invalid. */
export function createSignatureVerifier(
  secrets: string | readonly (string | undefined)[] | undefined,
  { scheme = requestScheme, toleranceSeconds: tolerance = usualToleranceSeconds }: VerifierOptions = {},
): SignatureVerifier {
  const keys = (typeof secrets === "string" ? [secrets] : (secrets ?? [])).flatMap(
    (secret) => (secret === undefined ? undefined : keyOf(scheme, secret)) ?? [],
  );
  if (keys.length === 0) return { verify: () => undefined };
  const encoding = encodingOf(scheme);
  // A signature is good this long before and after its time, plus 1 ms because the end is exclusive.
  const good = 2 * tolerance * 1000 + 1;
  // Used signatures, oldest first, with the time (epoch milliseconds) at which they can be deleted.
  const usedSignatures = new Map<string, number>();
  return {
    verify(field, { method, target, body, header = () => undefined }, now) {
      const sent = readSignature(scheme, field, header);
      if (sent === undefined) return undefined;
      const { id, seconds } = sent.values;
      if (isTimed(scheme) && !(Math.abs(now / 1000 - Number(seconds)) <= tolerance)) return undefined;
      const pieces = signedPieces(scheme, { ...sent.values, method, target }, body);
      const valid = sent.signatures.find((one) => keys.some((key) => isSame(one, hmacOf(key, pieces, encoding))));
      if (valid === undefined) return undefined;
      for (const [old, until] of usedSignatures) {
        if (until > now) break;
        usedSignatures.delete(old);
      }
      const repeatMilliseconds = id !== undefined || !isTimed(scheme) ? redeliveryMilliseconds : good;
      const verified = { signature: id ?? valid, valid, goodMilliseconds: good, repeatMilliseconds };
      if (usedSignatures.has(valid)) return { ...verified, again: true };
      usedSignatures.set(valid, now + good);
      return { ...verified, again: false };
    },
  };
}

function hmacOf(key: Uint8Array, pieces: readonly (string | Uint8Array)[], encoding: "hex" | "base64"): string {
  const hmac = createHmac("sha256", key);
  for (const piece of pieces) hmac.update(piece);
  return hmac.digest(encoding);
}

function isSame(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
