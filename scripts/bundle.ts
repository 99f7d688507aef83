/**
 * Bundles the command in one file from the stripped sources below `dist/src`, so that Node need not read, compile and link some
 * 800 modules at each start. Modules that only some commands or documents need are in the file too, and run on their first use,
 * as in the sources. The file contains the packages that every start loads; other packages stay in `node_modules`, and load when
 * they are needed.
 */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { build, type Metafile, type Plugin } from "esbuild";

/** Packages that every start, or most documents, load. */
const inside: readonly string[] = [
  ...["@bufbuild/re2", "ajv", "ajv-formats", "ipaddr.js", "mdast-util-from-markdown", "pino", "yaml"],
];

/** Packages that a common module imports but few documents need: loaded on first use. */
const late: readonly string[] = ["yaml"];

const entry = `export { run } from "./cli/run.js";
export { processTerminal } from "./server/terminal.js";
export const library = () => import("./index.js");
`;

/** `folder` is the package under construction, `sources` its sources. */
export async function bundle(folder: string, sources: string): Promise<void> {
  const source = join(folder, "src");
  const outfile = join(source, "nonet.cjs");
  const { metafile } = await build({
    absWorkingDir: folder,
    stdin: { contents: entry, resolveDir: source, sourcefile: "src/entry.js" },
    outfile,
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node24",
    // `load.mjs` calls this function. ASCII only, since any other character makes V8 store two bytes per character.
    banner: { js: "(function (module, require, packageAt) {" },
    footer: { js: "})" },
    charset: "ascii",
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
    plugins: [places(folder), packages(source)],
  });
  // esbuild escapes no characters in regular expressions, and `load.mjs` reads each byte as a character.
  const ascii = readFileSync(outfile, "utf8").replaceAll(/\P{ASCII}/gu, escaped);
  writeFileSync(outfile, ascii);
  for (const missed of ["createRequire(packageAt(", 'new URL("../index.js"'])
    if (ascii.includes(missed)) throw new Error(`${missed}… is written in another way now`);
  writeFileSync(join(source, "nonet.licenses.txt"), licences(folder, metafile));
  const names = Object.keys((await import(join(sources, "index.ts"))) as object);
  writeFileSync(join(source, "library.mjs"), library(names));
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
          .replace('new URL("../index.js", import.meta.url)', 'new URL("../library.mjs", import.meta.url)')
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

/** `nonet` for modules of functions that the command loads: the running instance, not a second one. */
function library(names: readonly string[]): string {
  return `import { load } from "./load.mjs";\n\nexport const { ${names.join(", ")} } = await load("serve").library();\n`;
}

/** The licence text of each bundled package, as the licences require. */
function licences(folder: string, { inputs }: Metafile): string {
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
