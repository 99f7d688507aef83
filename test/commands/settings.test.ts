/** Settings from the command line, the environment and a file: their precedence, and a report of all invalid ones. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { run } from "../../src/cli/run.ts";
import { serveOptions } from "../../src/cli/options.ts";
import { hasFile, variableOf } from "../../src/cli/settings.ts";
import { withSecretFiles } from "../../src/server/secret-keys.ts";
import type { Option } from "../../src/cli/command-line.ts";
import { readPage, tableRows } from "../docs/fences.ts";
import { finished, finishedHere, nonet, temporaryFolder } from "./process.ts";
import { shelf } from "./shelf.ts";

interface Row {
  readonly what: string;
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  /** Some of the settings, with where they come from. */
  readonly settings?: Readonly<Record<string, readonly [value: string | null, from: string]>>;
  /** Or all that is wrong. */
  readonly wrong?: readonly string[];
}

const file = "nonet.config.yaml";

const rows: readonly Row[] = [
  { what: "nothing is said", settings: { port: ["8080", "default"], data: [null, "not set"], watch: ["false", "default"], document: [null, "not set"] } },
  { what: "a file", files: { [file]: "port: 1\nwatch: true" }, settings: { port: ["1", `${file}:1`], watch: ["true", `${file}:2`] } },
  { what: "the environment before a file", environment: { NONET_PORT: "2" }, files: { [file]: "port: 1" }, settings: { port: ["2", "NONET_PORT"] } },
  { what: "the command line before both", args: ["--port", "3"], environment: { NONET_PORT: "2" }, files: { [file]: "port: 1" }, settings: { port: ["3", "--port"] } },
  { what: "no, where the file says yes", environment: { NONET_WATCH: "false" }, files: { [file]: "watch: true" }, settings: { watch: ["false", "NONET_WATCH"] } },
  { what: "an empty variable says nothing", environment: { NONET_PORT: "" }, files: { [file]: "port: 1" }, settings: { port: ["1", `${file}:1`] } },
  { what: "several values are not added up", args: ["--trust-proxy", "10.0.0.1"], environment: { NONET_TRUST_PROXY: "10.0.0.2, 10.0.0.3" }, settings: { "trust-proxy": ["10.0.0.1", "--trust-proxy"] } },
  { what: "several values", environment: { NONET_TRUST_PROXY: "10.0.0.2, 10.0.0.3" }, settings: { "trust-proxy": ["10.0.0.2, 10.0.0.3", "NONET_TRUST_PROXY"] } },
  { what: "a list", files: { [file]: "trust-proxy:\n  - 10.0.0.2\n  - 10.0.0.0/8" }, settings: { "trust-proxy": ["10.0.0.2, 10.0.0.0/8", `${file}:1`] } },
  { what: "a file as JSON", files: { [file]: '{ "port": 1, "log": "info" }' }, settings: { port: ["1", `${file}:1`], log: ["info", `${file}:1`] } },
  { what: "another file", args: ["--config", "b.yaml"], files: { [file]: "port: 1", "b.yaml": "port: 2" }, settings: { port: ["2", "b.yaml:1"] } },
  { what: "another file by the environment", environment: { NONET_CONFIG: "b.yaml" }, files: { "b.yaml": "\n\nport: 2" }, settings: { port: ["2", "b.yaml:3"] } },
  { what: "the document", environment: { NONET_DOCUMENT: "a.md" }, settings: { document: ["a.md", "given"] } },
  { what: "the document of the command line first", args: ["b.md"], environment: { NONET_DOCUMENT: "a.md" }, settings: { document: ["b.md", "given"] } },
  { what: "numbers as they are written", files: { [file]: "log-slow: 2s\nadmin-port: 0" }, settings: { "log-slow": ["2s", `${file}:1`], "admin-port": ["0", `${file}:2`] } },
  { what: "a secret is not shown", environment: { NONET_OPERATOR_TOKEN: "hunter22" }, settings: { "operator-token": ["[set]", "NONET_OPERATOR_TOKEN"] } },
  { what: "a secret in a file of its own", environment: { NONET_OPERATOR_TOKEN_FILE: "token" }, files: { token: "hunter22\n" }, settings: { "operator-token": ["[set]", "NONET_OPERATOR_TOKEN_FILE"] } },
  { what: "the same by the file of settings", files: { [file]: "operator-token-file: token", token: "hunter22" }, settings: { "operator-token": ["[set]", `${file}:1: operator-token-file`] } },
  { what: "a password in an address is not shown", args: ["--data", "postgres://ann:hunter22@db/shop"], settings: { data: ["postgres://[redacted]@db/shop", "--data"] } },
  { what: "an address in a file of its own", environment: { NONET_DATA_FILE: "url" }, files: { url: "postgres://ann:hunter22@db/shop\n" }, settings: { data: ["postgres://[redacted]@db/shop", "NONET_DATA_FILE"] } },
  { what: "nothing in the file", files: { [file]: "# nothing yet\n" }, settings: { port: ["8080", "default"] } },
  { what: "other variables that begin alike", environment: { NONET_SERVICE_HOST: "10.0.0.1", NONET_RESULTS: "x" }, settings: { port: ["8080", "default"] } },
  {
    what: "all that is wrong, at once",
    args: ["--host", "h", "--log-format", "xml"],
    environment: { NONET_PORT: "tcp://10.0.0.1:80", NONET_PROT: "80", NONET_WATCH: "perhaps", NONET_DATA: "a", NONET_DATA_FILE: "b" },
    files: { [file]: "prot: 1\nlog: loud\noperator-token: hunter22\nbase-url: [a, b]\nhandlers: { a: 1 }" },
    wrong: [
      "there is no setting NONET_PROT; did you mean NONET_PORT?",
      "NONET_DATA and NONET_DATA_FILE are both set: set one",
      "NONET_WATCH is true or false, not perhaps",
      `${file}:5: handlers has to be a value or a list of values`,
      `${file}:1: there is no setting prot; did you mean port?`,
      `${file}:3: operator-token is a secret and not allowed here: name a file that contains it as operator-token-file`,
      `${file}:4: base-url has one value`,
      "NONET_PORT is a number from 0 to 65535, not tcp://10.0.0.1:80",
      `${file}:2: log is one of warn, off, error, info, debug, not loud`,
      "--log-format is one of auto, json, text, not xml",
    ],
  },
  { what: "a file that is none", files: { [file]: "port: [1\n" }, wrong: [] },
  { what: "a file that is a list", files: { [file]: "- port" }, wrong: [`${file}:1: settings have to be lines of \`name: value\``] },
  { what: "a file that is named and not there", args: ["--config", "c.yaml"], wrong: ["cannot read the settings in c.yaml: ENOENT: c.yaml"] },
  { what: "a secret's file that is not there", environment: { NONET_OPERATOR_TOKEN_FILE: "token" }, wrong: ["NONET_OPERATOR_TOKEN_FILE: cannot read token: ENOENT: token"] },
  { what: "a secret's file with nothing in it", environment: { NONET_OPERATOR_TOKEN_FILE: "token" }, files: { token: "\n" }, wrong: ["NONET_OPERATOR_TOKEN_FILE: token is empty"] },
]; // biome-ignore format: a table

