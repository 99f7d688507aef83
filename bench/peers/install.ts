/** Peers are installed by npm into a folder of their own when they are first measured: the project does not depend on them. */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The folder in which `peer` runs, installed as its package.json says now. */
export function install(name: string, into: string): string {
  const from = join(import.meta.dirname, name);
  const folder = join(into, name);
  const wanted = readFileSync(join(from, "package.json"), "utf8");
  const mark = join(folder, "installed.json");
  mkdirSync(folder, { recursive: true });
  cpSync(from, folder, { recursive: true });
  cpSync(join(import.meta.dirname, "caller.mjs"), join(folder, "caller.mjs"));
  if (existsSync(mark) && readFileSync(mark, "utf8") === wanted) return folder;
  rmSync(mark, { force: true });
  console.log(`installing ${name} into ${folder} …`);
  // Scripts of packages stay unrun: the native builds among them are for stores that are not measured.
  const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  for (const run of [args, ["run", "generate", "--if-present"]]) {
    execFileSync("npm", run, { cwd: folder, stdio: "inherit", timeout: 600_000 });
  }
  writeFileSync(mark, wanted);
  return folder;
}
