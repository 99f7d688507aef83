/**
 * In charge of `npm run serve:postgres`: a PostgreSQL from npm in a folder of its own, which keeps its data, and the flagship (or
 * the document that is named) served from it. Ends with Ctrl-C, the service first.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "../test/postgres/server.ts";

const root = join(import.meta.dirname, "..");
// Below the place for temporary files: whoever the server runs as has to be able to enter every folder on the way.
const folder = process.env["NONET_POSTGRES_FOLDER"] ?? join(tmpdir(), "nonet-postgres");
const given = process.argv.slice(2);
// Options alone are for the example.
const named = given[0] !== undefined && !given[0].startsWith("-");
const document = named ? (given[0] as string) : join(root, "examples", "parcel-lockers.md");
const more = given.slice(named ? 1 : 0);

const server = await startPostgres({ folder, settings: [] });
const schema = "nonet";
const address = `${server.address}?schema=${schema}`;
// Of another document the roles are not known here.
const role = named ? "" : " --role operator";
process.stdout.write(`PostgreSQL keeps its data in ${folder}; the service's is in the schema ${schema}:

  psql '${server.address}' -c 'SET search_path = ${schema}' -c '\\dt'
  npm run nonet -- key create ${document} --data '${address}' --user ann${role}

`);
const service = spawn(process.execPath, [join(root, "src", "cli.mjs"), "serve", document, "--data", address, ...more], {
  stdio: "inherit",
  // The flagship asks for one; what is only looked at needs none that nobody knows.
  env: { DOOR_SECRET: "for looking at it only", ...process.env },
});
// A terminal's Ctrl-C reaches the service as well, and what ends this has to end that first.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => service.kill("SIGTERM"));
const [code] = (await once(service, "exit")) as [number | null];
await server[Symbol.asyncDispose]();
process.exitCode = code ?? 1;
