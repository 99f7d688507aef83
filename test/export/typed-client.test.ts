/**
 * The exported document is enough for a typed client: types from openapi-typescript, requests by openapi-fetch. Both need
 * TypeScript 5, which the project itself has left behind, so they live in a package of their own, `test/typed-client`,
 * which is installed when this test first runs.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { test, type TestContext } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { openapi } from "../../src/export/openapi/openapi.ts";
import { run } from "../serve/running.ts";
import { baseUrl, flagship, flagshipText } from "./documents.ts";

const folder = fileURLToPath(new URL("../typed-client", import.meta.url));
const inModules = (...path: readonly string[]) => join(folder, "node_modules", ...path);

test("a client with generated types compiles, refuses mistakes, and runs against the served example", async (t) => {
  if (!(await installed(t))) return;
  await mkdir(join(folder, "dist"), { recursive: true });
  await writeFile(join(folder, "dist", "lockers.ts"), await generateTypes());

  await t.test("it compiles, and each mistake in it does not", async () => {
    const compiler = inModules("typescript", "bin", "tsc");
    const { stdout } = await output(process.execPath, [compiler, "-p", folder]);
    assert.equal(stdout, "");
  });

  await t.test("it runs", async () => {
    await using service = await run(flagshipText, { store: "memory", environment: { DOOR_SECRET: "a test" } });
    const keys = { operator: await service.key("otto", "operator"), courier: await service.key("kim", "courier") };
    const program = (await import(pathToFileURL(join(folder, "program.ts")).href)) as {
      run(url: string, keys: object): Promise<readonly string[]>;
    };
    assert.deepEqual(await program.run(service.url, keys), [
      "site in Europe/Oslo",
      "locker free",
      "parcel announced",
      "refused: No locker of this size is free at this site (409)",
      "again the same",
      "1 of them, next null",
      "now for b@example.org",
      "it is announced; possible: dropOff, cancelParcel",
      "refused: The code does not open this door (403)",
      "door 1",
      "#/weightKg: too-large",
    ]);
    assert.deepEqual(service.failures, []);
  });
});

/** A member with a default may be left out of what is sent, so it is not made required (`defaultNonNullable`). */
async function generateTypes(): Promise<string> {
  const generator = (await import(pathToFileURL(inModules("openapi-typescript", "dist", "index.mjs")).href)) as {
    default(document: object, options: object): Promise<unknown>;
    astToString(ast: unknown): string;
  };
  const document = structuredClone(openapi(flagship, baseUrl));
  return generator.astToString(await generator.default(document, { defaultNonNullable: false }));
}

/** Installs what the lock says, once. Where that cannot be done the test is skipped, except in CI. */
async function installed(t: TestContext): Promise<boolean> {
  const lock = readFileSync(join(folder, "package-lock.json"), "utf8");
  const mark = inModules(".installed-lock.json");
  if (existsSync(mark) && readFileSync(mark, "utf8") === lock) return true;
  // The npm of this machine, not of the project's own modules, and none of the settings of the npm that runs the tests.
  const path = (process.env["PATH"] ?? "")
    .split(delimiter)
    .filter((one) => !one.endsWith(join("node_modules", ".bin")));
  const settings = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name));
  const env = { ...Object.fromEntries(settings), PATH: path.join(delimiter) };
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const { failed, stdout, stderr } = await output("npm", args, {
    cwd: folder,
    env,
    shell: process.platform === "win32",
  });
  if (!failed) {
    await writeFile(mark, lock);
    return true;
  }
  const reason = `npm ci in test/typed-client failed: ${(stdout + stderr).trim()}`;
  assert.ok(process.env["CI"] === undefined, reason);
  t.skip(reason);
  return false;
}

async function output(
  program: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv; readonly shell?: boolean } = {},
): Promise<{ readonly failed: boolean; readonly stdout: string; readonly stderr: string }> {
  try {
    return { failed: false, ...(await promisify(execFile)(program, [...args], { ...options, encoding: "utf8" })) };
  } catch (failure) {
    const { stdout = "", stderr = String(failure) } = failure as { stdout?: string; stderr?: string };
    return { failed: true, stdout, stderr };
  }
}