/** What `nonet config` says where there are these variables and files and nothing else. */
async function told({
  args = [],
  environment = {},
  files = {},
}: Omit<Row, "what">): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  let [out, err] = ["", ""];
  const code = await run(["config", ...args, "--format", "json"], {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    colour: false,
    columns: 100,
    interactive: false,
    environment,
    read: (path) => {
      const text = files[path];
      if (text !== undefined) return Promise.resolve(Buffer.from(text));
      return Promise.reject(Object.assign(new Error(`ENOENT: ${path}`), { code: "ENOENT" }));
    },
    write: () => Promise.reject(new Error("nothing is written")),
    stopped: () => Promise.resolve("SIGINT"),
  });
  return { code, out, err };
}

for (const { what, args = [], environment = {}, files = {}, settings, wrong } of rows) {
  test(`settings: ${what}`, async () => {
    const { code, err, out } = await told({ args, environment, files });
    assert.doesNotMatch(out + err, /hunter22/);
    if (wrong !== undefined) {
      assert.equal(code, 2);
      const lines = err
        .replace(/^nonet config: /, "")
        .trimEnd()
        .split("\n");
      if (wrong.length > 0) assert.deepEqual(lines, wrong);
      else assert.match(err, /nonet\.config\.yaml:\d: /);
      return;
    }
    assert.equal(err, "");
    assert.equal(code, 0);
    const all = (JSON.parse(out) as { settings: { setting: string; value: string | null; from: string }[] }).settings;
    for (const [name, [value, from]] of Object.entries(settings ?? {})) {
      const found = all.find(({ setting }) => setting === name);
      assert.deepEqual([found?.value, found?.from], [value, from], name);
    }
  });
}

/** Three values of each option that takes one, for the file, the environment and the command line. */
const values: Readonly<Record<string, readonly [string, string, string]>> = {
  port: ["1", "2", "3"],
  host: ["a.example", "b.example", "c.example"],
  data: ["a.db", "b.db", "c.db"],
  "base-url": ["https://a.example", "https://b.example", "https://c.example"],
  "trust-proxy": ["10.0.0.1", "10.0.0.2", "10.0.0.3"],
  sink: ["nats://a/x?as=r", "nats://b/x?as=r", "nats://c/x?as=r"],
  handlers: ["a.ts", "b.ts", "c.ts"],
  limits: ["redis://a", "redis://b", "redis://c"],
  pages: ["off", "signed-in", "public"],
  "request-memory": ["64MB", "128MB", "1GB"],
  log: ["info", "debug", "error"],
  "log-format": ["json", "text", "auto"],
  "log-slow": ["1s", "2s", "3s"],
  "admin-port": ["1", "2", "3"],
  "admin-host": ["a.example", "b.example", "c.example"],
  config: ["a.yaml", "b.yaml", "c.yaml"],
};

