/**
 * Creates ids: a prefix and a UUIDv7 (RFC 9562, 5.7) in Crockford's base 32, 26 characters in lower case. As texts, they sort
 * by creation time.
 */
import type { Clock } from "./clock.ts";

/** Returns random bytes, as many as `bytes`. It is `crypto.getRandomValues` except in tests. */
export type Random = (bytes: number) => Uint8Array;

const digits = "0123456789abcdefghjkmnpqrstvwxyz";

/**
 * Returns a function that creates ids; with an empty prefix they are only the 26 characters. Within one millisecond, or while
 * the clock stands still or goes back, each id is greater than the one before (RFC 9562, 6.2, method 2: the random part
 * increases by a random step, so that two ids do not reveal how many others were created between them).
 */
export function createIds(clock: Clock, random: Random): (prefix: string) => string {
  const bytes = new Uint8Array(16);
  let last = -1;
  return (prefix) => {
    const now = clock.now();
    if (now > last) {
      last = now;
      fill(bytes, now, random);
    } else if (!countUp(bytes, random(stepBytes))) {
      // Uses the next millisecond if all 2^74 values of one are used up, which needs a random part that started near the end.
      last += 1;
      fill(bytes, last, random);
    }
    return prefix === "" ? encode(bytes) : `${prefix}_${encode(bytes)}`;
  };
}

/** Whether `text` is an id with this prefix, as `createIds` creates them. Each id has only one valid text. */
export function isId(prefix: string, text: string): boolean {
  const start = prefix.length + 1;
  if (text.length !== start + 26 || text[prefix.length] !== "_" || !text.startsWith(prefix)) return false;
  // 26 digits contain 130 bits, two more than an id, so the first digit is at most 7.
  if (!/^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(text.slice(start))) return false;
  // Digit n contains the bits 5n-2 to 5n+2: the version is bits 48 to 51, the variant bits 64 and 65.
  return valueAt(text, start + 10) >> 1 === 7 && ((valueAt(text, start + 13) >> 2) & 3) === 2;
}

function valueAt(text: string, index: number): number {
  return digits.indexOf(text[index] ?? "0");
}

function fill(bytes: Uint8Array, milliseconds: number, random: Random): void {
  bytes.set(random(10), 6);
  let rest = milliseconds;
  for (let index = 5; index >= 0; index--) {
    bytes[index] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
}

const stepBytes = 4;

/** Adds one and `step` to the 74 random bits around version and variant; returns false if the sum does not fit. */
function countUp(bytes: Uint8Array, step: Uint8Array): boolean {
  let carry = 1;
  for (let index = 15; index >= 6; index--) {
    const width = index === 6 ? 0x10 : index === 8 ? 0x40 : 0x100;
    const value = bytes[index] ?? 0;
    const sum = (value & (width - 1)) + carry + (step[index - 16 + stepBytes] ?? 0);
    bytes[index] = (value & ~(width - 1)) | (sum & (width - 1));
    carry = sum >= width ? 1 : 0;
  }
  return carry === 0;
}

/** Returns 128 bits as 26 digits of five bits, with two zero bits in front. */
function encode(bytes: Uint8Array): string {
  let text = "";
  let held = 0;
  let bits = 2;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += digits[(held >> bits) & 31];
    }
    held &= (1 << bits) - 1;
  }
  return text;
}
