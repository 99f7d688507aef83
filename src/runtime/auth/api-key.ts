/**
 * API keys (R5.4): a prefix, 160 random bits in base 62, and a CRC-32 of both in base 62. The checksum lets scanners recognise a
 * leaked key, and lets the server reject a mistyped one without a database query. The store has only the SHA-256.
 */
import { hash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { CredentialPlan } from "../../plan/authentication/types.ts";
import type { Key, KeyStore } from "../../store/port/store.ts";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** The number of base 62 digits that hold 160 bits. */
const randomDigits = 27;
const checkDigits = 6;

export function mintSecret(prefix: string, random: (bytes: number) => Uint8Array): string {
  const bits = BigInt(`0x${Buffer.from(random(20)).toString("hex")}`);
  const body = prefix + base62(bits, randomDigits);
  return body + base62(BigInt(crc32(body)), checkDigits);
}

/** Whether the text has the form of a key with this prefix, checksum included. */
export function isSecret(prefix: string, text: string): boolean {
  if (text.length !== prefix.length + randomDigits + checkDigits || !text.startsWith(prefix)) return false;
  const body = text.slice(0, -checkDigits);
  return /^[\x21-\x7e]+$/.test(body) && text.endsWith(base62(BigInt(crc32(body)), checkDigits));
}

/** Returns the prefix of the refresh tokens of a credential. */
export function refreshPrefix({ prefix }: CredentialPlan): string {
  return `${prefix}r_`;
}

/** How many digits after the prefix identify a key in failure counts: enough to be unique; the other digits stay secret. */
const nameDigits = 8;

/** Returns the part of a key that identifies it in failure counts; undefined if the text is no key of this prefix. */
export function nameOfSecret(prefix: string, text: string): string | undefined {
  const length = prefix.length + nameDigits;
  return text.startsWith(prefix) && text.length > length ? text.slice(0, length) : undefined;
}

export function hashSecret(secret: string): string {
  return hash("sha256", secret, "hex");
}

/** Returns the part of a key that may be shown after its creation, such as `sk_…a1B2`. */
export function hintOf(prefix: string, secret: string): string {
  return `${prefix}…${secret.slice(-4)}`;
}

/**
 * Returns the expiry of the key in epoch milliseconds; infinite for a key that never expires. A key that was revoked at once
 * has the expiry 0, so that it stays revoked even if the clock is set back.
 */
export function endOf({ expires, revoked }: Key, { revokedAfterMilliseconds }: CredentialPlan): number {
  if (revoked !== undefined && revokedAfterMilliseconds === 0) return 0;
  const extracted =
    revoked === undefined || revokedAfterMilliseconds === null ? undefined : revoked + revokedAfterMilliseconds;
  return Math.min(expires ?? Number.POSITIVE_INFINITY, extracted ?? Number.POSITIVE_INFINITY);
}

export function isGoodKey(key: Key, credential: CredentialPlan, now: number): boolean {
  return key.credential === credential.name && endOf(key, credential) > now;
}

/** Returns the key with this hash; undefined if the key is unknown, expired, revoked or of another credential. */
export async function findKey(
  credential: CredentialPlan,
  keys: KeyStore,
  hash: string,
  now: number,
): Promise<Key | undefined> {
  const key = await keys.find(hash);
  return key !== undefined && isGoodKey(key, credential, now) ? key : undefined;
}

function base62(value: bigint, digits: number): string {
  let text = "";
  for (let rest = value; text.length < digits; rest /= 62n) text = alphabet[Number(rest % 62n)] + text;
  return text;
}
