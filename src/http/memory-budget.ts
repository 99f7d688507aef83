/**
 * How many bytes the bodies, heads and connections of a process hold together, and how many they may (R8.9): one request has
 * a limit of its own, and many together would still take all the memory there is.
 */
import process from "node:process";

export interface Budget {
  readonly limit: number;
  readonly held: number;
  account(): Account;
}

/** What one request, or one connection, holds. */
export interface Account {
  /** Whether there is no room left for anything. */
  readonly isOver: boolean;
  /** Whether even what is kept for connections that ask for health is used up. */
  readonly isFull: boolean;
  /** For a body; false, and nothing more is held, where there is no room. A body that is alone always has room. */
  hold(bytes: number): boolean;
  /** What is there already, room or not. Less than nothing gives room back. */
  add(bytes: number): void;
  /** Nothing of it is held any more; what is said of it later counts no more. */
  end(): void;
}

/** A socket with its objects, which is most of what a connection holds that says nothing. */
export const connectionBytes = 16_384;

/** So much beyond the limit is for connections, on which health is still served, in parts of the limit. */
const reserve = 1 / 8;

/** A quarter of the memory that this process may have, and not beyond what it takes to be slow with something else. */
export function usualBudget(): number {
  const mebibyte = 1024 ** 2;
  return Math.min(1024 * mebibyte, Math.max(64 * mebibyte, Math.floor(process.availableMemory() / 4)));
}

export function createBudget(limit: number): Budget {
  const all = { held: 0, bodies: 0 };
  return {
    limit,
    get held() {
      return all.held;
    },
    account: () => new OneAccount(limit, all),
  };
}

class OneAccount implements Account {
  readonly #limit: number;
  readonly #all: { held: number; bodies: number };
  #bodies = 0;
  #others = 0;
  #ended = false;

  constructor(limit: number, all: { held: number; bodies: number }) {
    this.#limit = limit;
    this.#all = all;
  }

  get isOver(): boolean {
    return this.#all.held >= this.#limit;
  }

  get isFull(): boolean {
    return this.#all.held >= this.#limit * (1 + reserve);
  }

  hold(bytes: number): boolean {
    const isOnly = this.#all.bodies === this.#bodies;
    if (bytes > 0 && !isOnly && this.#all.held + bytes > this.#limit) return false;
    if (this.#ended) return true;
    this.#bodies += bytes;
    this.#all.bodies += bytes;
    this.#all.held += bytes;
    return true;
  }

  add(bytes: number): void {
    if (this.#ended) return;
    this.#others += bytes;
    this.#all.held += bytes;
  }

  end(): void {
    this.#all.bodies -= this.#bodies;
    this.#all.held -= this.#bodies + this.#others;
    [this.#bodies, this.#others, this.#ended] = [0, 0, true];
  }
}
