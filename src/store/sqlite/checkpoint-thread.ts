/** The thread that `checkpoint.ts` starts: copies the log, or empties it, at each message, and says how many milliseconds it took. */
import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";

const database = new DatabaseSync(workerData as string);
// Of use to this connection only while it copies.
database.exec("PRAGMA cache_size = -256; PRAGMA synchronous = NORMAL");
// Writes wait for it when the log is emptied, so it does not wait long for readers of another process.
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
