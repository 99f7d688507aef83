/** Random bytes from a pool: ids and codes need few bytes, and each system call costs as much as many bytes. */
import { randomFillSync } from "node:crypto";

const poolBytes = 8192;

/** Returns each byte once, and clears it from memory. */
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
