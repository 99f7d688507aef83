/**
 * Runs every npm script: installs the dependencies of package-lock.json if they are missing or outdated, then runs the task with
 * the Node version that the project pins. This file runs on Node 20, so it is plain JavaScript without dependencies; the tasks
 * may be TypeScript.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { isatty } from "node:tty";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, "node_modules");
const userFolder = process.env.INIT_CWD ?? process.cwd();

/**
 * The processes of the tests share what Node has stripped and compiled: without it, each start of the command takes half a second
 * more.
 */
const compiledOnce = { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(modules, ".cache", "compiled") };

/** The number of days by which the clock of every test process is ahead. */
const daysAhead = process.env.NONET_TEST_DAYS_AHEAD;
const otherClock =
  daysAhead === undefined
    ? {}
    : {
        NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ""} --import ${pathToFileURL(join(root, "test", "days-ahead.mjs")).href}`,
      };

const testScript = join("scripts", "test.ts");

/** The command of each task: arguments for the pinned Node, the working directory, and environment variables. */
const tasks = {
  start: (args) => ({ args: [join(root, "src", "cli.mjs"), "start", ...args], cwd: userFolder }),
  nonet: (args) => ({ args: [join(root, "src", "cli.mjs"), ...args], cwd: userFolder }),
  test: (args) => ({ args: [testScript, "sqlite", ...args], cwd: root, env: { ...compiledOnce, ...otherClock } }),
  check: (args) => ({ args: [join("scripts", "check.ts"), ...args], cwd: root }),
  bench: (args) => ({ args: [join("bench", "run.ts"), ...args], cwd: root }),
  package: (args) => ({
    args: ["--disable-warning=ExperimentalWarning", join("scripts", "package.ts"), ...args],
    cwd: root,
  }),
  playground: (args) => ({ args: [join("scripts", "playground.ts"), ...args], cwd: root, env: compiledOnce }),
  release: (args) => ({
    args: ["--disable-warning=ExperimentalWarning", join("scripts", "release.ts"), ...args],
    cwd: root,
  }),
  simulate: (args) => ({ args: [join("test", "simulation", "main.ts"), ...args], cwd: root }),
  measure: (args) => ({ args: [join("scripts", "measure.ts"), ...args], cwd: root }),
  "measure:imports": (args) => ({ args: [join("scripts", "measure-imports.ts"), ...args], cwd: root }),
  corpus: (args) => ({ args: [join("test", "corpus", "main.ts"), ...args], cwd: root }),
  story: (args) => ({ args: [join("examples", "story", "story.ts"), ...args], cwd: root }),
  "test:postgres": (args) => ({ args: [testScript, "postgres", ...args], cwd: root, env: compiledOnce }),
  nightly: (args) => ({ args: [join("scripts", "nightly.ts"), ...args], cwd: root, env: compiledOnce }),
  "serve:postgres": (args) => ({ args: [join("scripts", "serve-postgres.ts"), ...args], cwd: root }),
};

/** The help of the tasks that have no `--help` of their own. */
const usages = {
  test: `npm test -- [FILE|FOLDER|GLOB …] [options of Node's test runner]
  Runs all tests, or those of some files or folders: npm test -- src/expression --test-name-pattern=walk`,
  story: `npm run story
  Follows a parcel through the service of examples/parcel-lockers.md, from creation to collection.`,
  "measure:imports": `npm run measure:imports -- FOLDER|FILE …
  Imports the descriptions below the folders, and counts the operations that Nonet performs, and the reasons of the others.`,
  playground: `npm run playground
  Builds the page of \`nonet playground\`, playground.html, and prints its size.`,
  measure: `npm run measure
  Prints the measures of the source (lines, small files, imports), each with its limit.`,
  corpus: `npm run corpus -- [--freeze] [--out FOLDER] [--only NAME]
  Makes every output of all example and test documents: exports, findings, differences, responses. --freeze writes their
  digests to test/corpus/frozen.txt; --out writes the outputs, to compare two commits with diff -r.`,
  "test:postgres": `npm run test:postgres -- [FILE|FOLDER|GLOB …]
  Runs the tests that serve over HTTP, or the named ones, on PostgreSQL in place of SQLite.`,
  nightly: `npm run nightly
  Runs all tests with all their generated cases, on both databases, and the simulation with 10,000 seeds.`,
  "serve:postgres": `npm run serve:postgres -- [DOC] [options of nonet serve]
  Serves a document (default: examples/parcel-lockers.md) on a PostgreSQL server that is installed with the dependencies.
  Its data is in the folder NONET_POSTGRES_FOLDER (default: a temporary folder).`,
  package: `npm run package -- [--without-types] [--fast]
  Builds the published package in dist; npm pack ./dist packs it. --without-types omits the type declarations; with --fast the
  playground is larger.`,
  release: `npm run release -- [--prepare VERSION] [--publish] [--tag TAG] [--without-tests]
  Checks and tests the repository, packs the package, and shows what npm would publish; nothing is published without --publish,
  which needs your own npm token (npm login), a clean tree and a section of CHANGELOG.md. --prepare makes that section.`,
};

const usage = `usage: npm start | npm test | npm run nonet -- … | npm run check | npm run bench | npm run simulate | npm run measure | npm run corpus | npm run playground | npm run story | npm run serve:postgres | npm run test:postgres | npm run nightly | npm run package | npm run release
  npm passes the arguments after -- to the task; --help prints its usage. npm prints two lines before a task's output;
  if a program reads that output, use --silent: npm run --silent nonet -- check FILE --format json`;

