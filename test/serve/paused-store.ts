/** Holds concurrent calls of a store until the test releases them; later calls wait for their turn. */
import type { Store } from "../../src/store/port/store.ts";

/** More than any store does at once. */
const most = 9;

export function holdStore(store: Store): AsyncDisposable {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const hold = (): Promise<void> =>
    store.transaction(async (tx) => {
      // On PostgreSQL nothing is held before something is asked for.
      await tx.offset("held");
      await released;
    });
  const held = Promise.all(Array.from({ length: most }, hold));
  return {
    async [Symbol.asyncDispose]() {
      release();
      await held;
    },
  };
}
