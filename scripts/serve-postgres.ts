/**
 * Runs `npm run serve:postgres`: starts a PostgreSQL server from npm with a permanent data folder, and serves the flagship, or
 * the given document, from it. Ctrl-C stops first the service, then the server.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "../test/postgres/server.ts";

const root = join(import.meta.dirname, "..");
// Below the temporary folder, since the server's user must have access to every parent folder.
const folder = process.env["NONET_POSTGRES_FOLDER"] ?? join(tmpdir(), "nonet-postgres");
const given = process.argv.slice(2);
// If there are only options, they apply to the example.
const named = given[0] !== undefined && !given[0].startsWith("-");
const document = named ? (given[0] as string) : join(root, "examples", "parcel-lockers.md");
const more = given.slice(named ? 1 : 0);

const server = await startPostgres({ folder, settings: [] });
const schema = "nonet";
const address = `${server.address}?schema=${schema}`;
// The roles of other documents are unknown here.
const role = named ? "" : " --role operator";
process.stdout.write(`PostgreSQL keeps its data in ${folder}; the service's is in the schema ${schema}:

  psql '${server.address}' -c 'SET search_path = ${schema}' -c '\\dt'
  npm run nonet -- key create ${document} --data '${address}' --user ann${role}

`);
const service = spawn(process.execPath, [join(root, "src", "cli.mjs"), "serve", document, "--data", address, ...more], {
  stdio: "inherit",
  // The flagship requires this secret; its value need not be secret for a local trial.
  env: { DOOR_SECRET: "for looking at it only", ...process.env },
});
// Ctrl-C signals the service as well, and this process must not end before the service.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => service.kill("SIGTERM"));
const [code] = (await once(service, "exit")) as [number | null];
await server[Symbol.asyncDispose]();
process.exitCode = code ?? 1;
