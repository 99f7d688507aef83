/**
 * The memory budget of all bodies, heads and connections of a process (R8.9): each request has its own limits, but many
 * requests together could exhaust the memory.
 */
import process from "node:process";

export interface Budget {
  readonly limit: number;
  readonly held: number;
  account(): Account;
}

/** The memory that one request or connection uses. */
export interface Account {
  /** Whether the budget is used up. */
  readonly isOver: boolean;
  /** Whether even the reserve for health checks is used up. */
  readonly isFull: boolean;
  /** Reserves memory for a body; returns false if the budget does not allow it. A single body is always allowed. */
  hold(bytes: number): boolean;
  /** Counts used memory, even above the budget; a negative number releases memory. */
  add(bytes: number): void;
  /** Releases everything; later calls have no effect. */
  end(): void;
}

/** The estimated memory of an idle connection in bytes, mostly of its socket. */
export const connectionBytes = 16_384;

/** The part of the limit that is reserved for connections with health checks. */
const reserve = 1 / 8;

/** Returns the default budget: a quarter of the available memory, at least 64 MiB and at most 1 GiB. */
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
