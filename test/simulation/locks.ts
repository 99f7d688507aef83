/** Simulated locks: who holds which lock until its transaction ends, and who waits for whom. */

/** A transaction, as far as it holds something. */
export type Holder = object;

export class Locks {
  readonly #holders: Map<string, Holder> = new Map();
  /** What each waits for. */
  readonly #wanted: Map<Holder, string> = new Map();
  readonly #wake: Map<string, (() => void)[]> = new Map();
  readonly #ended: WeakSet<Holder> = new WeakSet();

  /** Whether anybody holds anything that begins like this. */
  isAnyHeld(before: string): boolean {
    return [...this.#holders.keys()].some((what) => what.startsWith(before));
  }

  isFree(what: string, whose: Holder): boolean {
    return (this.#holders.get(what) ?? whose) === whose;
  }

  /**
   * Takes the lock, once it is free. True if it had to wait: the record may have changed meanwhile.
   * Rejects if the holder's transaction has ended: work of a dead process may still wait here, and nobody would release its lock.
   */
  async hold(what: string, who: Holder, circle: () => Error): Promise<boolean> {
    let waited = false;
    while (!this.isFree(what, who)) {
      if (this.#isCircle(what, who)) throw circle();
      waited = true;
      this.#wanted.set(who, what);
      await new Promise<void>((resolve) => {
        const waiting = this.#wake.get(what) ?? [];
        waiting.push(resolve);
        this.#wake.set(what, waiting);
      });
      this.#wanted.delete(who);
    }
    if (this.#ended.has(who)) throw new Error("a transaction that has ended holds nothing");
    this.#holders.set(what, who);
    return waited;
  }

  /** Ends the holder's transaction and frees its locks; those that wait try again, in the order in which they came. */
  release(who: Holder): void {
    this.#ended.add(who);
    for (const [what, holder] of this.#holders) {
      if (holder !== who) continue;
      this.#holders.delete(what);
      const waiting = this.#wake.get(what) ?? [];
      this.#wake.delete(what);
      for (const wake of waiting) wake();
    }
  }

  /** Whether whoever holds it waits, be it through others, for the one who wants it. */
  #isCircle(what: string, who: Holder): boolean {
    for (let wanted: string | undefined = what; wanted !== undefined; ) {
      const holder = this.#holders.get(wanted);
      if (holder === who) return true;
      wanted = holder && this.#wanted.get(holder);
    }
    return false;
  }
}
