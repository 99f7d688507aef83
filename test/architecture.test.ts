/**
 * The structure of the repository: which file may import which, what a folder must contain, and what no file may contain. A
 * failed rule lists the files that break it. A rule about a missing folder passes.
 */
import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, matchesGlob, posix } from "node:path";
import test from "node:test";
import { documentChecks } from "../src/language/analysis/document-checks.ts";
import { checks } from "../src/language/checks.ts";
import { type Import, readSources, root } from "./house/sources.ts";

/** For each folder of src/, what its files may import from other folders of src/, as values or as types. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  base: [],
  diagnostics: ["base/**"],
  document: ["base/**", "diagnostics/**"],
  expression: ["base/**"],
  language: ["base/**", "diagnostics/**", "document/**", "expression/**"],
  // It knows the names of the nine parts, and nothing of what is in them.
  format: ["base/**", "diagnostics/**", "document/**", "language/grammar/sections.ts"],
  plan: ["base/**", "diagnostics/**", "document/read.ts", "expression/**", "language/**"],
  // Two documents are compared by what they declare, so that no plan is needed, and a broken one can be compared, too.
  diff: ["base/**", "diagnostics/**", "expression/**", "language/**"],
  // A description becomes a document: it knows what a document can declare, and nothing of how one is served.
  import: ["base/**", "diagnostics/**", "document/**", "language/**"],
  export: ["base/**", "diagnostics/**", "expression/**", "language/**", "plan/**"],
  // What callers know of an operation, against what the plan makes of it: by the export, the import and the comparison.
  contracts: ["base/**", "diagnostics/**", "language/**", "plan/**", "diff/**", "import/**", "export/**"],
  // What an editor shows of a document, from its check alone; without the plan, so that a half-written one has it too.
  editor: [
    ...["base/**", "diagnostics/**", "document/**", "expression/**", "language/**", "diff/**"],
    "contracts/concluding.ts",
  ],
  // It compares an implementation with a document. If it used code that serves, a mistake there could hide itself.
  conformance: ["base/**", "diagnostics/**", "document/**", "expression/**", "language/**"],
  // The catalogue of a database says which of its tables a service can use in place.
  store: ["base/**", "expression/**", "plan/**", "import/database/{catalogue,postgres,sqlite}.ts"],
  http: ["base/**", "plan/**", "store/port/**"],
  runtime: ["base/**", "expression/**", "plan/**", "store/port/**", "http/**", "language/*/decide.ts"],
  webhooks: ["base/**", "expression/**", "plan/**", "store/port/**", "language/events/decide.ts"],
  // It watches the service, which knows none of it.
  observability: [
    ...["base/**", "webhooks/engine.ts", "language/events/decide.ts", "plan/**", "http/**", "runtime/**"],
    "store/port/**",
  ],
  // The files of a new project, by its plan.
  init: ["language/endpoints/resolve.ts", "plan/**", "export/typescript/**"],
  // It puts a service together for whoever runs one; what a command prints of it is the command's.
  server: [
    ...["base/**", "diagnostics/**", "language/**", "plan/**", "export/page/**", "store/**", "http/**", "runtime/**"],
    ...["mcp/pages.ts", "webhooks/**", "observability/**"],
  ],
  // Programs that run in the reader's browser, which receives these files and nothing else.
  browser: [],
  // A call of an agent is a request to the service like any other; it needs the description of the operations besides.
  mcp: ["base/**", "export/{described,json-schema}.ts", "plan/**", "http/**", "runtime/**", "language/*/decide.ts"],
  cli: ["**"],
};

/** Files with a narrower view than their folder: the first row that matches a file holds. */
const mayImportWithin: readonly (readonly [file: string, imports: readonly string[]])[] = [
  // A part's decisions at run time are pure, and know that part alone.
  ["language/*/decide.ts", ["base/**", "expression/**", "./model.ts"]],
  // It is copied into other people's programs as it stands.
  ["export/typescript/common/**", ["export/typescript/common/**"]],
  // A model is only types and plain values; what other parts say comes in as types.
  ["language/**/model.ts", ["base/**", "expression/**", "language/**/model.ts"]],
];

/** These run in a browser as well, so nothing of Node may be in them. */
const browserSafe = [
  "base",
  "diagnostics",
  "document",
  "expression",
  "language",
  "format",
  "diff",
  "plan",
  "export",
  "import",
  "contracts",
  "editor",
];

const nineParts = [
  "purpose",
  "resources",
  "states",
  "endpoints",
  "authentication",
  "events",
  "errors",
  "limits",
  "versioning",
];

const sources = readSources();

test("every folder of src/ has a row in the import table", () => {
  const folders = new Set(sources.filter(({ path }) => path.includes("/")).map(({ path }) => folderOf(path)));
  assert.deepEqual(
    [...folders].filter((folder) => !Object.hasOwn(mayImport, folder)),
    [],
  );
});

test("imports follow the import table", () => {
  const wrong = sources.flatMap((source) =>
    source.imports
      .filter(({ target }) => target !== undefined && !isAllowed(source.path, target))
      .map(({ specifier }) => `src/${source.path} imports ${specifier}`),
  );
  assert.deepEqual(wrong, []);
});

