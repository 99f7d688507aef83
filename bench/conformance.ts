/**
 * What `nonet test` costs: seconds, processor time and memory of the process that tests, while `nonet serve` runs in another one.
 *
 *     node bench/conformance.ts                                the example of parcel lockers
 *     node bench/conformance.ts --of many [--resources 250]    a document with four operations for each resource
 *     node bench/conformance.ts --of import                    the same from an OpenAPI description, which `nonet import` reads
 *
 * `--budget 600s`, `--seed 1`, `--workers 4`, `--only states` and `--report FILE` are those of `nonet test`. With `--most-seconds` and
 * `--most-megabytes` it fails if the test needs more than that; `npm run nightly` allows the flagship 60 s and 300 MB.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { manyDocument, manyOpenapi } from "./scale/many-operations.ts";
import type { Usage } from "./usage.ts";

const { values } = parseArgs({
  options: {
    of: { type: "string", default: "flagship" },
    resources: { type: "string", default: "250" },
    budget: { type: "string", default: "60s" },
    seed: { type: "string", default: "1" },
    workers: { type: "string" },
    only: { type: "string", multiple: true, default: [] },
    report: { type: "string", multiple: true, default: [] },
    "most-seconds": { type: "string", default: "Infinity" },
    "most-megabytes": { type: "string", default: "Infinity" },
  },
});

const root = join(import.meta.dirname, "..");
const cli = join(root, "src", "cli.mjs");
const environment = { ...process.env, DOOR_SECRET: "a secret of the bench" };
const folder = await mkdtemp(join(tmpdir(), "nonet-conformance-"));

interface Measured extends Usage {
  readonly seconds: number;
  readonly code: number | null;
  readonly output: string;
}

/** Runs the command with these arguments to its end. */
async function measured(args: readonly string[]): Promise<Measured> {
  const file = join(folder, "usage.json");
  const began = performance.now();
  const child = spawn(process.execPath, ["--import", join(import.meta.dirname, "usage.ts"), cli, ...args], {
    env: { ...environment, USAGE_FILE: file },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  const [code] = (await once(child, "close")) as [number | null];
  const seconds = (performance.now() - began) / 1000;
  return { seconds, code, output, ...(JSON.parse(await readFile(file, "utf8")) as Usage) };
}

function line(what: string, { seconds, processor, megabytes }: Measured): string {
  return `${what}: ${seconds.toFixed(1)} s, ${processor.toFixed(1)} s of processor time, ${Math.round(megabytes)} MB\n`;
}

/** Starts `nonet serve`, and returns its address. */
async function serve(document: string, data: string): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const args = [cli, "serve", document, "--data", data, "--test-clock", "--port", "0"];
  const child = spawn(process.execPath, args, { env: environment, stdio: ["ignore", "pipe", "ignore"] });
  let output = "";
  const url = await new Promise<string>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}: ${output}`)));
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      const [found] = / at (http:\/\/127\.0\.0\.1:\d+)/.exec(output)?.slice(1) ?? [];
      if (found !== undefined) resolve(found);
    });
  });
  return { child, url };
}

async function keyOf(document: string, data: string, user: string, role: string): Promise<string> {
  const args = [cli, "key", "create", document, "--data", data, "--user", user, "--role", role];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: environment });
  return `${user}:${role}=${stdout.trim()}`;
}

async function documentOf(): Promise<{ readonly document: string; readonly callers: readonly [string, string][] }> {
  const document = join(folder, "many.md");
  const members: readonly [string, string][] = [
    ["ann", "member"],
    ["bob", "member"],
  ];
  switch (values.of) {
    case "flagship":
      return {
        document: join(root, "examples", "parcel-lockers.md"),
        callers: [
          ["kim", "operator"],
          ["ann", "courier"],
          ["bob", "courier"],
        ],
      };
    case "many":
      await writeFile(document, manyDocument(Number(values.resources)));
      return { document, callers: members };
    case "import": {
      const description = join(folder, "many.json");
      await writeFile(description, JSON.stringify(manyOpenapi(Number(values.resources))));
      process.stdout.write(line("import", await measured(["import", description, "--out", document])));
      return {
        document,
        callers: [
          ["ann", "key"],
          ["bob", "key"],
        ],
      };
    }
    default:
      throw new Error("--of is flagship, many or import");
  }
}

try {
  const { document, callers } = await documentOf();
  const data = join(folder, "bench.db");
  const keys: string[] = [];
  for (const [user, role] of callers) keys.push(await keyOf(document, data, user, role));
  const { child, url } = await serve(document, data);
  try {
    const test = await measured([
      ...["test", document, "--url", url, "--clock", `${url}/.well-known/test-clock`],
      ...keys.flatMap((key) => ["--as", key]),
      ...["--seed", values.seed, "--budget", values.budget],
      ...(values.workers === undefined ? [] : ["--workers", values.workers]),
      ...values.only.flatMap((one) => ["--only", one]),
      ...values.report.flatMap((file) => ["--report", file]),
    ]);
    process.stdout.write(`${test.output.slice(-3000)}\n${line("test", test)}`);
    const over = [
      ...(test.seconds > Number(values["most-seconds"]) ? [`more than ${values["most-seconds"]} s`] : []),
      ...(test.megabytes > Number(values["most-megabytes"]) ? [`more than ${values["most-megabytes"]} MB`] : []),
    ];
    if (over.length > 0) process.stdout.write(`${over.join(" and ")}\n`);
    process.exitCode = test.code === 0 && over.length === 0 ? 0 : 1;
  } finally {
    if (child.exitCode === null) {
      const ended = once(child, "exit");
      child.kill();
      await ended;
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
