/** The thread that `checkpoint.ts` starts: copies the log at each message, and says how many milliseconds it took. */
import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";

const database = new DatabaseSync(workerData as string);
// Of use to this connection only while it copies.
database.exec("PRAGMA cache_size = -256; PRAGMA synchronous = NORMAL");
const checkpoint = database.prepare("PRAGMA wal_checkpoint(PASSIVE)");

parentPort?.on("message", () => {
  const begun = performance.now();
  checkpoint.get();
  parentPort?.postMessage(performance.now() - begun);
});
