/**
 * Runs the integrations with the tools themselves, in temporary folders: `node scripts/test-integrations.ts`. It needs npm's
 * registry for OpenSpec; Spec Kit is a Python program, `specify`, or the value of `--specify`, and is skipped if there is none. Kiro
 * has no command that reads hooks without an account. The exit code is 1 if a step fails.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";

const integrations = join(import.meta.dirname, "..", "integrations");
const openspecVersion = "1.13.2";

const { values } = parseArgs({ options: { specify: { type: "string", default: "specify" } } });

const folder = mkdtempSync(join(tmpdir(), "nonet-integrations-"));
try {
  const project = (name: string): string => {
    const at = join(folder, name);
    mkdirSync(at);
    run(at, "git", "init", "--quiet");
    return at;
  };
  openspec(project("openspec"));
  specKit(project("spec-kit"), values.specify);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** A change from its sentences to its archive. */
function openspec(at: string): void {
  writeFileSync(join(at, "package.json"), "{}");
  run(at, "npm", "install", "--no-audit", "--no-fund", `@fission-ai/openspec@${openspecVersion}`);
  const command = (...args: readonly string[]): string => run(at, "npx", "openspec", ...args);
  command("init", ".", "--tools", "none");
  cpSync(join(integrations, "openspec"), join(at, "openspec", "schemas", "nonet"), { recursive: true });
  command("schema", "validate", "nonet");
  command("new", "change", "lend-books", "--schema", "nonet");
  const change = join(at, "openspec", "changes", "lend-books");
  for (const artifact of ["proposal", "document", "tasks"]) {
    const { template, resolvedOutputPath } = JSON.parse(
      command("instructions", artifact, "--change", "lend-books", "--json"),
    ) as { template: string; resolvedOutputPath: string };
    assert.equal(join(resolvedOutputPath, ".."), change);
    writeFileSync(resolvedOutputPath, template);
  }
  const applied = (): { state: string; progress: { total: number } } =>
    JSON.parse(command("instructions", "apply", "--change", "lend-books", "--json")) as ReturnType<typeof applied>;
  assert.equal(applied().state, "ready");
  assert.equal(applied().progress.total, 2);
  const tasks = join(change, "tasks.md");
  writeFileSync(tasks, readFileSync(tasks, "utf8").replaceAll("- [ ]", "- [x]"));
  assert.equal(applied().state, "all_done");
  command("validate", "lend-books", "--strict");
  command("archive", "lend-books", "--yes");
  assert(!existsSync(change));
  process.stdout.write(
    `OpenSpec ${openspecVersion}: the schema is valid, and a change goes from its proposal to its archive\n`,
  );
}

/** The extension in a new project: its commands are installed, and its hooks registered. */
function specKit(at: string, program: string): void {
  try {
    run(at, program, "--help");
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== "ENOENT") throw thrown;
    process.stdout.write(`Spec Kit: skipped, there is no program ${program}\n`);
    return;
  }
  run(at, program, "init", "--here", "--force", "--integration", "claude", "--ignore-agent-tools");
  run(at, program, "extension", "add", "--dev", join(integrations, "spec-kit"));
  const hooks = readFileSync(join(at, ".specify", "extensions.yml"), "utf8");
  for (const name of ["check", "test"]) {
    assert(hooks.includes(`command: speckit.nonet.${name}`), hooks);
    assert(existsSync(join(at, ".claude", "skills", `speckit-nonet-${name}`, "SKILL.md")), name);
  }
  assert(/after_plan:.*after_implement:/s.test(hooks), hooks);
  process.stdout.write("Spec Kit: the extension is installed, with its commands and hooks\n");
}

function run(at: string, program: string, ...args: readonly string[]): string {
  const environment = { ...process.env, OPENSPEC_TELEMETRY: "0" };
  return execFileSync(program, args, {
    cwd: at,
    encoding: "utf8",
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
}
