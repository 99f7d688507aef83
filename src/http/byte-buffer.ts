/**
 * Collects chunks in one buffer that grows by doubling: a chunk object costs a hundred bytes or more, and may retain its whole
 * packet.
 */
import type { Account } from "./memory-budget.ts";

export interface Gathered {
  readonly length: number;
  /** Adds a chunk; returns false, without adding it, if the memory budget is used up. */
  add(piece: Buffer): boolean;
  /**
   * Copies the first chunk out of its packet; must be called before waiting for more. Returns false if the memory budget is
   * used up.
   */
  copy(): boolean;
  /** Returns all bytes and empties the buffer. */
  consume(): Buffer;
  /** Returns the memory to the budget. */
  release(): void;
}

const firstBytes = 1024;
const nothing = Buffer.alloc(0);

/** Creates the buffer. `limit`: the most bytes. */
export function gather(limit: number, account: Account | undefined): Gathered {
  let held = nothing;
  /** The only chunk so far, not copied yet. */
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
