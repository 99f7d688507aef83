/** `integrations`: each file follows the rules of its tool, and each command line in it runs, with the exit code that decides. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import process from "node:process";
import { test, type TestContext } from "node:test";
import { promisify } from "node:util";
import { parse } from "yaml";
import { commands } from "../../src/cli/commands.ts";
import { scan } from "../../src/cli/command-line.ts";
import { cli } from "../cli.ts";
import { addressOf, nonet, root, temporaryFolder } from "../commands/process.ts";

const folder = join(root, "integrations");

function read(path: string): string {
  return readFileSync(join(folder, path), "utf8");
}

/** The front matter of a Markdown file. */
function frontMatter(path: string): Record<string, unknown> {
  const [, text = ""] = /^---\n(.*?)\n---\n/s.exec(read(path)) ?? [];
  return parse(text) as Record<string, unknown>;
}

/** The lines that call nonet, with what the shell does around the call: `npx nonet check service.md --strict 1>&2 || exit 2`. */
function linesOf(path: string): readonly string[] {
  return [...read(path).matchAll(/\bnpx nonet [^`"\n]+/g)].map(([line]) => line.trim());
}

const files = globSync("**/*.{md,json,yml,yaml}", { cwd: folder }).map((path) => path.replaceAll("\\", "/"));
const lines = [...new Set(files.flatMap(linesOf))];

test("each command line names a command, and options that it has", () => {
  assert(lines.length >= 10, lines.join("\n"));
  for (const line of lines) {
    const [, words = ""] = /^npx nonet (.*?)(?: 1>&2.*)?$/.exec(line) ?? [];
    const [name, ...args] = words.split(" ");
    const command = commands.find((each) => each.words === name);
    assert(command !== undefined, line);
    const { documents, supplied } = scan(command.options, args);
    for (const [option, { texts }] of supplied) command.options[option]?.read(texts, option);
    const operands = { "": 0, "OLD NEW": 2 }[command.operand] ?? 1;
    assert.equal(documents.length, operands, line);
  }
});

interface Extension {
  readonly schema_version: string;
  readonly extension: Record<"id" | "name" | "version" | "description", string> & { readonly effect: string };
  readonly requires: { readonly speckit_version: string };
  readonly provides: { readonly commands: readonly { readonly name: string; readonly file: string }[] };
  readonly hooks: Readonly<Record<string, { readonly command: string; readonly optional: boolean }>>;
}

test("the extension follows the rules of Spec Kit 1.0, and its hooks run its commands", () => {
  const { schema_version, extension, requires, provides, hooks } = parse(read("spec-kit/extension.yml")) as Extension;
  assert.equal(schema_version, "1.0");
  assert.match(extension.id, /^[a-z0-9-]+$/);
  assert.match(extension.version, /^\d+\.\d+\.\d+$/);
  assert(extension.description.length < 200, extension.description);
  assert(["read-only", "read-write"].includes(extension.effect));
  assert.match(requires.speckit_version, /^>=\d+\.\d+\.\d+$/);
  for (const { name, file } of provides.commands) {
    assert.match(name, new RegExp(`^speckit\\.${extension.id}\\.[a-z0-9-]+$`));
    assert.equal(typeof frontMatter(`spec-kit/${file}`)["description"], "string");
  }
  const wanted = { after_plan: "speckit.nonet.check", after_implement: "speckit.nonet.test" };
  assert.deepEqual(Object.fromEntries(Object.entries(hooks).map(([event, { command }]) => [event, command])), wanted);
  for (const { command, optional } of Object.values(hooks)) {
    assert(
      provides.commands.some(({ name }) => name === command),
      command,
    );
    assert.equal(optional, false);
  }
});

interface Schema {
  readonly name: string;
  readonly version: number;
  readonly artifacts: readonly {
    readonly id: string;
    readonly generates: string;
    readonly template: string;
    readonly requires: readonly string[];
  }[];
  readonly apply: { readonly requires: readonly string[]; readonly tracks: string };
}

test("the schema follows the rules of OpenSpec 1.13", () => {
  const { name, version, artifacts, apply } = parse(read("openspec/schema.yaml")) as Schema;
  assert.deepEqual([name, version], ["nonet", 1]);
  const earlier = new Set<string>();
  for (const { id, generates, template, requires } of artifacts) {
    assert(!earlier.has(id), id);
    for (const each of requires) assert(earlier.has(each), `${id} requires ${each}, which is not before it`);
    for (const path of [generates, template]) assert.match(path, /^[\w-]+\.md$/);
    assert(read(`openspec/templates/${template}`) !== "");
    earlier.add(id);
  }
  for (const each of apply.requires) assert(earlier.has(each), each);
  const tracked = artifacts.find(({ generates }) => generates === apply.tracks);
  // OpenSpec counts these lines.
  assert.match(read(`openspec/templates/${tracked?.template}`), /^- \[ \] 1\.1 /m);
  const blank = readFileSync(join(root, "src", "init", "templates", "blank.md"), "utf8");
  assert.equal(read("openspec/templates/service.md"), blank);
});

interface Hook {
  readonly name: string;
  readonly trigger: string;
  readonly matcher?: string;
  readonly action: { readonly type: string; readonly command: string };
  readonly timeout: number;
}

function kiroHooks(): readonly Hook[] {
  const { version, hooks } = JSON.parse(read("kiro/hooks/nonet.json")) as { version: string; hooks: readonly Hook[] };
  assert.equal(version, "v1");
  return hooks;
}

test("the hooks follow the format v1 of Kiro, and the steering file is always included", () => {
  const hooks = kiroHooks();
  assert.equal(new Set(hooks.map(({ name }) => name)).size, hooks.length);
  assert.deepEqual(
    hooks.map(({ trigger }) => trigger),
    ["PostFileSave", "PreTaskExec", "PostTaskExec"],
  );
  const known = new Set(["name", "description", "trigger", "matcher", "action", "timeout"]);
  for (const hook of hooks) {
    assert.deepEqual(Object.keys(hook.action), ["type", "command"]);
    assert.equal(hook.action.type, "command");
    for (const key of Object.keys(hook)) assert(known.has(key), key);
    // `nonet test` takes at most a minute.
    assert(hook.timeout > 0 && (hook.timeout > 60 || !hook.action.command.includes("nonet test")));
  }
  const rows: readonly [path: string, matches: boolean][] = [
    ["service.md", true],
    ["/srv/api/service.md", true],
    ["C:\\api\\service.md", true],
    [".kiro/specs/lending/design.md", true],
    ["docs/design.md", false],
    [".kiro/specs/lending/tasks.md", false],
    ["my-service.md", false],
    ["service.md.txt", false],
  ];
  const matcher = hooks[0]?.matcher ?? "";
  for (const [path, matches] of rows) assert.equal(new RegExp(matcher).test(path), matches, path);
  // A person with another document replaces its name, as text.
  assert(new RegExp(matcher.replaceAll("service.md", "parcels.md")).test("api/parcels.md"));
  assert.equal(frontMatter("kiro/steering/nonet.md")["inclusion"], "always");
});

/** A repository with a document, in which `npx nonet` is the command of this repository. */
function repository(t: TestContext, document: string): string {
  const at = temporaryFolder(t);
  mkdirSync(join(at, "bin"));
  writeFileSync(join(at, "bin", "npx"), `#!/bin/sh\nshift\nexec "${process.execPath}" "${cli}" "$@"\n`, {
    mode: 0o755,
  });
  for (const path of ["service.md", "openspec/changes/NAME/service.md"]) {
    mkdirSync(dirname(join(at, path)), { recursive: true });
    writeFileSync(join(at, path), document);
  }
  return at;
}

/** Runs a line in a shell, as the tools and agents do. */
async function shell(at: string, line: string): Promise<{ code: number; stdout: string; stderr: string }> {
  const environment = { ...process.env, PATH: [join(at, "bin"), process.env["PATH"]].join(delimiter) };
  const filled = line.replace("OPERATION", "addNote");
  return promisify(execFile)("/bin/sh", ["-c", filled], { cwd: at, env: environment }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (failed: { code: number; stdout: string; stderr: string }) => failed,
  );
}

const checks = lines.filter((line) => line.includes(" check "));
const tests = lines.filter((line) => line.includes(" test "));

test("a document with an open question ends each check with its exit code, and a complete one with 0", async (t) => {
  const complete = repository(t, notes);
  const open = repository(t, notes.replace("standard: all", "# To be decided."));
  assert.equal(checks.length, 4, checks.join("\n"));
  for (const line of checks) {
    const failed = await shell(open, line);
    assert.equal(failed.code, line.includes("|| exit 2") ? 2 : 1, line);
    const [report, other] = line.includes("1>&2") ? [failed.stderr, failed.stdout] : [failed.stdout, failed.stderr];
    assert.match(report, /\[document\/gap\]/, line);
    assert.equal(other, "", line);
    const passed = await shell(complete, line);
    assert.equal(passed.code, 0, line + passed.stdout + passed.stderr);
  }
});

test("an implementation that holds, one that breaks a statement, and none end each test with 0, 1 and 2", async (t) => {
  const at = repository(t, notes);
  const serve = async (document: string): Promise<() => Promise<void>> => {
    writeFileSync(join(at, "served.md"), document);
    const running = nonet(t, ["serve", "served.md", "--data", "memory", "--port", "0"], { folder: at });
    const address = await addressOf(running);
    writeFileSync(join(at, "nonet.test.yaml"), `url: ${address}\n`);
    return async () => {
      running.signal("SIGTERM");
      await running.ended;
    };
  };
  const expect = async (code: number, says: RegExp): Promise<void> => {
    const results = await Promise.all(tests.map(async (line) => ({ line, ...(await shell(at, line)) })));
    for (const { line, code: actual, stdout, stderr } of results) {
      assert.equal(actual, code, line + stdout + stderr);
      assert.match(line.includes("1>&2") ? stderr : stdout + stderr, says);
    }
  };
  assert.equal(tests.length, 3, tests.join("\n"));
  let stop = await serve(notes);
  await expect(0, / 0 broken/);
  await stop();
  await expect(2, /cannot be reached|cannot reach/);
  stop = await serve(notes.replace("string(1..80)", "string(1..8)"));
  await expect(1, / [1-9]\d* broken/);
  await stop();
});

const notes = `# Notes

## What the service does
\`\`\`yaml
nonet: 1
service: notes
domain: office
purpose: Keep notes.
outside: [attachments]
users: { anybody: writes }
operations: { addNote: Add a note }
\`\`\`

## Resources and their fields
\`\`\`yaml
Note: { id: id(not), text: string(1..80) }
\`\`\`

## States and transitions
\`\`\`yaml
Note: none
\`\`\`

## Endpoints
\`\`\`yaml
endpoints: { addNote: POST /notes }
\`\`\`

## Authentication
\`\`\`yaml
allow: { addNote: anyone }
\`\`\`

## Events
\`\`\`yaml
none
\`\`\`

## Errors
\`\`\`yaml
standard: all
\`\`\`

## Limits
\`\`\`yaml
none
\`\`\`

## Versioning
\`\`\`yaml
none
\`\`\`
`;
