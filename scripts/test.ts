/**
 * Runs `npm test`, `npm run test:postgres` and `npm run nightly`: selects the test files, the store and the mode. Arguments are
 * files, folders and globs; options (`--test-name-pattern=…`, `--test-update-snapshots`) are passed to Node's test runner.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdtempSync, readFileSync, rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { startPostgres } from "../test/postgres/server.ts";
import { timeoutMilliseconds } from "./test-queue.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const [mode = "", ...given] = process.argv.slice(2);
const isOnPostgres = mode === "postgres" || process.env["NONET_TEST_STORE"] === "postgres";
const options = given.filter((arg) => arg.startsWith("-"));
const places = given.filter((arg) => !arg.startsWith("-"));

/** Four files at a time even on two cores, since many tests wait for a socket, a browser or a process. */
const processes = 4;

/** Slow files first, so that none of them runs last. */
const everything = ["test/{faults,commands}", "test/{enforced,docs,export,security}", "{test,docs,examples,bench}", "src"]; // biome-ignore format: one
/** The responses of the corpus are those of SQLite; that is compared at night. */
const onStores = [process.env["NONET_NIGHTLY"] === "1" ? "test/{clients,serve,enforced,rules,corpus}" : "test/{clients,serve,enforced,rules}"]; // biome-ignore format: one

/**
 * Each needs a separate process: the simulation replaces timers, hashing and the schema compiler of its process, and the test of
 * SQLite's connection searches the whole heap, which takes ten times as long in a process that has run other tests.
 */
const alone = /^(?:test\/simulation\/|src\/store\/sqlite\/connection\.test\.ts$)/;

process.env["NONET_TEST_DISK"] ??= tmpdir();

/** Where the tests store what they serve: in memory if the system allows it, since no test data has to survive a power failure. */
process.env["TMPDIR"] ??= isUsable("/dev/shm") ? "/dev/shm" : tmpdir();

process.exitCode = await main();

async function main(): Promise<number> {
  const isAll = places.length === 0;
  const usual = isOnPostgres ? onStores : everything;
  const patterns = isAll ? usual.map((folder) => `${folder}/**/*.test.ts`) : places.map(patternOf);
  const files = [
    ...new Set(
      patterns.flatMap((pattern) => globSync(pattern, { cwd: root, exclude: ["**/node_modules/**"] }).toSorted()),
    ),
  ];
  if (files.length === 0) return await runTests(places, {});
  const queue = mkdtempSync(join(tmpdir(), "nonet-tests-"));
  process.env["NONET_TEST_POSTGRES_DATA"] = join(queue, "postgres-data");
  await using server = isAll || isOnPostgres ? await startPostgres() : undefined;
  const environment = {
    ...(server !== undefined && { NONET_TEST_POSTGRES: server.address }),
    ...(isOnPostgres && { NONET_TEST_STORE: "postgres" }),
    ...(isAll && { NONET_TEST_COMMAND: publishedCommand() }),
  };
  try {
    if (files.length <= processes) return await runTests(files, environment);
    const [own = [], shared = []] = [true, false].map((is) => files.filter((file) => alone.test(file) === is));
    writeFileSync(join(queue, "files"), shared.join("\n"));
    const run = `const { runQueue } = await import(${JSON.stringify(new URL("test-queue.ts", import.meta.url))});\nawait runQueue();\n`;
    const takers = Array.from({ length: processes }, (_, index) => join(queue, `${index + 1}.test.mjs`));
    for (const taker of takers) writeFileSync(taker, run);
    return await runTests([...own, ...takers], { ...environment, NONET_TEST_QUEUE: queue }, files.length);
  } finally {
    rmSync(queue, { recursive: true });
  }
}

/** Whether a folder in memory has room, and programs may run in it, which a container may forbid. */
function isUsable(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    const mounts = readFileSync("/proc/mounts", "utf8").split("\n");
    const mount = mounts.find((line) => line.split(" ")[1] === folder);
    return mount !== undefined && !/\bnoexec\b/.test(mount) && bavail * bsize > 2 * 1024 ** 3;
  } catch {
    return false;
  }
}

function patternOf(place: string): string {
  return statSync(join(root, place), { throwIfNoEntry: false })?.isDirectory() ? `${place}/**/*.test.ts` : place;
}

/** Builds the published command: the tests start it some hundred times, and it starts in half the time. */
function publishedCommand(): string {
  const folder = join(root, "node_modules", ".cache", "published");
  const args = [
    "--disable-warning=ExperimentalWarning",
    "scripts/package.ts",
    "--without-types",
    "--fast",
    "--out",
    folder,
  ];
  execFileSync(process.execPath, args, { cwd: root, stdio: "inherit" });
  return join(folder, "src", "cli.mjs");
}

/** `inEach`: the maximum number of files per process. */
async function runTests(
  files: readonly string[],
  environment: Readonly<Record<string, string>>,
  inEach = 1,
): Promise<number> {
  const fixed = [
    "--test",
    `--test-concurrency=${processes}`,
    `--test-timeout=${timeoutMilliseconds * inEach}`,
    // A larger young generation than Node's initial megabyte, for fewer collections.
    "--min-semi-space-size=16",
    "--test-reporter=./scripts/test-reporter.ts",
    "--import=./test/seed.ts",
  ];
  const tests = spawn(process.execPath, [...fixed, ...options, ...files], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, ...environment },
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => tests.kill(signal));
  const [code] = (await once(tests, "exit")) as [number | null];
  return code ?? 1;
}
