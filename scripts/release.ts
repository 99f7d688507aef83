/**
 * Releases the package: `npm run release` shows what would be published, and publishes nothing; with `--publish` a person publishes
 * it, with their own npm token, and pushes the tag. See SUPPORT.md for the policy of versions.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { oldestNode } from "../src/server/terminal.ts";
import { publishedManifest } from "./published-manifest.ts";
import { releaseProblems, sectionOf, withVersion } from "./release-notes.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const { values: options } = parseArgs({
  options: {
    prepare: { type: "string" },
    publish: { type: "boolean", default: false },
    tag: { type: "string", default: "latest" },
    "without-tests": { type: "boolean", default: false },
  },
});
const read = (file: string): string => readFileSync(join(root, file), "utf8");

if (options.prepare === undefined) release();
else prepare(options.prepare);

function prepare(version: string): void {
  const today = new Date().toISOString().slice(0, 10);
  writeFileSync(join(root, "CHANGELOG.md"), withVersion(read("CHANGELOG.md"), version, today));
  run("npm", "version", version, "--no-git-tag-version", "--allow-same-version");
  print(`package.json and CHANGELOG.md are at ${version}: read the section, commit, and run npm run release`);
}

function release(): void {
  const { version, repository } = publishedManifest(root);
  const problems = releaseProblems({
    version,
    changelog: read("CHANGELOG.md"),
    changed: output("git", "status", "--porcelain"),
    tags: output("git", "tag", "--list").split("\n"),
    repository: repository !== undefined,
  });
  if (options.publish && options["without-tests"]) fail(["--publish runs the tests"]);
  if (problems.length > 0 && options.publish) fail(problems);
  const folder = mkdtempSync(join(tmpdir(), "nonet-release-"));
  try {
    if (!options["without-tests"]) testAll(folder);
    run("npm", "run", "--silent", "package");
    const file = join(folder, output("npm", "pack", "./dist", "--pack-destination", folder, "--silent").trim());
    const publish = ["publish", file, "--access", "public", "--tag", options.tag, `--provenance=${isProvable()}`];
    run("npm", ...publish, ...(options.publish ? [] : ["--dry-run"]));
    print(`\n${version}\n\n${sectionOf(read("CHANGELOG.md"), version)?.text ?? "(no section in CHANGELOG.md)"}\n`);
    if (problems.length > 0) fail(["nothing was published, and this prevents it:", ...problems]);
    if (!options.publish) print("nothing was published: npm run release -- --publish does it");
    else {
      run("git", "tag", "--annotate", `v${version}`, "--message", `nonet ${version}`);
      print(`${version} is published, and v${version} is tagged here: git push origin v${version}`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** All tests, and those of the package with the oldest Node that it allows. */
function testAll(folder: string): void {
  run("npm", "run", "--silent", "check");
  run("npm", "install", "--prefix", folder, "--no-save", "--no-audit", "--no-fund", `node@${oldestNode}`);
  process.env["NONET_TEST_OLDEST_NODE"] = join(folder, "node_modules", "node", "bin", "node");
  run("npm", "test");
}

/** npm signs where a package was built only on GitHub and GitLab. */
function isProvable(): boolean {
  const provable = ["ACTIONS_ID_TOKEN_REQUEST_URL", "SIGSTORE_ID_TOKEN"].some((name) => name in process.env);
  if (!provable) print("without provenance, which npm adds only in a pipeline of GitHub or GitLab");
  return provable;
}

function run(program: string, ...args: readonly string[]): void {
  execFileSync(program, args, { cwd: root, stdio: "inherit" });
}

function output(program: string, ...args: readonly string[]): string {
  return execFileSync(program, args, { cwd: root, encoding: "utf8" });
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function fail(problems: readonly string[]): never {
  process.stderr.write(`${problems.join("\n")}\n`);
  process.exit(1);
}
