/** What is published: installed below `node_modules` of another project, where Node strips no types, it runs and is typed. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root, temporaryFolder } from "./process.ts";

function node(folder: string, ...args: readonly string[]): string {
  return execFileSync(process.execPath, [...args], { cwd: folder, encoding: "utf8" });
}

test("the package is used by another project", async (t) => {
  const folder = temporaryFolder(t);
  node(root, "--disable-warning=ExperimentalWarning", "scripts/package.ts");
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

  await t.test("as a command", () => {
    assert.match(node(folder, join(modules, "nonet", "src", "cli.mjs"), "--help"), /nonet serve DOC/);
    writeFileSync(join(folder, "notes.md"), notes);
    const types = node(folder, join(modules, "nonet", "src", "cli.mjs"), "types", "notes.md");
    assert.match(types, /export interface Notes \{/);
    writeFileSync(join(folder, "notes.types.ts"), types);
    const client = node(folder, join(modules, "nonet", "src", "cli.mjs"), "export", "typescript", "notes.md");
    assert.match(client, /export function createClient/);
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
