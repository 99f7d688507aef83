/** `nonet init`: its questions, its files, and that what it writes is checked, served and tested. */
import assert from "node:assert/strict";
import { execFile, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join, relative } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { test, type TestContext } from "node:test";
import { promisify } from "node:util";
import { run } from "../../src/cli/run.ts";
import { serviceName, templates, titleOf } from "../../src/init/templates.ts";
import { releaseVersion } from "../../src/server/terminal.ts";
import { cli } from "../cli.ts";
import { postgresForFile } from "../postgres/for-file.ts";
import { addressOf, finished, finishedHere, nonet, root, temporaryFolder } from "./process.ts";

const { admin, server } = await postgresForFile();

const usual = [
  ...[".github/workflows/api.yml", ".gitignore", ".vscode/extensions.json", ".vscode/settings.json", "AGENTS.md"],
  ...["compose.yaml", "nonet.test.yaml", "package.json"],
];

/** All files below a folder, without those of npm and of the tests. */
function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .toSorted();
}

function readJson(...path: readonly string[]): Record<string, Record<string, string>> {
  return JSON.parse(readFileSync(join(...path), "utf8")) as Record<string, Record<string, string>>;
}

/** A folder with the command `nonet`, as npm has it in node_modules/.bin. */
function commandFolder(t: TestContext): string {
  const folder = temporaryFolder(t);
  const line = `#!/bin/sh\nexec "${process.execPath}" "${cli}" "$@"\n`;
  writeFileSync(join(folder, "nonet"), line, { mode: 0o755 });
  return folder;
}

test("every template: its files, a clean check, a served request, and a test of its statements", async (t) => {
  const bin = commandFolder(t);
  for (const template of templates) {
    await t.test(template, async (one) => {
      const folder = temporaryFolder(one);
      const made = await finishedHere(["init", "my-api", "--template", template], { folder });
      assert.equal(made.code, 0, made.output);
      const project = join(folder, "my-api");
      assert.deepEqual(filesIn(project), [...usual, "my-api.md"].toSorted());
      const checked = await finishedHere(["check", "my-api.md"], { folder: project });
      assert.equal(checked.code, 0, checked.output);
      assert.match(
        checked.output,
        template === "blank" ? /\n9 gaps, 0 errors, 0 warnings\n/ : /\n0 gaps, 0 errors, 0 warnings\n/,
      );
      const manifest = readJson(project, "package.json");
      assert.deepEqual(manifest["dependencies"], { nonet: releaseVersion() });
      const text = filesIn(project)
        .map((file) => readFileSync(join(project, file), "utf8"))
        .join("\n");
      assert.doesNotMatch(text, /\{(?:title|service|document|handlers)\}/);
      const workflow = readFileSync(join(project, ".github/workflows/api.yml"), "utf8");
      assert.equal(/nonet check my-api\.md/.test(workflow), true);
      assert.equal(/npm test/.test(workflow), template !== "blank");
      if (template === "blank") return;
      await serves(one, project);
      await isTested(one, project, bin);
    });
  }
});

/** The files of a new repository that its first commit would have. */
function forGit(folder: string): readonly string[] {
  const git = (...args: readonly string[]): string => execFileSync("git", args, { cwd: folder, encoding: "utf8" });
  git("init", "--quiet");
  return git("ls-files", "--others", "--exclude-standard").trim().split("\n").toSorted();
}

/** `npm start` prints a request that creates a record. */
async function serves(t: TestContext, project: string): Promise<void> {
  const [, ...start] = readJson(project, "package.json")["scripts"]?.["start"]?.split(" ") ?? [];
  const running = nonet(t, [...start, "--port", "0"], { folder: project });
  await running.says(/Try, in another terminal:\n/);
  const [line] = await running.says(/^curl -i -X POST .*(?=\n)/m);
  const { stdout } = await promisify(execFile)("bash", ["-c", line]);
  assert.match(stdout, /^HTTP\/1\.1 201 /);
  running.signal("SIGTERM");
  assert.equal(await running.ended, 0, running.output);
}

