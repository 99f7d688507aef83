/**
 * Ids: a prefix, an underscore, and a UUIDv7 (RFC 9562) in lower-case Crockford base 32, 26 characters. They sort by
 * creation, and 74 of their bits are random (R2.1).
 */
import type { Clock } from "./clock.ts";

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/** Makes ids that never go back, also within a millisecond and when the clock does. */
export function createIds(clock: Clock, random: (bytes: number) => Uint8Array): (prefix: string) => string {
  let last = 0n;
  return (prefix) => {
    const fresh = uuidv7(BigInt(clock.now()), random(10));
    last = fresh > last ? fresh : next(last);
    return `${prefix}_${base32(last)}`;
  };
}

/** Whether the text is an id with this prefix, by its form. */
export function isId(prefix: string, text: string): boolean {
  return text.startsWith(`${prefix}_`) && /^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(text.slice(prefix.length + 1));
}

/** 48 bits of time, version 7, 12 random bits, variant 2, 62 random bits. */
function uuidv7(milliseconds: bigint, bytes: Uint8Array): bigint {
  let bits = 0n;
  for (const byte of bytes) bits = (bits << 8n) | BigInt(byte);
  const high = (bits >> 62n) & 0xfffn;
  const low = bits & ((1n << 62n) - 1n);
  return (milliseconds << 80n) | (7n << 76n) | (high << 64n) | (2n << 62n) | low;
}

/** The id after `id`: one more in its lower 62 bits, carried into the 12 above the variant and then into the time. */
function next(id: bigint): bigint {
  const low = (id & ((1n << 62n) - 1n)) + 1n;
  if (low < 1n << 62n) return ((id >> 62n) << 62n) | low;
  const high = ((id >> 64n) & 0xfffn) + 1n;
  const time = (id >> 80n) + (high >> 12n);
  return (time << 80n) | (7n << 76n) | ((high & 0xfffn) << 64n) | (2n << 62n);
}

function base32(value: bigint): string {
  let text = "";
  for (let rest = value; text.length < 26; rest >>= 5n) text = alphabet[Number(rest & 31n)] + text;
  return text;
}
