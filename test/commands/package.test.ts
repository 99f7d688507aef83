/** The published package, below another project's `node_modules`, where Node strips no types: it runs and has types. */
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  globSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { parse } from "yaml";
import { oldestNode } from "../../src/server/terminal.ts";
import { freePort } from "../free-port.ts";
import { addressOf, finished, nonet, root, temporaryFolder } from "./process.ts";

function node(folder: string, ...args: readonly string[]): string {
  return execFileSync(process.execPath, [...args], { cwd: folder, encoding: "utf8", env: environment });
}

/** Of this process, without the programs of this repository. */
const environment = { PATH: outsidePath(), HOME: homedir() };

function outsidePath(): string {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.filter((each) => !each.includes("node_modules")).join(delimiter);
}

function npm(folder: string, word: string, ...args: readonly string[]): string {
  const program = process.platform === "win32" ? "npm.cmd" : "npm";
  const usual = ["--offline", "--silent", "--ignore-scripts", "--no-audit", "--no-fund"];
  // npm runs programs with the Node of this process, as if a person had installed it.
  const path = [dirname(process.execPath), environment.PATH].join(delimiter);
  return execFileSync(program, [word, ...usual, ...args], {
    cwd: folder,
    encoding: "utf8",
    env: { ...environment, PATH: path },
  });
}

/** The folders of packages, and of all that they depend on. */
function closureOf(
  names: readonly string[],
  found: ReadonlyMap<string, string> = new Map(),
): ReadonlyMap<string, string> {
  return names.reduce<ReadonlyMap<string, string>>((all, name) => {
    if (all.has(name)) return all;
    const folder = join(root, "node_modules", name);
    const { dependencies = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
    return closureOf(Object.keys(dependencies), new Map([...all, [name, folder]]));
  }, found);
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
}

interface Workflow {
  readonly jobs: { readonly api: { readonly steps: readonly { readonly run?: string; readonly if?: string }[] } };
}

interface Compose {
  readonly services: Readonly<
    Record<
      string,
      {
        readonly command: readonly string[];
        readonly environment: Readonly<Record<string, string>>;
        readonly healthcheck: { readonly test: readonly string[] };
        readonly working_dir: string;
      }
    >
  >;
}

/** Ends what a shell has started, if any of it still runs. */
function endGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, "SIGKILL");
  } catch (thrown) {
    assert.equal((thrown as NodeJS.ErrnoException).code, "ESRCH");
  }
}

/** A Node on this machine that is too old for the package. */
function olderNode(): string | undefined {
  const paths = outsidePath()
    .split(delimiter)
    .map((folder) => join(folder, "node"));
  return paths.find((path) => {
    const version = spawnSync(path, ["--version"], { encoding: "utf8" }).stdout ?? "";
    return /^v(?:1\d|2[0-3])\./.test(version);
  });
}

