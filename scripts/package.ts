/**
 * Builds the published package in `dist`, for `npm pack ./dist`: the command and the library as one bundled file (`bundle.ts`),
 * the declarations that the library's types need, the pages of the findings, and the documentation for users. `publishedManifest`
 * has its dependencies.
 *
 * The bundle is made from the sources without their types, which Node's own function strips in place, so that it reads like them.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { dirname, join, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { bundle } from "./bundle.ts";
import { playground } from "./playground.ts";
import { publishedManifest } from "./published-manifest.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const { values: options } = parseArgs({
  options: {
    out: { type: "string", default: "dist" },
    "without-types": { type: "boolean", default: false },
    fast: { type: "boolean", default: false },
  },
});
const out = resolve(root, options.out);
// It is emptied first, and the packages that the bundle and the types need are found from it.
if (!out.startsWith(root)) throw new Error("--out: expected a folder of the project");

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
for (const path of globSync(["src/**/*.md", "src/init/project/*"], { cwd: root }))
  cpSync(join(root, path), place(path));
const pages = ["docs/*.md", "docs/{how-to,reference}/*.md", "examples/*.md", "schema/*.json", "integrations/**/*.{md,json,yml,yaml}", "{LICENSE,README.md,CHANGELOG.md,SUPPORT.md}"]; // biome-ignore format: one
for (const path of globSync(pages, { cwd: root })) cpSync(join(root, path), place(path));

// A container image runs only the command and needs no types.
if (!options["without-types"]) writeTypes();

// Only a published page is made as small as it gets, which takes half a minute.
writeFileSync(place("playground.html"), await playground(!options.fast));

await bundle(out, join(root, "src"));
for (const path of globSync("*.mjs", { cwd: join(root, "scripts", "packaged") }))
  cpSync(join(root, "scripts", "packaged", path), place(join("src", path)));

write("package.json", `${JSON.stringify(publishedManifest(root), null, 2)}\n`);

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
  const needed = reachable(["src/index.d.ts", "src/conformance/test.d.ts"]);
  for (const path of globSync("src/**/*.d.ts", { cwd: out })) {
    const file = join(out, path);
    // A compiler that is not told to load Node's types would read the types of this package as `any`.
    const head = path.endsWith("index.d.ts") || path.endsWith("test.d.ts") ? '/// <reference types="node" />\n' : "";
    if (needed.has(file)) writeFileSync(file, head + renamed(readFileSync(file, "utf8")));
    else rmSync(file);
  }
}

/** The declarations that those at `paths` import, and they themselves. */
function reachable(paths: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  const open = paths.map((path) => join(out, path));
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (found.has(file)) continue;
    found.add(file);
    for (const [, target = ""] of readFileSync(file, "utf8").matchAll(
      /\b(?:from|import)\s*\(?\s*"(\.[^"]+)\.[jt]s"/g,
    )) {
      const other = join(dirname(file), `${target}.d.ts`);
      if (!existsSync(other)) throw new Error(`${file} imports ${target}, which has no declarations`);
      open.push(other);
    }
  }
  return found;
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