const [taskName = "", ...taskArguments] = process.argv.slice(2);
const task = Object.hasOwn(tasks, taskName) ? tasks[taskName] : fail(usage, 2);
if (taskArguments.includes("--help") && Object.hasOwn(usages, taskName)) {
  process.stdout.write(`${usages[taskName]}\n`);
  process.exit();
}
if (!dependenciesMatchLock()) installDependencies();
run(pinnedNode(), task(taskArguments));

/**
 * npm writes node_modules/.package-lock.json at the end of an install, so the comparison with package-lock.json also detects an
 * interrupted install. Optional packages may be absent: they are binaries of other platforms.
 */
function dependenciesMatchLock() {
  const installedLock = join(modules, ".package-lock.json");
  if (!existsSync(installedLock)) return false;
  const wanted = readPackages(join(root, "package-lock.json"));
  const installed = readPackages(installedLock);
  return Object.entries(wanted).every(([path, { version, optional }]) => {
    if (path === "") return true;
    return installed[path] === undefined ? optional === true : installed[path].version === version;
  });
}

function readPackages(path) {
  return JSON.parse(readFileSync(path, "utf8")).packages;
}

function installDependencies() {
  process.stderr.write("Installing dependencies (npm ci; the first time takes a minute) …\n");
  // Development dependencies too, whatever NODE_ENV says: every task but `start` needs them.
  const { status, output } = npm(["ci", "--include=dev"]);
  if (status !== 0) fail(`${output}\nnpm ci could not install the dependencies; its messages are above.`);
}

/**
 * The `node` package fetches its binary in an install script, which a person's npm settings, or a later npm, may have
 * refused. Then a Node that is new enough does, and else the package that holds the binary itself, which needs no script.
 */
function pinnedNode() {
  const { version } = JSON.parse(readFileSync(join(modules, "node", "package.json"), "utf8"));
  const windows = process.platform === "win32";
  const executable = windows ? "node.exe" : "node";
  const platform = windows ? "win" : process.platform;
  const prefix = process.platform === "darwin" && process.arch === "arm64" ? "node-bin" : "node";
  const binaryPackage = `${prefix}-${platform}-${process.arch}`;
  const usual = join(modules, "node", "bin", executable);
  const direct = join(modules, ".nonet", "node_modules", binaryPackage, "bin", executable);

  // The install above may just have removed the very Node that this runs on.
  if (isNewEnough(process.version, version) && existsSync(process.execPath)) return process.execPath;
  for (const path of [usual, direct]) if (answers(path, version)) return path;

  process.stderr.write(`Installing Node ${version} (${binaryPackage}) …\n`);
  const { output } = npm([
    "install",
    "--no-save",
    "--no-package-lock",
    `--prefix=${join(modules, ".nonet")}`,
    `${binaryPackage}@${version}`,
  ]);
  if (answers(direct, version)) return direct;
  return fail(
    `${output}\nNonet needs Node ${version} or later; this is ${process.version}, and ${binaryPackage}@${version} could ` +
      `not be installed for ${process.platform} ${process.arch}.\nInstall Node ${version} or later yourself, and run the command again.`,
  );
}

function answers(path, version) {
  return existsSync(path) && spawnSync(path, ["--version"], { encoding: "utf8" }).stdout?.trim() === `v${version}`;
}

function isNewEnough(version, needed) {
  const [have, want] = [version.replace(/^v/, ""), needed].map((text) => text.split(".").map(Number));
  for (const [index, number] of want.entries()) if (have[index] !== number) return have[index] > number;
  return true;
}

/** Runs npm with the Node outside this project: inside `npm run`, node_modules/.bin comes first in PATH. */
function npm(args) {
  const outside = (process.env.PATH ?? "")
    .split(delimiter)
    .filter((folder) => !folder.endsWith(join("node_modules", ".bin")));
  const result = spawnSync("npm", [...args, "--no-audit", "--no-fund", "--no-progress", "--loglevel=error"], {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, PATH: outside.join(delimiter) },
    shell: process.platform === "win32",
    stdio: ["ignore", "pipe", "pipe"],
  });
  return {
    status: result.status,
    output: [result.stdout, result.stderr, result.error?.message].filter(Boolean).join("\n"),
  };
}

/** Hands over terminal, signals and exit status, as if the task had been started directly. */
function run(node, { args, cwd, env = {} }) {
  const path = [dirname(node), join(modules, ".bin"), process.env.PATH ?? ""].join(delimiter);
  const child = spawn(node, args, { cwd, stdio: "inherit", env: { ...process.env, ...env, PATH: path } });
  // A terminal's Ctrl-C reaches the child as well; passing it on would look like a second, impatient one.
  const terminal = [0, 1, 2].some((descriptor) => isatty(descriptor));
  process.on("SIGINT", () => terminal || child.kill("SIGINT"));
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  // npm passes SIGTERM to the shell between it and this script, and the shell dies of it without passing it on: what
  // is left to notice is a new parent. Otherwise stopping `npm start` would leave a server behind.
  const parent = process.ppid;
  const stopWithNpm = () => process.ppid !== parent && child.kill("SIGTERM");
  if (process.env.npm_lifecycle_event !== undefined) setInterval(stopWithNpm, 200).unref();
  child.on("error", (error) => fail(`${node}: ${error.message}`));
  child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

function fail(message, status = 1) {
  process.stderr.write(`${message}\n`);
  process.exit(status);
}
