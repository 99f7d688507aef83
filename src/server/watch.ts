/** Noticing that a document has changed. */
import { watch } from "node:fs";
import { basename, dirname } from "node:path";

/** A program that writes a file in several steps has done so by then. */
const debounceMilliseconds = 50;

export interface Watcher {
  /** Calls `changed` no more, and waits for a call that is under way. */
  close(): Promise<void>;
}

/**
 * Some programs write the file, others put a new one in its place; so its folder is watched. A burst of events is one
 * change, and a change that comes while `changed` runs is another one after it.
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
