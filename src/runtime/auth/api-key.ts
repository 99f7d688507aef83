/**
 * API keys (R5.4): a prefix, 160 random bits in base 62, and a CRC-32 of both in base 62, so that scanners recognise a
 * leaked key and a mistyped one never reaches the store. Only the SHA-256 is kept.
 */
import { hash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { CredentialPlan } from "../../plan/authentication/types.ts";
import type { Key } from "../../store/port/store.ts";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** 27 digits of base 62 hold 160 bits. */
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

/** How much of a key tells it from others: few enough digits to guess the rest for ever, so many that no two keys share them. */
const nameDigits = 8;

/** The beginning that a key is known by while somebody guesses the rest; undefined where the text is no key's. */
export function nameOfSecret(prefix: string, text: string): string | undefined {
  const length = prefix.length + nameDigits;
  return text.startsWith(prefix) && text.length > length ? text.slice(0, length) : undefined;
}

export function hashSecret(secret: string): string {
  return hash("sha256", secret, "hex");
}

/** What may be shown of a key after its creation. */
export function hintOf(prefix: string, secret: string): string {
  return `${prefix}…${secret.slice(-4)}`;
}

/**
 * Until when the key is good (epoch milliseconds); infinite where nothing ends it. One that was revoked at once has been over
 * since ever: a clock that is set back must not make it good again.
 */
export function endOf({ expires, revoked }: Key, { revokedAfterMilliseconds }: CredentialPlan): number {
  if (revoked !== undefined && revokedAfterMilliseconds === 0) return 0;
  const extracted =
    revoked === undefined || revokedAfterMilliseconds === null ? undefined : revoked + revokedAfterMilliseconds;
  return Math.min(expires ?? Number.POSITIVE_INFINITY, extracted ?? Number.POSITIVE_INFINITY);
}

function base62(value: bigint, digits: number): string {
  let text = "";
  for (let rest = value; text.length < digits; rest /= 62n) text = alphabet[Number(rest % 62n)] + text;
  return text;
}
