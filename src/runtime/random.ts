/**
 * Provides random bytes, and the ids of requests, from a pool: they need few bytes, and a system call for few bytes costs as
 * much as one for many.
 */
import { randomFillSync } from "node:crypto";

const poolBytes = 8192;

/** Creates a function that returns each random byte once, and clears it from memory. */
export function createRandom(): (bytes: number) => Uint8Array {
  const pool = new Uint8Array(poolBytes);
  let used = poolBytes;
  return (bytes) => {
    if (bytes > poolBytes) return randomFillSync(new Uint8Array(bytes));
    if (used + bytes > poolBytes) {
      randomFillSync(pool);
      used = 0;
    }
    const slice = pool.slice(used, used + bytes);
    pool.fill(0, used, used + bytes);
    used += bytes;
    return slice;
  };
}

const idBytes = 16;
/** How many ids' random bytes are drawn at once, because a call costs more than the bytes. */
const idsAtOnce = 256;
/** The digits of base 32; the last of 26 digits has the remaining 3 bits of 16 bytes. */
const digits = "0123456789abcdefghijklmnopqrstuv";

/** Creates request ids: `req_` and 26 random characters (R1.3), since a counter would reveal the number of requests. */
export function requestIds(random: (bytes: number) => Uint8Array): () => string {
  let pool: Uint8Array = new Uint8Array(0);
  let next = 0;
  return () => {
    if (next + idBytes > pool.length) {
      pool = random(idBytes * idsAtOnce);
      next = 0;
    }
    let text = "req_";
    let held = 0;
    let bits = 0;
    for (const end = next + idBytes; next < end; next += 1) {
      held = ((held << 8) | (pool[next] as number)) & 0xfff;
      for (bits += 8; bits >= 5; bits -= 5) text += digits[(held >> (bits - 5)) & 31];
    }
    return text + (digits[(held << (5 - bits)) & 31] as string);
  };
}
