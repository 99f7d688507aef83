/**
 * Implementations that others wrote: the lists of what they break, how they are started, and what a test needs so that it says the
 * truth about them. They return other statuses than Nonet, need members that the document leaves optional, fail and end.
 */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Report } from "../../src/conformance/result.ts";
import { statementsOf } from "../../src/conformance/statement.ts";
import { test as testImplementation } from "../../src/conformance/test.ts";
import { check } from "../../src/language/check.ts";
import {
  type Implementation,
  implementationNames,
  readImplementation,
  startImplementation,
} from "./others/implementation.ts";
import { testServed } from "./served.ts";

const root = join(import.meta.dirname, "..", "..");
const read = (path: string): Promise<string> => readFile(join(root, path), "utf8");

const todo = await read("examples/todo-backend.md");

/** The paths of the broken statements. */
function brokenIn({ statements }: Report): readonly string[] {
  return statements.flatMap(({ kind, statement }) => (kind === "broken" ? [statement.path] : []));
}

function edited(text: string, ...edits: readonly (readonly [string, string])[]): string {
  return edits.reduce((before, [from, to]) => {
    assert.ok(before.includes(from), from);
    return before.replace(from, to);
  }, text);
}

// ── The lists ──────────────────────────────────────────────────────────────────────────────────────────────────────

for (const name of await implementationNames()) {
  test(`the list of ${name} names statements of its document`, async () => {
    const { broken, document } = await readImplementation(name);
    const { model, places, summary } = check(document, await read(document));
    assert.equal(summary.errors, 0);
    const paths = new Set(statementsOf(model, places).map(({ path }) => path));
    assert.deepEqual(
      Object.keys(broken).filter((path) => !paths.has(path)),
      [],
    );
  });
}

interface Described {
  readonly document: string;
  /** What makes the document one that Nonet can serve. */
  readonly served?: readonly (readonly [string, string])[];
  /** Statements that Nonet breaks, since it does not serve them. */
  readonly broken?: readonly string[];
}

const described: readonly Described[] = [
  { document: "realworld", served: [["slug?: string, unique, read-only", "slug: string := slugify(title), unique"]] },
  // Nobody writes the function that `ping` needs.
  { document: "restful-booker", broken: ["purpose/operations/ping", "endpoints/endpoints/ping/wire"] },
  { document: "service-broker" },
  { document: "todo-backend" },
];

for (const { document, served = [], broken = [] } of described) {
  test(`nothing of ${document} is broken by a service that follows it`, async () => {
    const text = await read(`test/conformance/documents/${document}.md`);
    const report = await testServed(text, { served: edited(text, ...served) });
    assert.deepEqual(brokenIn(report), broken);
  });
}

// ── What the document does not write ───────────────────────────────────────────────────────────────────────────────

const addTodo = "addTodo: { at: POST /, of: Todo }";
const stated = [addTodo, "addTodo: { at: POST /, of: Todo, status: 201 }"] as const;
const other = [addTodo, "addTodo: { at: POST /, of: Todo, status: 200 }"] as const;

interface Row {
  readonly what: string;
  readonly true: string;
  readonly served: string;
  readonly broken: readonly string[];
}

const rows: readonly Row[] = [
  { what: "another status, where the document writes none", true: todo, served: edited(todo, other), broken: [] },
  {
    what: "another status than the written one is one finding, and hides nothing",
    true: edited(todo, stated, ["title: string(1..200)", "title: string(1..100)"]),
    served: edited(todo, other),
    broken: ["resources/Todo/title", "endpoints/endpoints/addTodo/status"],
  },
  {
    what: "an optional member that the implementation needs is one finding",
    true: todo,
    served: edited(todo, ["order?: integer", "order: integer"]),
    broken: ["resources/Todo/order?"],
  },
  {
    what: "an error body, where the document writes none",
    true: edited(todo, ["body: problem+json\nstandard: all", "standard: [not-found]"]),
    served: edited(todo, ["body: problem+json", 'body: { wrong: "{message}" }']),
    broken: [],
  },
];

for (const { what, true: text, served, broken } of rows) {
  test(what, async () => {
    assert.deepEqual(brokenIn(await testServed(text, { served })), broken);
  });
}

// ── Servers ────────────────────────────────────────────────────────────────────────────────────────────────────────

test("a server that ends is one finding, and the rest is not tried", async () => {
  let requests = 0;
  const server = createServer((_, response) => {
    requests += 1;
    if (requests > 3) {
      server.close();
      server.closeAllConnections();
    } else response.writeHead(200, { "Content-Type": "application/json" }).end("[]");
  }).listen(0, "127.0.0.1");
  after(() => server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { readonly port: number };
  const url = `http://127.0.0.1:${port}`;
  const report = await testImplementation({ name: "todo.md", text: todo, url, workers: 1 });
  const ended = report.cases.filter((one) => one.kind === "broken" && /connection was/.test(one.got));
  assert.equal(ended.length, 1);
  const reasons = report.cases.flatMap((one) => (one.kind === "not tried" ? [one.reason] : []));
  assert.ok(reasons.includes("the server has ended"));
});

const started: Implementation = {
  ...{ source: "", version: "", license: "", document: "", seed: 1, broken: {} },
  start: ["server.js", "{port}"],
  environment: { GREETING: "hello from {data}" },
};

async function withServer(code: string, use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "nonet-server-"));
  try {
    await writeFile(join(folder, "server.js"), code);
    await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test("an implementation is started on this machine alone, and stopped", async () => {
  const code = `const server = require("http").createServer((_, response) => {
    response.end(JSON.stringify({ address: server.address().address, greeting: process.env.GREETING, path: process.env.NONET_SECRET }));
  }).listen(Number(process.argv[2]), "0.0.0.0");`;
  await withServer(code, async (folder) => {
    let address = "";
    {
      await using running = await startImplementation(started, folder);
      address = running.url;
      const shown = (await (await fetch(address)).json()) as Record<string, string>;
      assert.equal(shown["address"], "127.0.0.1");
      assert.match(shown["greeting"] ?? "", /^hello from .*nonet-others-/);
    }
    await assert.rejects(fetch(address));
  });
});

test("an implementation that cannot start says why", async () => {
  await withServer("throw new Error('no database');", async (folder) => {
    await assert.rejects(startImplementation(started, folder), /the server ended with 1[^]*no database/);
  });
});