test("the package is used by another project", async (t) => {
  const folder = temporaryFolder(t);
  node(root, "--disable-warning=ExperimentalWarning", "scripts/package.ts", "--fast");
  const manifest = JSON.parse(readFileSync(join(root, "dist", "package.json"), "utf8")) as Manifest;
  const needed = closureOf(Object.keys(manifest.dependencies ?? {}));
  // All of it as files, so that npm needs no registry, and installs what the manifest declares and nothing else.
  const packed = npm(folder, "pack", join(root, "dist"), ...needed.values())
    .trim()
    .split("\n");
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  npm(folder, "install", ...packed.map((name) => `./${name}`));
  const modules = join(folder, "node_modules");

  await t.test("it is small", () => {
    assert(needed.size <= 18, [...needed.keys()].join(" "));
    const size = statSync(join(folder, packed[0] ?? "")).size;
    assert(size < 3_000_000, `${size} bytes packed`);
    const files = globSync("nonet/**/*", { cwd: modules });
    assert.deepEqual(
      files.filter((path) => /\.test\.|embedded-postgres|[\\/]test[\\/]/.test(path)),
      [],
    );
    const published = JSON.parse(readFileSync(join(modules, "nonet", "package.json"), "utf8")) as Record<
      string,
      unknown
    >;
    assert.equal(published["private"], undefined);
    assert.deepEqual(published["engines"], { node: `>=${oldestNode}` });
    assert.deepEqual(published["publishConfig"], { access: "public", provenance: true });
  });

  await t.test("npx runs it without a network", () => {
    assert.match(npm(folder, "exec", "nonet", "--", "--version"), /^\d+\.\d+\.\d+\n$/);
  });

  await t.test("it has the files that other tools copy", () => {
    for (const path of ["spec-kit/extension.yml", "openspec/templates/service.md", "kiro/hooks/nonet.json"])
      assert(existsSync(join(modules, "nonet", "integrations", path)), path);
  });

  await t.test("npx begins a service", () => {
    npm(folder, "exec", "nonet", "--", "init", "shop", "--template", "states", "--yes");
    const { dependencies } = JSON.parse(readFileSync(join(folder, "shop", "package.json"), "utf8")) as Manifest;
    assert.equal(dependencies?.["nonet"], JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version);
    assert.match(npm(folder, "exec", "nonet", "--", "check", "shop/shop.md"), /\n0 gaps, 0 errors, 0 warnings\n$/);
  });

  const shop = join(folder, "shop");
  await t.test("each step of its workflow runs", async (one) => {
    npm(shop, "install", ...packed.map((name) => `../${name}`));
    const port = `${await freePort()}`;
    for (const [path, from, to] of [
      ["nonet.test.yaml", /8080/g, port],
      ["package.json", "serve shop.md", `serve shop.md --port ${port}`],
      // The other statements are tried in another test.
      ["package.json", "test shop.md", "test shop.md --only openTicket"],
    ] as const)
      writeFileSync(join(shop, path), readFileSync(join(shop, path), "utf8").replace(from, to));
    const workflow = parse(readFileSync(join(shop, ".github/workflows/api.yml"), "utf8")) as Workflow;
    const lines = workflow.jobs.api.steps.flatMap((step) => (step.if === undefined ? (step.run ?? []) : []));
    assert.equal(lines.length, 3);
    for (const line of lines) {
      // GitHub runs a step so, and ends what it left running with the job.
      const step = spawn("bash", ["-e", "-c", line.replaceAll("8080", port)], {
        ...{ cwd: shop, detached: true, stdio: ["ignore", "pipe", "pipe"] },
        env: {
          ...environment,
          npm_config_offline: "true",
          PATH: [dirname(process.execPath), environment.PATH].join(delimiter),
        },
      });
      one.after(() => endGroup(step.pid));
      let output = "";
      for (const stream of [step.stdout, step.stderr])
        stream.setEncoding("utf8").on("data", (text: string) => (output += text));
      const [code] = (await once(step, "close")) as [number];
      assert.equal(code, 0, `${line}\n${output.slice(-2000)}`);
    }
  });

  await t.test("the command of its compose file serves from a folder in which it may write nothing", async (one) => {
    const { services } = parse(readFileSync(join(shop, "compose.yaml"), "utf8")) as Compose;
    const {
      command: words,
      environment: settings,
      healthcheck,
      working_dir,
    } = services["shop"] ?? assert.fail("no service");
    assert.deepEqual([words[0], working_dir], ["node", "/srv"]);
    const data = temporaryFolder(one);
    const port = `${await freePort()}`;
    const isRoot = process.getuid?.() === 0;
    for (const each of isRoot ? [folder, data] : []) chmodSync(each, 0o755);
    if (isRoot) chownSync(data, 65_534, 65_534);
    const running = nonet(one, words.slice(2), {
      ...{ folder: shop, command: join(shop, words[1] ?? ""), ...(isRoot && { user: 65_534 }) },
      environment: {
        ...settings,
        ...{
          NONET_HOST: "127.0.0.1",
          NONET_PORT: port,
          NONET_DATA: settings["NONET_DATA"]?.replace("/data", data) ?? "",
        },
        NONET_SECRET_KEY: randomBytes(32).toString("base64"),
      },
    });
    assert.equal(await addressOf(running), `http://127.0.0.1:${port}`);
    const [, program, ...probe] = healthcheck.test;
    assert.equal(program, "node");
    node(shop, ...probe.map((word) => word.replace("8080", port)));
    running.signal("SIGTERM");
    assert.equal(await running.ended, 0, running.output);
    assert(existsSync(join(data, "shop.db")));
  });

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

  await t.test("a Node that is too old is refused in one line", (one) => {
    const refused = (program: string): void => {
      const { status, stdout, stderr } = spawnSync(program, [command, "check", "notes.md"], {
        cwd: folder,
        encoding: "utf8",
      });
      assert.deepEqual([status, stdout], [2, ""]);
      assert.match(
        stderr,
        /^nonet needs Node\.js \S+ or later, and this is \S+ \(.*\): install a newer one, from .*\n$/,
      );
    };
    const file = join(modules, "nonet", "package.json");
    const before = readFileSync(file, "utf8");
    writeFileSync(file, before.replace(`>=${oldestNode}`, ">=99.1.0"));
    refused(process.execPath);
    const imported = spawnSync(process.execPath, ["--input-type=module", "--eval", 'import "nonet";'], {
      cwd: folder,
      encoding: "utf8",
    });
    assert.match(imported.stderr, /Error: nonet needs Node\.js 99\.1\.0 or later/);
    writeFileSync(file, before);
    const older = olderNode();
    if (older === undefined) one.diagnostic("no Node below 24 is installed here besides the pinned one");
    else refused(older);
  });

  const oldest = process.env["NONET_TEST_OLDEST_NODE"];
  const absent = oldest === undefined && `NONET_TEST_OLDEST_NODE names no Node ${oldestNode}`;
  await t.test("the oldest Node that it allows runs it", { skip: absent }, async (one) => {
    const program = oldest ?? "";
    assert.equal(spawnSync(program, ["--version"], { encoding: "utf8" }).stdout.trim(), `v${oldestNode}`);
    for (const name of ["parcel-lockers", "conduit"])
      assert.equal(spawnSync(program, [command, "check", join(root, "examples", `${name}.md`)]).status, 0);
    const environment = { DOOR_SECRET: "0123456789abcdef0123" };
    for (const document of [join(root, "examples", "conduit.md"), join(folder, "notes.md")]) {
      const args = ["serve", document, "--data", `${basename(document)}.oldest.db`, "--port", "0"];
      const more = document.includes("notes") ? ["--handlers", "functions.ts"] : [];
      writeFileSync(join(folder, "functions.ts"), functions);
      const running = nonet(one, [...args, ...more], { folder, command, program, environment });
      const address = await addressOf(running);
      const [path, body] = document.includes("notes")
        ? ["/notes", { text: "hello" }]
        : ["/api/users", { user: { username: "ann", email: "ann@example.com", password: "correct horse" } }];
      const headers = { "Content-Type": "application/json" };
      const made = await fetch(`${address}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
      assert.equal(made.status, 201, await made.text());
      running.signal("SIGTERM");
      assert.equal(await running.ended, 0, running.output);
    }
  });

  await t.test("as a command in one file", () => {
    const recorder = join(folder, "recorder.mjs");
    writeFileSync(recorder, recording);
    const loaded = node(folder, "--import", recorder, command, "check", "notes.md").split("\n");
    const files = loaded.flatMap((line) => /^loaded file:.*\/nonet\/src\/(.+)$/.exec(line)?.[1] ?? []);
    assert.deepEqual(files, ["cli.mjs", "load.mjs"]);
    const others = loaded.filter((line) => line.startsWith("loaded file:") && !line.includes("/nonet/src/"));
    assert.deepEqual(others, [], "no package is loaded");
    const texts = readFileSync(join(modules, "nonet", "src", "nonet.licenses.txt"), "utf8");
    for (const name of ["@dagrejs/dagre", "ajv", "jose", "micromark", "pino", "yaml"])
      assert.match(texts, new RegExp(`^${name} \\S+ \\((?:MIT|ISC)\\)`, "m"));
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
      readdirSync(join(modules, "nonet", "src")).filter((name) => /\.cache(?<!\.(?:other|serve)\.cache)/.test(name)),
      [],
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
    const report = await finished(one, ["test", "notes.md", "--url", address, "--seed", "1"], { folder, command });
    assert.equal(report.code, 0, report.output);
    assert.match(report.output, / 0 broken/);
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
    writeFileSync(join(folder, "program.ts"), program);
    const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true };
    const common = { target: "es2024", noEmit: true, allowImportingTsExtensions: true, skipLibCheck: false };
    // Without `types`: the declarations say themselves that they need those of Node.
    for (const resolution of [{ module: "nodenext" }, { module: "preserve", moduleResolution: "bundler" }]) {
      const compilerOptions = { ...strict, ...common, ...resolution };
      writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["program.ts"] }));
      node(folder, join(root, "node_modules", "typescript", "bin", "tsc"), "-p", folder);
    }
    assert.equal(node(folder, "program.ts"), "201 hello\n200 5\nholds\n");
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

const program = `import { readFile } from "node:fs/promises";
import { createService, handlers } from "nonet";
import { test, type Report } from "nonet/test";
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
const { url, close } = await service.listen({ port: 0 });
const text = await readFile("notes.md", "utf8");
const report: Report = await test({ name: "notes.md", text, url, seed: 1, only: ["addNote"] });
console.log(report.statements.some(({ kind }) => kind === "broken") ? "is broken" : "holds");
await close();
await service.close();
`;