/** `npm run serve:test`, and `npm test`. */
async function isTested(t: TestContext, project: string, bin: string): Promise<void> {
  const { scripts = {} } = readJson(project, "package.json");
  const [, ...serve] = scripts["serve:test"]?.split(" ") ?? [];
  const running = nonet(t, [...serve, "--port", "0"], { folder: project });
  const address = await addressOf(running);
  // The data of the running service is in the folder, too.
  assert.deepEqual(forGit(project), [...usual, "my-api.md"].toSorted());
  const settings = join(project, "nonet.test.yaml");
  writeFileSync(settings, readFileSync(settings, "utf8").replaceAll("http://127.0.0.1:8080", address));
  const [, ...tested] = scripts["test"]?.split(" ") ?? [];
  const environment = { PATH: [bin, process.env["PATH"]].join(delimiter) };
  const { code, output } = await finished(t, [...tested, "--seed", "1", "--budget", "30s"], {
    folder: project,
    environment,
  });
  assert.equal(code, 0, output.slice(0, 3000));
  const [, hold] = /^(\d+) hold, 0 broken/m.exec(output) ?? [];
  assert(Number(hold) > 20, output.slice(-500));
}

test("the editor's extension is the one that is published", async (t) => {
  const folder = temporaryFolder(t);
  await finishedHere(["init", "shop"], { folder });
  const extension = readFileSync(join(root, "editors", "vscode", "package.json"), "utf8");
  const { publisher, name } = JSON.parse(extension) as { publisher: string; name: string };
  const { recommendations } = readJson(folder, "shop", ".vscode", "extensions.json");
  assert.deepEqual(recommendations, [`${publisher}.${name}`]);
});

test("from a description: functions have a stub with types, and it serves with them and without", async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, "shelter.json"), JSON.stringify(description));
  const { code, output } = await finishedHere(["init", "shelter", "--from", "shelter.json"], { folder });
  assert.equal(code, 0, output);
  assert.match(output, /shelter\.json is OpenAPI 3\.1\.0: /);
  const project = join(folder, "shelter");
  assert.deepEqual(filesIn(project), [...usual, "handlers.ts", "pet-shelter.md", "pet-shelter.types.ts"].toSorted());
  const stub = readFileSync(join(project, "handlers.ts"), "utf8");
  assert.match(stub, /\/\*\* Find a home \*\/\n {2}adopt: notImplemented,/);
  const compilerOptions = {
    ...{ allowImportingTsExtensions: true, isolatedDeclarations: false },
    ...{ typeRoots: [join(root, "node_modules", "@types")], paths: { nonet: [join(root, "src", "index.ts")] } },
  };
  const settings = { extends: join(root, "tsconfig.json"), compilerOptions, include: ["handlers.ts"] };
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify(settings));
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  const compiled = spawnSync(process.execPath, [compiler, "-p", project], { encoding: "utf8" });
  assert.equal(compiled.status, 0, compiled.stdout);
  for (const options of [[], ["--handlers", "handlers.ts"]]) {
    const running = nonet(t, ["serve", "pet-shelter.md", "--data", "memory", "--port", "0", ...options], {
      folder: project,
    });
    const address = await addressOf(running);
    const response = await fetch(`${address}/adoptions`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: '{"by":"ann"}',
    });
    assert.equal(response.status, 501, await response.text());
    running.signal("SIGTERM");
    await running.ended;
  }
});

const tables = `CREATE TABLE orders (id INTEGER PRIMARY KEY, note TEXT NOT NULL);
  INSERT INTO orders (id, note) VALUES (7, 'two chairs')`;

