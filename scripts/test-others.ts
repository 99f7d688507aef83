/**
 * Tests implementations that others wrote, unchanged, on loopback: `node scripts/test-others.ts NAME=FOLDER …`. A folder contains an
 * implementation with its dependencies, installed as its own readme describes; `test/conformance/others/NAME.json` describes how it
 * is started, its document, and the statements that it is known to break. The exit code is 1 if others are broken now.
 *
 *     --update        writes what is broken into the lists
 *     --seed N        other requests; the lists are made with the seed in them
 *     --report FILE   a report of the last test, as of `nonet test`
 */
import { readFile, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { formatOf, writeReport } from "../src/conformance/report/formats.ts";
import { casesOf } from "../src/conformance/cases.ts";
import { contractOf } from "../src/conformance/contract.ts";
import { type Report, test } from "../src/conformance/test.ts";
import { check } from "../src/language/check.ts";
import {
  folder,
  type Implementation,
  implementationNames,
  readImplementation,
  startImplementation,
} from "../test/conformance/others/implementation.ts";

const root = join(import.meta.dirname, "..");

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { update: { type: "boolean" }, seed: { type: "string" }, report: { type: "string" } },
});

if (positionals.length === 0) {
  const names = await implementationNames();
  process.stderr.write(`node scripts/test-others.ts NAME=FOLDER …, with the names ${names.join(", ")}\n`);
  process.exitCode = 2;
}

for (const one of positionals) {
  const [name = "", at = ""] = one.split("=");
  const implementation = await readImplementation(name);
  const seed = Number(values.seed ?? implementation.seed);
  const reports = await testImplementation(implementation, resolve(at), seed);
  const [report] = reports as [Report];
  const format = values.report === undefined ? undefined : formatOf(values.report);
  if (values.report !== undefined && format !== undefined)
    await writeFile(values.report, writeReport(format, report, { colour: false, release: "" }));
  const found = brokenIn(reports);
  const { broken } = implementation;
  const added = [...found.keys()].filter((path) => !Object.hasOwn(broken, path));
  const absent = Object.keys(broken).filter((path) => !found.has(path));
  const holds = report.statements.filter(({ kind }) => kind === "holds").length;
  process.stdout.write(
    `${name} (${implementation.source}): of ${report.statements.length} statements ${holds} hold and ${found.size} are broken; ${report.requests} requests, ${Math.round(report.milliseconds / 1000)} s\n`,
  );
  for (const path of added) process.stdout.write(`  not in the list: ${path}: ${found.get(path)}\n`);
  for (const path of absent) process.stdout.write(`  no more broken: ${path}: ${broken[path]}\n`);
  if (values.update === true) await update(name, implementation, found);
  else if (added.length + absent.length > 0) process.exitCode = 1;
}

/** Runs all cases, and then each case that ends the server by itself. */
async function testImplementation(
  implementation: Implementation,
  at: string,
  seed: number,
): Promise<readonly Report[]> {
  const { document, ending = [], settings = {} } = implementation;
  const name = join(root, document);
  const text = await readFile(name, "utf8");
  const run = async (ids: ReadonlySet<string> | undefined): Promise<Report> => {
    await using running = await startImplementation(implementation, at);
    return await test({
      ...{ ...settings, name: relative(process.cwd(), name), text, url: running.url, seed, ids },
      // One after the other, so that each run finds the same.
      ...{ workers: 1, budgetMilliseconds: 300_000 },
    });
  };
  if (ending.length === 0) return [await run(undefined)];
  const { model, places } = check(document, text);
  const all = casesOf(contractOf(model, places)).cases.map(({ id }) => id);
  const reports = [await run(new Set(all.filter((id) => !ending.includes(id))))];
  for (const id of ending) reports.push(await run(new Set([id])));
  return reports;
}

/** Returns the broken statements by path, each with what was expected and what came the first time. */
function brokenIn(reports: readonly Report[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { kind, statement, cases } of reports.flatMap(({ statements }) => statements)) {
    const [first] = cases;
    if (kind === "broken" && first?.kind === "broken" && !found.has(statement.path))
      found.set(statement.path, `expected ${first.expected}, got ${first.got}`);
  }
  return found;
}

async function update(name: string, implementation: Implementation, found: ReadonlyMap<string, string>): Promise<void> {
  const broken = Object.fromEntries(
    [...found].map(([path, what]) => [path, implementation.broken[path] ?? what] as const),
  );
  await writeFile(join(folder, `${name}.json`), `${JSON.stringify({ ...implementation, broken }, undefined, 2)}\n`);
}
