/** Packages that one test needs and the project does not: in a folder of their own, installed when it first runs. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import type { TestContext } from "node:test";
import { promisify } from "node:util";

/** Installs what the folder's lock says, once. Where that cannot be done the test is skipped, except in CI. */
export async function installed(t: Pick<TestContext, "skip">, folder: string): Promise<boolean> {
  const lock = readFileSync(join(folder, "package-lock.json"), "utf8");
  const mark = join(folder, "node_modules", ".installed-lock.json");
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
  const reason = `npm ci in ${folder} failed: ${(stdout + stderr).trim()}`;
  assert.ok(process.env["CI"] === undefined, reason);
  t.skip(reason);
  return false;
}

export async function output(
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