/** A database with a row: its address with a password, and a folder with the file of SQLite. */
const databases: Readonly<Record<string, (folder: string) => Promise<string>>> = {
  SQLite: async (folder) => {
    const database = new DatabaseSync(join(folder, "shop.db"));
    database.exec(tables);
    database.close();
    return join(folder, "shop.db");
  },
  PostgreSQL: async () => {
    await admin.query(`CREATE SCHEMA shop; SET search_path = shop; ${tables}; RESET search_path`);
    return `${server.address.replace("postgres@", "postgres:hush@")}?schema=shop&connections=4`;
  },
};

for (const [system, made] of Object.entries(databases)) {
  test(`from ${system}: a document of its tables, which serves its rows in place`, async (t) => {
    const folder = temporaryFolder(t);
    const data = await made(folder);
    const { code, output } = await finishedHere(
      ["init", "shop", "--from", data, "--name", "Corner Shop", "--extras", "none"],
      { folder },
    );
    assert.equal(code, 0, output);
    const project = join(folder, "shop");
    assert.deepEqual(filesIn(project), [".gitignore", "corner-shop.md", "nonet.test.yaml", "package.json"]);
    const document = readFileSync(join(project, "corner-shop.md"), "utf8");
    assert.match(document, /^# Corner Shop\n/);
    const [, serve = ""] =
      /\n {2}npx (nonet serve corner-shop\.md --data \S+) {2}serve its rows in place\n/.exec(output) ?? [];
    assert.notEqual(serve, "", output);
    const written = filesIn(project).map((path) => readFileSync(join(project, path), "utf8"));
    assert.doesNotMatch([output, ...written].join(""), /hush/);
    const checked = await finishedHere(["check", "corner-shop.md"], { folder: project });
    assert.equal(checked.code, 0, checked.output);
    const key = ["key", "create", "corner-shop.md", "--user", "ann", "--role", "operator", "--data", data];
    const migrated = await finishedHere(["migrate", "corner-shop.md", "--data", data], { folder: project });
    assert.equal(migrated.code, 0, migrated.output);
    const { output: keyOutput } = await finishedHere(key, { folder: project });
    const [token = ""] = /\S{20,}$/m.exec(keyOutput) ?? [];
    const running = nonet(t, [...serve.split(" ").slice(1, 3), "--data", data, "--port", "0"], { folder: project });
    const address = await addressOf(running);
    const read = await fetch(`${address}/orders/7`, { headers: { Authorization: `Bearer ${token}` } });
    assert.deepEqual([read.status, await read.json()], [200, { id: 7, note: "two chairs" }]);
    running.signal("SIGTERM");
    assert.equal(await running.ended, 0, running.output);
  });
}

interface Refusal {
  readonly what: string;
  readonly args: readonly string[];
  readonly code?: number;
  readonly says: RegExp;
}

const refusals: readonly Refusal[] = [
  { what: "a file that exists", args: ["."], says: /has package\.json: nothing is written; .* --force/ },
  {
    what: "a folder that is a file",
    args: ["package.json"],
    says: /package\.json is a file, not a folder: nothing is written/,
  },
  { what: "a folder below a file", args: ["package.json/api"], says: /is a file, not a folder: nothing is written/ },
  {
    what: "another template",
    args: ["api", "--template", "shop"],
    says: /--template is one of records, states, accounts, blank, not shop/,
  },
  { what: "two beginnings", args: ["api", "--template", "blank", "--from", "a.json"], says: /name one of them/ },
  { what: "a description that is none", args: ["api", "--from", "package.json"], code: 1, says: /package\.json:1:1: / },
  {
    what: "a description that is not there",
    args: ["api", "--from", "a.json"],
    says: /cannot read a\.json: there is no such file/,
  },
  { what: "a name without letters", args: ["api", "--name", "日本"], says: /has no letter from a to z/ },
  { what: "two folders", args: ["a", "b"], says: /what is b\?/ },
];

test("a refusal says why, and writes nothing", async (t) => {
  for (const { what, args, code = 2, says } of refusals) {
    await t.test(what, async (one) => {
      const folder = temporaryFolder(one);
      writeFileSync(join(folder, "package.json"), "{}");
      const refused = await finishedHere(["init", ...args], { folder });
      assert.match(refused.output, says);
      assert.equal(refused.code, code);
      assert.deepEqual(filesIn(folder), ["package.json"]);
      assert.equal(readFileSync(join(folder, "package.json"), "utf8"), "{}");
      assert.equal(existsSync(join(folder, "api")), false);
    });
  }
});

test("--force replaces the files that exist, and no others", async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, "package.json"), "{}");
  writeFileSync(join(folder, "notes.txt"), "mine");
  const { code, output } = await finishedHere(["init", "--force", "--name", "My API"], { folder });
  assert.equal(code, 0, output);
  assert.deepEqual(filesIn(folder), [...usual, "my-api.md", "notes.txt"].toSorted());
  assert.equal(readJson(folder, "package.json")["name"], "my-api");
});

