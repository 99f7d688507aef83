/** The published package, below another project's `node_modules`, where Node strips no types: it runs and has types. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { addressOf, nonet, root, temporaryFolder } from "./process.ts";

function node(folder: string, ...args: readonly string[]): string {
  return execFileSync(process.execPath, [...args], {
    cwd: folder,
    encoding: "utf8",
    env: { PATH: process.env["PATH"] },
  });
}

test("the package is used by another project", async (t) => {
  const folder = temporaryFolder(t);
  node(root, "--disable-warning=ExperimentalWarning", "scripts/package.ts", "--fast");
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const packed = execFileSync(npm, ["pack", join(root, "dist"), "--silent", "--offline"], {
    cwd: folder,
    encoding: "utf8",
  }).trim();
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "nonet"), { recursive: true });
  execFileSync("tar", ["-xzf", packed, "-C", join(modules, "nonet"), "--strip-components=1"], { cwd: folder });
  // What it depends on is what this project has installed.
  for (const name of readdirSync(join(root, "node_modules")))
    if (!name.startsWith(".") && !existsSync(join(modules, name)))
      symlinkSync(join(root, "node_modules", name), join(modules, name), "dir");

  const command = join(modules, "nonet", "src", "cli.mjs");
  await t.test("as a command", () => {
    assert.match(node(folder, command, "--help"), /nonet serve DOC/);
    writeFileSync(join(folder, "notes.md"), notes);
    const types = node(folder, command, "types", "notes.md");
    assert.match(types, /export interface Notes \{/);
    writeFileSync(join(folder, "notes.types.ts"), types);
    const client = node(folder, command, "export", "typescript", "notes.md");
    assert.equal(client, node(folder, join(root, "src", "cli.mjs"), "export", "typescript", "notes.md"));
    // Characters beyond ASCII in regular expressions: the dash of a heading.
    writeFileSync(join(folder, "dashes.md"), notes.replace("## What the service does", "## 1 – What the service does"));
    assert.match(node(folder, command, "check", "dashes.md"), /0 errors/);
  });

  const kept = join(modules, "nonet", "src", "nonet.cjs.other.cache");

  await t.test("as a command in one file", () => {
    const recorder = join(folder, "recorder.mjs");
    writeFileSync(recorder, recording);
    const loaded = node(folder, "--import", recorder, command, "check", "notes.md").split("\n");
    const files = loaded.flatMap((line) => /^loaded file:.*\/nonet\/src\/(.+)$/.exec(line)?.[1] ?? []);
    assert.deepEqual(files, ["cli.mjs", "load.mjs"]);
    const others = loaded.filter((line) => line.startsWith("loaded file:") && !line.includes("/nonet/src/"));
    assert.deepEqual(others, [], "no package is loaded");
    const texts = readFileSync(join(modules, "nonet", "src", "nonet.licenses.txt"), "utf8");
    for (const name of ["ajv", "micromark", "pino", "yaml"])
      assert.match(texts, new RegExp(`^${name} \\S+ \\(MIT|ISC\\)`, "m"));
  });

  await t.test("what V8 compiled is kept, and taken only where it is whole and of this file", () => {
    const sound = readFileSync(kept);
    assert(sound.length > 100_000);
    const spoiled = Buffer.from(sound).fill(0, sound.length - 1000);
    const other = Buffer.from(sound).fill(0, 0, 8);
    const before = "written by another version";
    for (const bytes of [spoiled, other, Buffer.from(before), Buffer.alloc(0), sound.subarray(0, 100_000)]) {
      writeFileSync(kept, bytes);
      assert.match(node(folder, command, "check", "notes.md"), /0 errors/);
      assert(readFileSync(kept).length > 100_000, "it was made anew");
      assert.notDeepEqual(readFileSync(kept), bytes);
    }
    const now = readFileSync(kept);
    node(folder, command, "--help");
    assert.deepEqual(readFileSync(kept), now, "it is not made again");
    assert.deepEqual(
      readdirSync(join(modules, "nonet", "src")).filter((name) => name.includes(".cache")),
      ["nonet.cjs.other.cache"],
    );
  });

  await t.test("as a command that serves, with functions that import it", async (one) => {
    writeFileSync(join(folder, "functions.ts"), functions);
    const args = ["serve", "notes.md", "--data", "served.db", "--port", "0", "--handlers", "functions.ts"];
    const running = nonet(one, args, { folder, command });
    const address = await addressOf(running);
    const headers = { "Content-Type": "application/json" };
    const made = await fetch(`${address}/notes`, { method: "POST", headers, body: '{"text":"hello"}' });
    assert.equal(made.status, 201, await made.text());
    const counted = await fetch(`${address}/count`);
    assert.deepEqual([counted.status, await counted.json()], [200, { letters: 5 }]);
    const wrong = await fetch(`${address}/notes`, { method: "POST", headers, body: '{"text":5}' });
    assert.equal(wrong.status, 422, await wrong.text());
    running.signal("SIGTERM");
    assert.equal(await running.ended, 0, running.output);
    assert(existsSync(kept.replace("other", "serve")));
  });

  await t.test("as a command that shows the playground with a document in its editor", async (one) => {
    const text = `${notes}\nIt says </script> and $&.\n`;
    writeFileSync(join(folder, "shown.md"), text);
    node(folder, command, "playground", "shown.md", "--out", "page.html");
    const page = readFileSync(join(folder, "page.html"), "utf8");
    const [, value = ""] = /id="document">(.*?)<\/script>/.exec(page) ?? [];
    assert.equal(JSON.parse(value), text);
    const running = nonet(one, ["playground", "shown.md"], { folder, command });
    const [address] = await running.says(/http:\/\/127\.0\.0\.1:\d+\//);
    assert.equal(await (await fetch(address)).text(), page);
    assert.equal((await fetch(`${address}other`)).status, 404);
    running.signal("SIGTERM");
    assert.equal(await running.ended, 0, running.output);
  });

  await t.test("as a library, with types", () => {
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    writeFileSync(join(folder, "program.ts"), program);
    const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true };
    const more = {
      module: "nodenext",
      target: "es2024",
      noEmit: true,
      allowImportingTsExtensions: true,
      types: ["node"],
    };
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions: { ...strict, ...more, skipLibCheck: false }, files: ["program.ts"] }),
    );
    node(folder, join(modules, "typescript", "bin", "tsc"), "-p", folder);
    assert.equal(node(folder, "program.ts"), "201 hello\n200 5\n");
  });
});

const notes = `# Notes

## What the service does
\`\`\`yaml
nonet: 1
service: notes
purpose: Keep notes.
users: { anybody: writes }
operations: { addNote: Add one, count: Count them }
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
endpoints:
  addNote: POST /notes
  count: { at: GET /count, does: handler, gives: { letters: integer } }
\`\`\`

## Authentication
\`\`\`yaml
allow: { "addNote, count": anyone }
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

/** Says which modules are loaded from files. */
const recording = `import { registerHooks } from "node:module";
registerHooks({
  load: (url, context, next) => {
    console.log("loaded " + url);
    return next(url, context);
  },
});
`;

const functions = `import { handlers } from "nonet";

export default handlers({
  async count({ records }) {
    const { items } = await records.Note.list();
    return { letters: items.reduce((sum, { text }) => sum + text.length, 0) };
  },
});
`;

const program = `import { createService, handlers } from "nonet";
import type { Notes } from "./notes.types.ts";

const functions = handlers<Notes>({
  async count({ records }) {
    const { items } = await records.Note.list();
    return { letters: items.reduce((sum, { text }) => sum + text.length, 0) };
  },
});
const service = await createService({ document: "notes.md", store: "notes.db", handlers: functions });
const body = JSON.stringify({ text: "hello" });
const headers = { "Content-Type": "application/json" };
const made = await service.fetch(new Request("http://notes/notes", { method: "POST", headers, body }));
console.log(made.status, ((await made.json()) as { text: string }).text);
const counted = await service.fetch(new Request("http://notes/count"));
console.log(counted.status, ((await counted.json()) as { letters: number }).letters);
await service.close();
`;
