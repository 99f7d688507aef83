/**
 * The worker thread of `checkpoint.ts`: copies or empties the log on request, and replies with the duration in milliseconds.
 */
import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";

const database = new DatabaseSync(workerData as string);
// The cache is small, since the connection uses it only while it copies.
database.exec("PRAGMA cache_size = -256; PRAGMA synchronous = NORMAL");
// Writes wait while the log is emptied, so the wait for another process's readers must be short.
database.exec("PRAGMA busy_timeout = 50");
const statements = {
  copy: database.prepare("PRAGMA wal_checkpoint(PASSIVE)"),
  empty: database.prepare("PRAGMA wal_checkpoint(TRUNCATE)"),
};

parentPort?.on("message", (what: keyof typeof statements) => {
  const begun = performance.now();
  statements[what].get();
  parentPort?.postMessage(performance.now() - begun);
});