test("a failure in the middle leaves everything as it was", async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, "package.json"), "{}");
  // A link to nowhere: the folder cannot be made there.
  symlinkSync(join(folder, "nowhere", "at", "all"), join(folder, ".github"));
  const { code, output } = await finishedHere(["init", ".", "--force"], { folder });
  assert.equal(code, 2, output);
  assert.match(output, /nothing is written: /);
  assert.deepEqual(filesIn(folder), ["package.json"]);
  assert.equal(readFileSync(join(folder, "package.json"), "utf8"), "{}");
});

test("the questions: by number, by name, with the defaults, and again after an answer that is none", async (t) => {
  const rows: readonly [answers: readonly string[], args: readonly string[], files: number, first: RegExp][] = [
    [["shop", "2", "Big Shop", "none"], [], 4, /^# Big Shop\n[^]*Ticket:/],
    [["shop", "accounts", "", ""], [], 9, /^# Shop\n[^]*Membership:/],
    [["shop", "9", "blank", "", "n"], [], 4, /^# Shop\n[^]*To be decided/],
    [["", ""], ["shop", "--template", "records"], 9, /^# Shop\n[^]*Supplier:/],
    [["shop", "database", "", "orders.db", ""], [], 9, /Order/],
  ];
  for (const [answers, args, files, first] of rows) {
    const folder = temporaryFolder(t);
    const database = new DatabaseSync(join(folder, "orders.db"));
    database.exec("CREATE TABLE orders (id INTEGER PRIMARY KEY)");
    database.close();
    const { code, prompts } = await conversing(folder, args, answers);
    assert.equal(code, 0, prompts);
    const made = filesIn(join(folder, "shop"));
    assert.equal(made.length, files, made.join(" "));
    const document = made.find((path) => path.endsWith(".md") && path !== "AGENTS.md") ?? "";
    assert.match(readFileSync(join(folder, "shop", document), "utf8"), first);
  }
  for (const answers of [[], ["shop"], ["shop", "1", "Shop"]]) {
    const folder = temporaryFolder(t);
    const { code, prompts } = await conversing(folder, [], answers);
    assert.equal(code, 2);
    assert.match(prompts, /nonet init: ended before all questions were answered: nothing is written\n$/);
    assert.deepEqual(filesIn(folder), []);
  }
  const folder = temporaryFolder(t);
  assert.equal((await conversing(folder, ["shop", "--yes"], [])).code, 0, "--yes asks nothing");
});

/** Runs the command with a person who gives these answers, and then ends the input. */
async function conversing(folder: string, args: readonly string[], answers: readonly string[]) {
  const open = [...answers];
  let prompts = "";
  const before = process.cwd();
  process.chdir(folder);
  try {
    const code = await run(["init", ...args], {
      ...{ out: () => {}, colour: false, columns: 100, interactive: true, environment: {} },
      err: (text) => void (prompts += text),
      read: (path) => Promise.resolve(readFileSync(path)),
      write: () => Promise.reject(new Error("nothing else is written")),
      stopped: () => new Promise(() => {}),
      converse: () => ({
        prompt: (text) => {
          prompts += text;
          return Promise.resolve(open.shift());
        },
        close: () => {},
      }),
    });
    return { code, prompts };
  } finally {
    process.chdir(before);
  }
}

/** Runs the command in a pseudo-terminal, and types this once it has printed the first prompt. */
async function inTerminal(t: TestContext, input: string) {
  const folder = temporaryFolder(t);
  const child = spawn("script", ["-qec", `'${process.execPath}' '${cli}' init`, "/dev/null"], { cwd: folder });
  t.after(() => child.kill("SIGKILL"));
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    if (!output.includes("Folder [.]: ") && `${output}${text}`.includes("Folder [.]: ")) child.stdin.write(input);
    output += text;
  });
  const [status] = (await once(child, "close")) as [number | null];
  return { status, output: output.replaceAll("\r", ""), files: filesIn(folder) };
}

const scriptProgram = spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux") === true;

test("in a terminal it asks; with piped input it takes the defaults", {
  skip: !scriptProgram && "util-linux has no script here",
}, async (t) => {
  const asked = await inTerminal(t, "shop\r3\rMy Shop\rnone\r");
  assert.equal(asked.status, 0, asked.output);
  assert.match(asked.output, /What does the service begin with\?\n {2}1 {2}records {3}/);
  assert.deepEqual(asked.files, ["shop/.gitignore", "shop/my-shop.md", "shop/nonet.test.yaml", "shop/package.json"]);
  const interrupted = await inTerminal(t, "shop\r\u0003");
  assert.equal(interrupted.status, 2, interrupted.output);
  assert.match(interrupted.output, /ended before all questions were answered: nothing is written/);
  assert.deepEqual(interrupted.files, []);
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, "orders"));
  const piped = spawnSync(process.execPath, [cli, "init"], {
    cwd: join(folder, "orders"),
    input: "x\ny\n",
    encoding: "utf8",
    timeout: 60_000,
  });
  assert.equal(piped.status, 0, piped.stderr);
  assert.deepEqual(filesIn(join(folder, "orders")), [...usual, "orders.md"].toSorted());
});

