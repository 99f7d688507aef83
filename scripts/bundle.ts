/**
 * Bundles the command and the library in one file from the stripped sources below `dist/src`, so that Node need not find, read and
 * link some 900 modules at each start, and npm need not install the packages that they use. Modules that only some commands or
 * documents need are in the file too, and run on their first use, as in the sources. Outside the file are packages that only some
 * services need, and OpenTelemetry's API, of which a process may have only one.
 */
import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { build, type Metafile, type Plugin } from "esbuild";

const inside: readonly string[] = [
  ...["@bufbuild/re2", "@dagrejs/dagre", "ajv", "ajv-formats", "ipaddr.js", "jose", "mdast-util-from-markdown"],
  ...[
    "micromark",
    "micromark-extension-gfm",
    "pino",
    "vscode-languageserver",
    "vscode-languageserver-textdocument",
    "yaml",
  ],
];

/** Packages that a common module imports but few documents need: loaded on first use. */
const late: readonly string[] = ["yaml"];

const entry = `export { run } from "./cli/run.js";
export { processTerminal } from "./server/terminal.js";
export const library = () => require("./index.js");
export const testing = () => require("./conformance/test.js");
`;

/** The modules that programs import, and the functions of the bundle that return their exports. */
const libraries = { "index.js": "library", "conformance/test.js": "testing" } as const;

/** The worker threads of SQLite, which are bundles of their own. */
const threads: readonly string[] = ["store/sqlite/thread.js", "store/sqlite/checkpoint-thread.js"];

/**
 * `folder` is the package under construction, `sources` its sources. Of the stripped sources in `folder`, only the bundles are
 * left.
 */
export async function bundle(folder: string, sources: string): Promise<void> {
  const source = join(folder, "src");
  const outfile = join(source, "nonet.cjs");
  const common = {
    absWorkingDir: folder,
    bundle: true,
    platform: "node",
    target: "node24",
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
  } as const;
  const command = await build({
    ...common,
    stdin: { contents: entry, resolveDir: source, sourcefile: "src/entry.js" },
    outfile,
    format: "cjs",
    // `load.mjs` calls this function. ASCII only, since any other character makes V8 store two bytes per character.
    banner: { js: "(function (module, require, packageAt) {" },
    footer: { js: "})" },
    charset: "ascii",
    plugins: [places(folder), packages(source)],
  });
  // esbuild escapes no characters in regular expressions, and `load.mjs` reads each byte as a character.
  const ascii = readFileSync(outfile, "utf8").replaceAll(/\P{ASCII}/gu, escaped);
  writeFileSync(outfile, ascii);
  for (const missed of ["createRequire(packageAt("])
    if (ascii.includes(missed)) throw new Error(`${missed}… is written in another way now`);
  const workers = await build({
    ...common,
    entryPoints: threads.map((path) => join(source, path)),
    outdir: source,
    outbase: source,
    allowOverwrite: true,
    format: "esm",
  });
  const inputs = { ...command.metafile.inputs, ...workers.metafile.inputs };
  writeFileSync(join(source, "nonet.licenses.txt"), licences(folder, inputs));
  for (const path of globSync("**/*.js", { cwd: source }))
    if (!threads.includes(path) && !path.startsWith("browser")) rmSync(join(source, path));
  for (const [path, exported] of Object.entries(libraries)) {
    const names = Object.keys((await import(join(sources, path.replace(/\.js$/, ".ts")))) as object);
    writeFileSync(join(source, path), library(path, exported, names));
  }
}

function escaped(character: string): string {
  return [...Array(character.length).keys()]
    .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`)
    .join("");
}

/** Each module keeps its original URL, by which it finds workers, the manifest and examples. */
function places(folder: string): Plugin {
  return {
    name: "places",
    setup: (making) => {
      making.onLoad({ filter: /\.js$/ }, ({ path }) => {
        if (!path.startsWith(join(folder, "src"))) return undefined;
        const name = relative(folder, path).replaceAll("\\", "/");
        const text = readFileSync(path, "utf8");
        if (!text.includes("import.meta.")) return undefined;
        const contents = text
          .replace("const require = createRequire(import.meta.url);", "")
          .replaceAll("import.meta.url", `packageAt(${JSON.stringify(name)})`)
          .replaceAll("import.meta.dirname", `require("node:path").dirname(require("node:url").fileURLToPath(packageAt(${JSON.stringify(name)})))`); // biome-ignore format: one of three
        return { contents, loader: "js" };
      });
    },
  };
}

function packages(source: string): Plugin {
  return {
    name: "packages",
    setup: (making) => {
      making.onResolve({ filter: /^[^./]/ }, ({ path, importer, namespace, kind }) => {
        const isOurs = importer.startsWith(source) || importer.endsWith("src/entry.js");
        if (namespace === "late" || !isOurs || path.startsWith("node:")) return undefined;
        if (!inside.some((name) => path === name || path.startsWith(`${name}/`))) return { path, external: true };
        return late.includes(path) && kind === "import-statement" ? { path, namespace: "late" } : undefined;
      });
      making.onLoad({ filter: /.*/, namespace: "late" }, async ({ path }) => {
        const names = Object.keys((await import(path)) as object).filter((name) => /^(?!default$)\w+$/.test(name));
        const getters = names.map((name) => `  get ${name}() { return require(${JSON.stringify(path)}).${name}; },\n`);
        return { contents: `module.exports = {\n${getters.join("")}};\n`, resolveDir: source, loader: "js" };
      });
    },
  };
}

/** A module that programs import, and functions that the command loads: the running instance, not a second one. */
function library(path: string, exported: string, names: readonly string[]): string {
  const load = path.includes("/") ? "../load.mjs" : "./load.mjs";
  return `import { load } from "${load}";\n\nexport const { ${names.join(", ")} } = load("serve").${exported}();\n`;
}

/** The licence text of each bundled package, as the licences require. */
function licences(folder: string, inputs: Metafile["inputs"]): string {
  const found = new Map<string, string>();
  for (const path of Object.keys(inputs)) {
    const [, root] = /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(path) ?? [];
    if (root === undefined) continue;
    const place = join(folder, root);
    const { name, version, license } = JSON.parse(readFileSync(join(place, "package.json"), "utf8")) as Record<string, string>; // biome-ignore format: one
    const [file] = globSync("{LICENSE,LICENCE,license,licence}{,.md,.txt}", { cwd: place });
    found.set(
      `${name} ${version} (${license})`,
      file === undefined ? "" : readFileSync(join(place, file), "utf8").trim(),
    );
  }
  const texts = [...found].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, text]) => `${name}\n\n${text}\n`);
  return `nonet.cjs has code of these packages.\n\n${texts.join(`\n${"-".repeat(80)}\n\n`)}`;
}