test("only the language server loads the packages of its protocol", () => {
  const found = sources.filter(({ imports }) => imports.some(({ specifier }) => specifier.startsWith("vscode-")));
  assert.deepEqual(
    found.map(({ path }) => path),
    ["cli/lsp.ts", "editor/protocol.ts", "editor/server.ts"],
  );
  const late = sources.find(({ path }) => path === "cli/commands.ts")?.code ?? "";
  assert.match(late, /await import\("\.\/lsp\.ts"\)/);
});

test("a part's model takes only types from other parts", () => {
  const wrong = sources
    .filter(({ path }) => matchesGlob(path, "language/*/model.ts"))
    .flatMap(({ path, imports }) =>
      imports
        .filter(({ target, typeOnly }) => !typeOnly && target?.startsWith("language/"))
        .map(({ specifier }) => `src/${path} imports a value from ${specifier}`),
    );
  assert.deepEqual(wrong, []);
});

test("no values are imported in a circle", () => {
  assert.deepEqual(circles(new Map(sources.map(({ path, imports }) => [path, valueTargets(imports)]))), []);
});

test("what runs in a browser is free of Node", () => {
  const wrong = sources
    .filter(({ path }) => browserSafe.includes(folderOf(path)))
    .flatMap(({ path, code, imports }) => [
      ...imports
        .filter(({ specifier }) => specifier.startsWith("node:"))
        .map(({ specifier }) => `src/${path} imports ${specifier}`),
      ...[...code.matchAll(/(?<![.\w$"'`/-])(?:process\s*\.\s*\w+|Buffer\s*[.(<]|require\s*\(|__dirname)/g)].map(
        ([use]) => `src/${path} uses ${use}`,
      ),
    ]);
  assert.deepEqual(wrong, []);
});

/** The files of a conformance test that use sockets, clocks or cryptography; all others are pure. */
const conformanceEdge = ["http-client", "receiver", "event-stream", "signature", "web-token", "test"].map(
  (name) => `conformance/${name}.ts`,
);

test("only the edge of a conformance test uses Node", () => {
  const wrong = sources
    .filter(({ path }) => folderOf(path) === "conformance" && !conformanceEdge.includes(path))
    .flatMap(({ path, imports }) =>
      imports.filter(({ specifier }) => specifier.startsWith("node:")).map(({ specifier }) => `${path}: ${specifier}`),
    );
  assert.deepEqual(wrong, []);
});

test("src/language holds the nine parts, each with a model and a grammar", () => {
  const folders = new Set(
    globSync("src/language/*/**/*.ts", { cwd: root }).map((path) => slashes(path).split("/")[2] ?? ""),
  );
  const present = [...folders].filter(
    (folder) =>
      existsSync(join(root, "src/language", folder, "grammar.ts")) && !["grammar", "analysis"].includes(folder),
  );
  assert.deepEqual(
    [...folders].filter((folder) => !nineParts.includes(folder) && !["grammar", "analysis"].includes(folder)),
    [],
    "folders that are none of the nine, nor what all of them share",
  );
  assert.deepEqual(
    present.filter((folder) => !existsSync(join(root, "src/language", folder, "model.ts"))),
    [],
    "parts that are read into no model",
  );
  if (!existsSync(join(root, "src/language/read.ts"))) return;
  assert.deepEqual(
    nineParts.filter((part) => !present.includes(part)),
    [],
    "parts without a grammar",
  );
});

test("every file of code opens with what it is in charge of, or by what it was written", () => {
  const opening = /^(?:#!.*\n)?(?:\/\*\*\s|\/\/ .*: do not edit\.\n)/;
  const code = files("{src,test,docs,bench,examples,scripts,deploy}/**/*.{ts,mts,js,mjs}");
  assert.deepEqual(
    code.filter((path) => !opening.test(read(path))),
    [],
  );
});

test("every check has its page, and every page its check", () => {
  const ofParts = checks.filter((check) => !documentChecks.includes(check));
  assert.deepEqual(
    ofParts.map(({ code }) => `src/language/${code.replace("/", "/checks/")}.md`).sort(),
    files("src/language/**/checks/*.md"),
  );
  assert.deepEqual(
    files("src/language/**/checks/*").filter((path) => !/^[a-z0-9]+(-[a-z0-9]+)*\.(ts|md)$/.test(basename(path))),
    [],
    "names are kebab-case",
  );
});

test("every test runs, or says why it does not", () => {
  const found = files("{src,test,docs,bench,examples}/**/*.test.ts")
    .filter((path) => path !== "test/architecture.test.ts")
    .flatMap((path) =>
      [
        ...read(path).matchAll(
          /\b(?:test|it|describe|suite)\.(?:only|skip|todo)\(|\bt\.(?:skip|todo)\(\s*\)|\b(?:only|skip|todo): true\b/g,
        ),
      ].map(([use]) => `${path}: ${use}`),
    );
  assert.deepEqual(found, []);
});

test("no file keeps a note to finish it, or an address that holds on one machine only", () => {
  const parent = dirname(root);
  const forbidden: readonly (readonly [what: string, pattern: RegExp])[] = [
    ["a note to finish it", /\b(?:TODO|FIXME)\b/],
    ["a path on somebody's machine", /(?:\/(?:home|Users)\/[a-z]\w*\/|\/root\/|[A-Z]:\\Users\\)/],
    ["the path of this checkout", literally(root)],
    // Only where the parent is a folder of one's own: /app or /tmp also occur in honest examples.
    ["the path above this checkout", parent === dirname(parent) ? /(?!)/ : literally(`${parent}/shared`)],
    ["this machine's home folder", homedir() === "/" ? /(?!)/ : literally(`${homedir()}/`)],
    [
      "a package registry's host",
      /\b(?:registry|npm|mirror|artifactory|nexus)\.[a-z0-9-]+(?:\.[a-z0-9-]+)*\.?(?:org|com|net|io|local|internal)\b/,
    ],
  ];
  const found = files("**/*")
    .filter((path) => path !== "test/architecture.test.ts" && isText(path))
    .flatMap((path) => {
      const text = read(path);
      return forbidden
        .filter(([, pattern]) => pattern.test(text))
        .map(([what, pattern]) => `${path}: ${what}: ${pattern.exec(text)?.[0]}`);
    });
  assert.deepEqual(found, []);
});

test("package-lock.json installs on every platform, from any registry", () => {
  const lock = JSON.parse(read("package-lock.json")) as { readonly packages: Readonly<Record<string, LockedPackage>> };
  const manifest = JSON.parse(read("package.json")) as LockedPackage;
  for (const kind of ["dependencies", "devDependencies", "optionalDependencies"] as const) {
    assert.deepEqual(
      lock.packages[""]?.[kind] ?? {},
      manifest[kind] ?? {},
      `${kind} of package.json and the lock differ`,
    );
  }
  const addressed = Object.entries(lock.packages).filter(([, locked]) => locked.resolved !== undefined);
  assert.deepEqual(addressed, [], "packages with a registry's address; see .npmrc");
  const missing = Object.entries(lock.packages).flatMap(([path, locked]) =>
    Object.keys(locked.optionalDependencies ?? {}).filter(
      (name) =>
        !Object.hasOwn(lock.packages, `node_modules/${name}`) &&
        !Object.hasOwn(lock.packages, `${path}/node_modules/${name}`),
    ),
  );
  assert.deepEqual(missing, [], "other platforms' packages are missing: run `node scripts/complete-lock.ts`");
});

interface LockedPackage {
  readonly resolved?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Paths relative to the root that match, without what git ignores, with forward slashes, in order. */
function files(pattern: string): readonly string[] {
  const skipped = ["node_modules", ".git", "dist", "coverage", ".nonet"];
  return globSync(pattern, { cwd: root, exclude: (path) => skipped.includes(basename(path)) })
    .concat(
      pattern === "**/*"
        ? globSync("{.*,.ci/*}", { cwd: root, exclude: (path) => skipped.includes(basename(path)) })
        : [],
    )
    .map(slashes)
    .sort();
}

function slashes(path: string): string {
  return path.replaceAll("\\", "/");
}

function isText(path: string): boolean {
  return (
    /\.(?:[cm]?[jt]s|json|md|ya?ml|html|css|sql|svg|txt|sh|scenario)$|(?:^|\/)(?:\.[a-z]+|LICENSE|run)$/.test(path) &&
    statSync(join(root, path)).isFile()
  );
}

function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

function literally(text: string): RegExp {
  return new RegExp(RegExp.escape(text));
}

function folderOf(path: string): string {
  return path.split("/")[0] ?? "";
}

function isAllowed(path: string, target: string): boolean {
  // src/cli.mjs and src/index.ts are the doors: they may open onto anything.
  if (!path.includes("/")) return true;
  const narrow = mayImportWithin.find(([file]) => matchesGlob(path, file));
  const allowed = narrow?.[1] ?? [`${folderOf(path)}/**`, ...(mayImport[folderOf(path)] ?? [])];
  return allowed.some((pattern) =>
    matchesGlob(target, pattern.startsWith("./") ? posix.join(posix.dirname(path), pattern) : pattern),
  );
}

function valueTargets(imports: readonly Import[]): readonly string[] {
  return imports.flatMap(({ target, typeOnly }) => (target === undefined || typeOnly ? [] : [target]));
}

/** Depth-first search; each circle is given once, as the path that closes it. */
function circles(graph: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const finished = new Set<string>();
  const found: string[] = [];
  const visit = (node: string, trail: readonly string[]): void => {
    if (trail.includes(node)) found.push([...trail.slice(trail.indexOf(node)), node].join(" → "));
    if (finished.has(node) || trail.includes(node)) return;
    for (const next of graph.get(node) ?? []) visit(next, [...trail, node]);
    finished.add(node);
  };
  for (const node of graph.keys()) visit(node, []);
  return found;
}
