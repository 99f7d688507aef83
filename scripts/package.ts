/**
 * Builds the published package in `dist`, for `npm pack ./dist`. Node strips no types below `node_modules`, so this script strips
 * them with Node's own function, in place, so that line numbers stay the same. The compiler adds declarations: the package
 * contains the repository's files. Programs import these; the command is also bundled in one file (`bundle.ts`), since it starts
 * often.
 */
import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { dirname, join, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { bundle } from "./bundle.ts";
import { playground } from "./playground.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const { values: options } = parseArgs({
  options: {
    out: { type: "string", default: "dist" },
    "without-types": { type: "boolean", default: false },
    fast: { type: "boolean", default: false },
  },
});
const out = resolve(root, options.out);

/** References between files: imports, and URLs of modules. */
const named = /((?:\bfrom|\bimport)\s*\(?\s*"\.{1,2}\/[^"\n]+|\bnew URL\("\.{1,2}\/[^"\n]+)\.ts"/g;

rmSync(out, { recursive: true, force: true });
for (const path of globSync("src/**/*.{ts,mjs}", { cwd: root })) {
  if (path.endsWith(".test.ts")) continue;
  const text = readFileSync(join(root, path), "utf8");
  const code = path.endsWith(".ts") ? stripTypeScriptTypes(text, { mode: "strip" }) : text;
  write(path.replace(/\.ts$/, ".js"), renamed(code));
}
// Exported clients contain the text of these files.
for (const path of globSync("src/export/typescript/common/*.ts", { cwd: root })) cpSync(join(root, path), place(path));
for (const path of globSync("src/**/*.md", { cwd: root })) cpSync(join(root, path), place(path));
for (const path of ["docs", "examples", "schema", "LICENSE", "README.md", "CHANGELOG.md"])
  cpSync(join(root, path), place(path), { recursive: true });

// A container image runs only the command and needs no types.
if (!options["without-types"]) writeTypes();

// Only a published page is made as small as it gets, which takes half a minute.
writeFileSync(place("playground.html"), await playground(!options.fast));

await bundle(out, join(root, "src"));
for (const path of globSync("*.mjs", { cwd: join(root, "scripts", "packaged") }))
  cpSync(join(root, "scripts", "packaged", path), place(join("src", path)));

interface Manifest {
  readonly [name: string]: unknown;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}
const whole = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest;
const { scripts: _, devDependencies, private: __, files: ___, dependencies, ...manifest } = whole;
const exports = { ".": { types: "./src/index.d.ts", default: "./src/index.js" } };
// The declarations refer to Node's types.
const types = { "@types/node": devDependencies["@types/node"] };
const published = { ...manifest, exports, dependencies: { ...dependencies, ...types } };
write("package.json", `${JSON.stringify(published, null, 2)}\n`);

function writeTypes(): void {
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  const flags = ["--noEmit", "false", "--emitDeclarationOnly", "--outDir", join(out, "src"), "--rootDir", "src"];
  const project = join(out, "tsconfig.json");
  writeFileSync(
    project,
    JSON.stringify({
      extends: join(root, "tsconfig.json"),
      include: [join(root, "src")],
      exclude: [join(root, "src/**/*.test.ts"), join(root, "src/browser")],
    }),
  );
  execFileSync(process.execPath, [compiler, "-p", project, ...flags], { cwd: root, stdio: "inherit" });
  rmSync(project);
  for (const path of globSync("src/**/*.d.ts", { cwd: out }))
    writeFileSync(join(out, path), renamed(readFileSync(join(out, path), "utf8")));
}

function renamed(code: string): string {
  return code.replace(named, '$1.js"');
}

function place(path: string): string {
  const file = join(out, path);
  mkdirSync(dirname(file), { recursive: true });
  return file;
}

function write(path: string, text: string): void {
  writeFileSync(place(path), text);
}
