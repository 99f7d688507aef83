/**
 * Bytes that come in pieces, copied into one buffer that grows by doubling: a piece on its own is an object of a hundred
 * bytes or more, and may hold all of the packet that it came in.
 */

export interface Gathered {
  readonly length: number;
  add(piece: Uint8Array): void;
  /** All of them; the next piece begins anew. */
  take(): Buffer;
}

const firstBytes = 1024;
const nothing = Buffer.alloc(0);

/** `expected`: how many there will be, where that is known; at most `limit` are allocated before they have come. */
export function gather(limit: number, expected: number = firstBytes): Gathered {
  const first = Math.max(firstBytes, Math.min(expected, limit, mostAtOnce));
  let held = nothing;
  let length = 0;
  return {
    get length() {
      return length;
    },
    add(piece) {
      if (length + piece.length > held.length) {
        const wanted = Math.max(length + piece.length, Math.min(2 * held.length, limit), first);
        const larger = Buffer.allocUnsafeSlow(wanted);
        larger.set(held.subarray(0, length));
        held = larger;
      }
      held.set(piece, length);
      length += piece.length;
    },
    take() {
      const all = held.subarray(0, length);
      [held, length] = [nothing, 0];
      return all;
    },
  };
}

/** A length that is announced costs its sender nothing, so memory is given for what has come. */
const mostAtOnce = 65_536;
