/** Installs packages that only one test needs, in a separate folder, when the test first runs. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { copyFile, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as pass } from "node:timers/promises";
import { promisify } from "node:util";

/** Installs what the folder's lock says, once. Where that cannot be done the test is skipped, except in CI. */
export async function installed(t: Pick<TestContext, "skip">, folder: string): Promise<boolean> {
  const lock = readFileSync(join(folder, "package-lock.json"), "utf8");
  const modules = join(folder, "node_modules");
  const isThere = (): boolean => {
    const mark = join(modules, markName);
    return existsSync(mark) && readFileSync(mark, "utf8") === lock;
  };
  // Files of tests run at the same time: one of those that want it installs, which takes long, and the others wait for it.
  const claim = join(folder, ".nonet", "installing");
  await mkdir(dirname(claim), { recursive: true });
  while (!isThere() && !(await claimed(claim))) await pass(100);
  if (isThere()) return true;
  // npm begins by deleting what is there: it installs beside, whole or not at all.
  const beside = join(folder, ".nonet", randomUUID());
  await mkdir(beside, { recursive: true });
  try {
    for (const name of ["package.json", "package-lock.json"]) await copyFile(join(folder, name), join(beside, name));
    if (!(await install(t, beside))) return false;
    await writeFile(join(beside, "node_modules", markName), lock);
    if (isThere()) return true;
    if (existsSync(modules)) await rename(modules, join(beside, "outdated"));
    await rename(join(beside, "node_modules"), modules).catch((failure: unknown) => {
      if (!isThere()) throw failure;
    });
    return true;
  } finally {
    await rm(beside, { recursive: true, force: true });
    await rm(claim, { force: true });
  }
}

/** Whether this process may do it. What one claimed that is gone is anybody's. */
async function claimed(claim: string): Promise<boolean> {
  try {
    await writeFile(claim, String(process.pid), { flag: "wx" });
    return true;
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code !== "EEXIST") throw failure;
  }
  const holder = Number(await readFile(claim, "utf8").catch(() => ""));
  if (holder > 0 && !isRunning(holder)) await rm(claim, { force: true });
  return false;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (failure) {
    return (failure as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Says what was installed, by being its lock. */
const markName = ".installed-lock.json";

async function install(t: Pick<TestContext, "skip">, folder: string): Promise<boolean> {
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
  if (!failed) return true;
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
