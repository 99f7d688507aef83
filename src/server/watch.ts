/** Watches a document for changes. */
import { watch } from "node:fs";
import { basename, dirname } from "node:path";

/** How many milliseconds to wait for further writes: programs may write a file in several steps. */
const debounceMilliseconds = 50;

export interface Watcher {
  /** Stops calling `changed`, and waits for an active call. */
  close(): Promise<void>;
}

/**
 * Watches a file. It watches the folder, because some programs replace the file. A burst of events counts as one change; a
 * change during `changed` calls it again afterwards.
 */
export function watchFile(path: string, changed: () => Promise<void>): Watcher {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const watcher = watch(dirname(path), (_, name) => {
    if (name !== null && name !== basename(path)) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      running = running.then(changed);
    }, debounceMilliseconds);
  });
  return {
    async close() {
      clearTimeout(timer);
      watcher.close();
      await running;
    },
  };
}
