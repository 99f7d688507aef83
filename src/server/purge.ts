/** Removes what is past its time, in one process of those that serve the data. */
import { isLasting, isPassing } from "../store/port/error.ts";
import type { Journal, Store } from "../store/port/store.ts";

export interface PurgingStore extends Pick<Store, "acquireLease" | "purge"> {
  readonly journal: Pick<Journal, "trim">;
}

/** `now` in epoch milliseconds, and how long events are kept. Never rejects. */
export async function purge(
  store: PurgingStore,
  { now, retentionMilliseconds }: { readonly now: number; readonly retentionMilliseconds: number },
  report: (failure: unknown) => void,
): Promise<void> {
  try {
    if (!(await store.acquireLease("purging"))) return;
    await store.purge(now);
    await store.journal.trim(now - retentionMilliseconds);
  } catch (thrown) {
    // What is past its time is given to nobody either way, and the next time does it; requests tell of a store that is away.
    if (!isPassing(thrown) && !isLasting(thrown)) report(thrown);
  }
}
