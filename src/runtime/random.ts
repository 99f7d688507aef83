/** Random bytes, drawn from the system many at a time: a record's id and codes want few, and each draw costs as much. */
import { randomFillSync } from "node:crypto";

const poolBytes = 8192;

/** A source whose bytes are given once, and are gone from memory when they are. */
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
