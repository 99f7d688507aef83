/**
 * Builds the playground: one page with the editor, the checks and the engine, which needs no server. The engine runs in a worker;
 * in a browser, the modules of `playground/node` stand in for Node's.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { STATUS_CODES } from "node:http";
import { builtinModules } from "node:module";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { consoleStyle } from "../src/export/page/style.ts";
import { build, type Plugin } from "esbuild";
import { minify } from "terser";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, "playground");

/** The modules of Node that the engine uses in a page. Any other one fails the build. */
const standIns: Readonly<Record<string, string>> = {
  crypto: "crypto.ts",
  process: "process.ts",
  "timers/promises": "timers-promises.ts",
  util: "util.ts",
  zlib: "zlib.ts",
};

/** Files of the engine that cannot run in a page, and packages that are large there; and what takes their place. */
const replaced: Readonly<Record<string, string>> = {
  "./schema-library.ts": "schema-library.ts",
  "./users.ts": "oauth-users.ts",
  "./jwt.ts": "jwt.ts",
  "character-entities": "character-entities.ts",
  "fast-uri": "uri.ts",
  // The service does not check its own schemas.
  "./refs/json-schema-2020-12": "no-metaschema.ts",
  "./dynamic": "no-keywords.ts",
  "./vocabularies/discriminator": "no-keywords.ts",
};

/** The same for modules that several files import, each by another path. */
const replacedModules: readonly (readonly [path: RegExp, by: string])[] = [
  [/\/timezone-names\.ts$/, "timezone-names.ts"],
  [/\/(?:stringify(?:Collection|Document|Number|Pair|String)?|foldFlowLines)\.js$/, "no-yaml-writing.ts"],
  [/\/yaml-1\.1\/(?!merge)\w+\.js$/, "no-yaml-1-1.ts"],
];

const forBrowsers: Plugin = {
  name: "for browsers",
  setup(making) {
    making.onResolve({ filter: /.*/ }, ({ path }) => {
      const builtin = path.replace(/^node:/, "");
      if (Object.hasOwn(standIns, builtin) && (path.startsWith("node:") || builtinModules.includes(path)))
        return { path: join(folder, "node", standIns[builtin] as string) };
      const replacement = replaced[path] ?? replacedModules.find(([form]) => form.test(path))?.[1];
      return replacement === undefined ? undefined : { path: join(folder, "node", replacement) };
    });
  },
};

/** Returns the text of a program for a page; a published one is made as small as it gets, which takes half a minute. */
async function program(entry: string, inject: readonly string[], isPublished: boolean): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(folder, entry)],
    inject: inject.map((file) => join(folder, file)),
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2024",
    // Without it, packages take a part of a page that a worker has not.
    conditions: ["worker"],
    define: { statusTexts: JSON.stringify(STATUS_CODES) },
    charset: "utf8",
    legalComments: "none",
    write: false,
    plugins: [forBrowsers],
    logLevel: "error",
  });
  const [{ text }] = outputFiles as unknown as readonly [{ readonly text: string }];
  if (!isPublished) return text;
  const { code = "" } = await minify(text, {
    module: true,
    compress: {
      ecma: 2020,
      keep_fargs: false,
      passes: 3,
      pure_getters: true,
      unsafe_arrows: true,
      unsafe_methods: true,
    },
    format: { comments: false },
  });
  return code;
}

/** The examples of the page: one to begin with, one with states, keys, events and limits, and one in which all is open. */
const examples = ["todo-backend", "parcel-lockers", "nothing-yet"];

/** Returns the page as one file, which needs no server and no network. */
export async function playground(isPublished: boolean): Promise<string> {
  const read = (...path: readonly string[]): string => readFileSync(join(root, ...path), "utf8");
  const parts: Readonly<Record<string, string>> = {
    style: `${read("playground", "page.css")}${consoleStyle}`,
    examples: inScript(JSON.stringify(examples.map((name) => ({ name, text: read("examples", `${name}.md`) })))),
    engine: inScript(await program("worker.ts", ["node/globals.ts"], isPublished)),
    main: inScript(await program("main.ts", [], isPublished)),
  };
  return read("playground", "page.html").replaceAll(/\{(\w+)\}/g, (whole, name: string) => parts[name] ?? whole);
}

/** Escapes a text for an element `script`, which `</script` would end. */
function inScript(text: string): string {
  return text.replaceAll(/<(?=\/script|!--)/gi, "\\u003c");
}

/** The most that a reader's browser loads, in bytes, as servers compress pages. */
const mostBytes = 520_000;

// As a program, it writes the page where the command looks for it.
if (import.meta.main) {
  const page = await playground(true);
  const bytes = brotliCompressSync(page).length;
  writeFileSync(join(root, "playground.html"), page);
  process.stdout.write(`playground.html: ${bytes} bytes with Brotli, at most ${mostBytes}\n`);
  if (bytes > mostBytes) process.exitCode = 1;
}