test("names", () => {
  const rows: readonly [folder: string, title: string, service: string][] = [
    ["my-shop_api", "My shop api", "my-shop-api"],
    ["Überweg 2", "Überweg 2", "uberweg-2"],
    ["2fast", "2fast", "fast"],
    [".", "", ""],
  ];
  for (const [folder, title, service] of rows) {
    assert.equal(titleOf(folder), title);
    assert.equal(serviceName(title), service);
  }
});

const pet = { "application/json": { schema: { $ref: "#/components/schemas/Pet" } } };

const description = {
  openapi: "3.1.0",
  info: { title: "Pet Shelter", version: "1" },
  security: [{ token: [] }],
  components: {
    securitySchemes: { token: { type: "http", scheme: "bearer" } },
    schemas: {
      Pet: { type: "object", required: ["name"], properties: { id: { type: "integer" }, name: { type: "string" } } },
    },
  },
  paths: {
    "/pets": {
      post: {
        operationId: "admit",
        requestBody: { required: true, content: pet },
        responses: { "201": { description: "Admitted", content: pet } },
      },
    },
    "/adoptions": {
      post: {
        operationId: "adopt",
        summary: "Find a home",
        security: [],
        requestBody: {
          required: true,
          content: {
            "application/json": {
              schema: { type: "object", required: ["by"], properties: { by: { type: "string" } } },
            },
          },
        },
        responses: {
          "201": {
            description: "Adopted",
            content: { "application/json": { schema: { type: "array", items: { type: "string" } } } },
          },
        },
      },
    },
  },
};
