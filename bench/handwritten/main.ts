/**
 * The command line of the hand-written service:
 * `serve --port N --data FILE [--synchronous FULL|NORMAL|OFF]` and `key --data FILE --user U --role R`.
 */
import { parseArgs } from "node:util";
import { createKey } from "./access.ts";
import { openDatabase, type Synchronous } from "./database.ts";
import { buildServer } from "./server.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    data: { type: "string", default: "parcel-lockers.db" },
    port: { type: "string", default: "8081" },
    synchronous: { type: "string", default: "FULL" },
    user: { type: "string", default: "demo" },
    role: { type: "string", default: "courier" },
  },
});
if (!["FULL", "NORMAL", "OFF"].includes(values.synchronous)) throw new Error("--synchronous is FULL, NORMAL or OFF");
const database = openDatabase(values.data, values.synchronous as Synchronous);

if (positionals[0] === "key") {
  console.log(createKey(database, values.user, values.role));
  database.connection.close();
} else {
  const baseUrl = `http://127.0.0.1:${values.port}`;
  const app = buildServer(database, baseUrl);
  await app.listen({ port: Number(values.port), host: "127.0.0.1" });
  console.log(`listening on ${baseUrl}`);
  const stop = (): void => void app.close().then(() => database.connection.close());
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
}
