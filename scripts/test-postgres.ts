/**
 * In charge of `npm run test:postgres`: every test that serves over HTTP, with PostgreSQL in the place of SQLite, on one server
 * for all of them. Arguments choose files, as for `npm test`.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { startPostgres } from "../test/postgres/server.ts";

const given = process.argv.slice(2);
const places = given.length > 0 ? given : ["test/{serve,enforced,rules}/**/*.test.ts"];
const server = await startPostgres();
const options = [
  "--test",
  "--test-concurrency=3",
  "--test-timeout=600000",
  "--min-semi-space-size=16",
  "--test-reporter=./scripts/test-reporter.ts",
  "--import=./test/seed.ts",
];
const tests = spawn(process.execPath, [...options, ...places], {
  stdio: "inherit",
  env: { ...process.env, NONET_TEST_STORE: "postgres", NONET_TEST_POSTGRES: server.address },
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => tests.kill(signal));
const [code] = (await once(tests, "exit")) as [number | null];
await server[Symbol.asyncDispose]();
process.exitCode = code ?? 1;