test("every setting is of the command line before the environment, of that before the file, and of that before the default", async () => {
  for (const [name, option] of Object.entries<Option<unknown>>(serveOptions)) {
    const isFlag = option.value === undefined;
    // A secret has no place in a file of settings but its own, and that file cannot say which file it is.
    const inFile = name !== "config" && option.secret !== "value";
    const [low = "true", middle = "true", high = "true"] = values[name] ?? (isFlag ? [] : ["secret-1", "secret-2", "secret-3"]); // biome-ignore format: a default
    const shown = (value: string): string => (option.secret === "value" ? "[set]" : value);
    const files = { [file]: inFile ? `${name}: ${low}` : "", "b.yaml": "", "c.yaml": "" };
    const environment = { [variableOf(name)]: middle };
    const args = isFlag ? [`--${name}`] : [`--${name}`, high];
    assert.deepEqual(await sourceOf(name, { args, environment, files }), [shown(high), `--${name}`]);
    assert.deepEqual(await sourceOf(name, { environment, files }), [shown(middle), variableOf(name)]);
    if (inFile) assert.deepEqual(await sourceOf(name, { files }), [shown(low), `${file}:1`]);
    const usual = option.default ?? (isFlag ? "false" : null);
    assert.deepEqual(await sourceOf(name, {}), [usual, usual === null ? "not set" : "default"], name);
  }
});

async function sourceOf(name: string, row: Omit<Row, "what">): Promise<readonly [string | null, string]> {
  const { code, err, out } = await told(row);
  assert.equal(code, 0, `${name}: ${err}`);
  const { settings } = JSON.parse(out) as { settings: { setting: string; value: string | null; from: string }[] };
  const { from, value } = settings.find(({ setting }) => setting === name) ?? assert.fail(name);
  return [value, from];
}

test("the page has every setting", () => {
  const bare = (cell: string): string => cell.replaceAll("`", "");
  const shown = tableRows("docs/reference/configuration.md", "All settings").map((row) => row.map(bare));
  const options: Readonly<Record<string, Option<unknown>>> = serveOptions;
  assert.deepEqual(shown, [
    ["document", "NONET_DOCUMENT", "", ""],
    ...Object.entries(options).map(([name, option]) => [
      name,
      variableOf(name),
      hasFile(option) ? `${variableOf(name)}_FILE` : "",
      option.default ?? "",
    ]),
  ]);
  assert(readPage("docs/reference/configuration.md").includes("NONET_SECRET_KEY_FILE"));
});

test("a secret of the document is read from the file that its variable names, once", () => {
  const read: string[] = [];
  const environment = withSecretFiles({ A_FILE: "a", B: "b", B_FILE: "other", C_FILE: "gone", PATH: "p" }, (path) => {
    read.push(path);
    if (path === "gone") throw new Error("it is gone");
    return `in ${path}\n`;
  });
  assert.deepEqual(
    [environment["A"], environment["A"], environment["B"], environment["PATH"], environment["D"]],
    ["in a", "in a", "b", "p", undefined],
  );
  assert.deepEqual(read, ["a"]);
  assert.throws(() => environment["C"], { message: "C_FILE: cannot read gone: it is gone" });
});

test("the real command takes all of it, and keys are made where the service's data is", async (t) => {
  const folder = temporaryFolder(t);
  const signed = shelf().replace("allow:\n  addBook, listBooks: anyone   # ok anyone-may-write: a test", "credentials:\n  key: { kind: api-key, sent: Authorization Bearer, prefix: sh_ }\n  hook: { kind: hmac-sha256, sent: header X-Hook-Signature, secret: env HOOK_SECRET, roles: [reader] }\nroles: [reader]\nallow:\n  addBook, listBooks: reader"); // biome-ignore format: a document
  writeFileSync(join(folder, "shelf.md"), signed);
  writeFileSync(join(folder, "hook"), "s3cret-of-the-hook\n");
  writeFileSync(join(folder, file), "document: shelf.md\ndata: books.db\nlog: info\nlog-format: json\n");
  const environment = { NONET_PORT: "0", HOOK_SECRET_FILE: "hook" };
  const running = nonet(t, ["serve"], { folder, environment });
  const [, address = ""] = await running.says(/"local":"(http:[^"]+)"/);
  assert.match(running.output, /"data":"books\.db"/);
  const made = await finishedHere(["key", "create", "--user", "ann", "--role", "reader"], { folder });
  assert.equal(made.code, 0, made.output);
  const key = /sh_\w+/.exec(made.output)?.[0] ?? "";
  const reply = await fetch(`${address}/books`, { headers: { Authorization: `Bearer ${key}` } });
  assert.equal(reply.status, 200);
  await reply.text();
  const missing = await finished(t, ["serve"], {
    folder,
    environment: { ...environment, HOOK_SECRET_FILE: "nowhere" },
  });
  assert.equal(missing.code, 2);
  assert.match(missing.output, /^nonet serve: HOOK_SECRET_FILE: cannot read nowhere: /);
});
