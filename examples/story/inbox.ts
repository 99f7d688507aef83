/** What somebody was sent and has not looked at yet. */

/** An event as the document's `envelope` has it (CloudEvents 1.0). */
export interface LockerEvent {
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Inbox<T> {
  put(item: T): void;
  /** The next one, which may be on its way. */
  take(): Promise<T>;
  /** How many have come that nobody has looked at. */
  readonly size: number;
}

const patienceMilliseconds = 10_000;

export function createInbox<T>(whose: string): Inbox<T> {
  const items: T[] = [];
  let tell = (): void => {};
  return {
    get size() {
      return items.length;
    },
    put(item) {
      items.push(item);
      tell();
    },
    async take() {
      const late = AbortSignal.timeout(patienceMilliseconds);
      for (;;) {
        const item = items.shift();
        if (item !== undefined) return item;
        await new Promise<void>((resolve, reject) => {
          tell = resolve;
          late.addEventListener("abort", () => reject(new Error(`nothing came to ${whose}`)));
        });
      }
    },
  };
}
