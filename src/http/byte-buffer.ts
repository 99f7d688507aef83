/**
 * Bytes that come in pieces, copied into one buffer that grows by doubling: a piece by itself is an object of a hundred
 * bytes or more, and may hold all of the packet that it came in.
 */
import type { Account } from "./memory-budget.ts";

export interface Gathered {
  readonly length: number;
  /** False, and the piece is not taken, where the account has no room for it. */
  add(piece: Buffer): boolean;
  /** Copies what the first piece refers to; before it is waited for more. False where there is no room. */
  copy(): boolean;
  /** All of them; the next piece begins anew. */
  consume(): Buffer;
  /** What was taken is held no more. */
  release(): void;
}

const firstBytes = 1024;
const nothing = Buffer.alloc(0);

/** `limit`: how many there may be. */
export function gather(limit: number, account: Account | undefined): Gathered {
  let held = nothing;
  /** All that has come, where it came in one piece. */
  let first: Buffer | undefined;
  let length = 0;
  let counted = 0;

  function allocate(wanted: number): boolean {
    if (account?.hold(wanted - counted) === false) return false;
    counted = wanted;
    const larger = Buffer.allocUnsafeSlow(wanted);
    larger.set(first ?? held.subarray(0, length));
    [held, first] = [larger, undefined];
    return true;
  }

  return {
    get length() {
      return length;
    },
    add(piece) {
      if (length === 0 && held.length === 0) {
        if (account?.hold(piece.length - counted) === false) return false;
        [first, length, counted] = [piece, piece.length, piece.length];
        return true;
      }
      const wanted = length + piece.length;
      const isLarger = first !== undefined || wanted > held.length;
      if (isLarger && !allocate(Math.max(wanted, Math.min(2 * held.length, limit), Math.min(firstBytes, limit))))
        return false;
      held.set(piece, length);
      length = wanted;
      return true;
    },
    copy: () => first === undefined || allocate(length),
    consume() {
      const all = first ?? held.subarray(0, length);
      [held, first, length] = [nothing, undefined, 0];
      return all;
    },
    release() {
      account?.hold(-counted);
      counted = 0;
    },
  };
}
