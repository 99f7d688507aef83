/** `nonet test` as a command: what it prints, its exit codes, the settings file, and targets that are not services. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { httpServer } from "../conformance/http-server.ts";
import { rawServer } from "../conformance/raw-server.ts";
import { run } from "../serve/running.ts";
import { finishedHere, temporaryFolder } from "./process.ts";
import { shelf } from "./shelf.ts";

interface Report {
  readonly seed: number;
  readonly statements: readonly { readonly kind: string }[];
  readonly cases: readonly { readonly kind: string; readonly id: string }[];
}

/** Serves a document, and returns a folder with the one that it is tested with. */
async function serving(t: TestContext, served: string, tested = shelf()): Promise<{ folder: string; url: string }> {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, "shelf.md"), tested);
  const running = await run(served, { store: "memory" });
  t.after(() => running[Symbol.asyncDispose]());
  return { folder, url: running.url };
}

function reportIn(folder: string, name = "report.json"): Report {
  return JSON.parse(readFileSync(join(folder, name), "utf8")) as Report;
}

test("0: an implementation that follows its document breaks nothing", async (t) => {
  const { folder, url } = await serving(t, shelf());
  const { code, output } = await finishedHere(["test", "shelf.md", "--url", url], { folder });
  assert.equal(code, 0, output);
  assert.match(output, /nothing is broken|0 broken/);
});

test("1: what is broken comes with its line, and is found again by --replay and by the seed", async (t) => {
  const { folder, url } = await serving(t, shelf({ fields: ["title: string(1..90)"] }));
  const args = ["test", "shelf.md", "--url", url];
  const first = await finishedHere([...args, "--seed", "7", "--report", "report.json"], { folder });
  assert.equal(first.code, 1, first.output);
  assert.match(first.output, /title: string\(1\.\.80\)/);
  assert.match(first.output, /curl /);
  const again = await finishedHere([...args, "--replay", "report.json", "--report", "again.json"], { folder });
  assert.equal(again.code, 1, again.output);
  const [all, replayed] = [reportIn(folder), reportIn(folder, "again.json")];
  assert.equal(replayed.seed, 7);
  const broken = ({ cases }: Report): readonly string[] =>
    cases.filter(({ kind }) => kind === "broken").map(({ id }) => id);
  assert.deepEqual(broken(replayed), broken(all));
  assert.ok(replayed.cases.length < all.cases.length);
});

test("--only tests a part, a line or an operation", async (t) => {
  const { folder, url } = await serving(t, shelf());
  for (const only of [
    "errors",
    "addBook",
    String(
      shelf()
        .split("\n")
        .findIndex((line) => line.includes("title:")) + 1,
    ),
  ]) {
    const args = ["test", "shelf.md", "--url", url, "--only", only, "--report", "report.json"];
    const { code, output } = await finishedHere(args, { folder });
    assert.equal(code, 0, output);
    assert.ok(reportIn(folder).statements.length > 0, only);
  }
});

interface Usage {
  readonly what: string;
  readonly args: readonly string[];
  readonly output: RegExp;
}

const usages: readonly Usage[] = [
  { what: "no address", args: [], output: /--url http/ },
  { what: "nobody there", args: ["--url", "http://127.0.0.1:1"], output: /cannot be reached/ },
  { what: "another machine", args: ["--url", "http://example.com"], output: /add --confirm example\.com/ },
  { what: "no such part", args: ["--url", "http://127.0.0.1:1", "--only", "parts"], output: /parts is not a part/ },
  {
    what: "no such version",
    args: ["--url", "http://127.0.0.1:1", "--api-version", "2"],
    output: /2 is not a version/,
  },
  {
    what: "another ending",
    args: ["--url", "http://127.0.0.1:1", "--report", "a.pdf"],
    output: /the ending names the format/,
  },
  { what: "a wrong credential", args: ["--url", "http://127.0.0.1:1", "--as", "reader"], output: /--as is ROLE=TOKEN/ },
  { what: "no settings", args: ["--config", "no.yaml"], output: /cannot read no\.yaml/ },
];

for (const { args, output: expected, what } of usages) {
  test(`2: ${what}`, async (t) => {
    const folder = temporaryFolder(t);
    writeFileSync(join(folder, "shelf.md"), shelf());
    const { code, output } = await finishedHere(["test", "shelf.md", ...args], { folder });
    assert.equal(code, 2, output);
    assert.match(output, expected);
  });
}

test("a document with errors is not tested", async (t) => {
  const { folder, url } = await serving(t, shelf(), shelf().replace("string(1..80)", "strng"));
  const { code, output } = await finishedHere(["test", "shelf.md", "--url", url], { folder });
  assert.equal(code, 1, output);
  assert.match(output, /shelf\.md:\d+:\d+/);
});

test("nonet.test.yaml holds the options, and says at which line it is wrong", async (t) => {
  const { folder, url } = await serving(t, shelf());
  const file = join(folder, "nonet.test.yaml");
  writeFileSync(file, `url: ${url}\nskip: [listBooks]\n`);
  const right = await finishedHere(["test", "shelf.md"], { folder });
  assert.equal(right.code, 0, right.output);
  writeFileSync(file, `url: ${url}\nskipped: [listBooks]\n`);
  const wrong = await finishedHere(["test", "shelf.md"], { folder });
  assert.equal(wrong.code, 2, wrong.output);
  assert.match(wrong.output, /nonet\.test\.yaml:2: /);
});

test("--reset empties the data before the first request and after the last one", async (t) => {
  const { folder, url } = await serving(t, shelf());
  const resets: string[] = [];
  const resetting = await httpServer(t, (request, response) => {
    resets.push(`${request.method} ${request.url}`);
    response.writeHead(204).end();
  });
  const reset = `${resetting}/reset`;
  const { code, output } = await finishedHere(["test", "shelf.md", "--url", url, "--reset", reset], { folder });
  assert.equal(code, 0, output);
  assert.deepEqual(resets, ["POST /reset", "POST /reset"]);
});

test("an implementation that cannot be reset is not tested", async (t) => {
  const { folder, url } = await serving(t, shelf());
  const reset = `${url}/no-such-page`;
  const { code, output } = await finishedHere(["test", "shelf.md", "--url", url, "--reset", reset], { folder });
  assert.equal(code, 2, output);
  assert.match(output, /did not reset the implementation: 40\d/);
});

/** Responses of servers that do not serve the document, or anything. */
const rubbish: Readonly<Record<string, string>> = {
  "closes each connection": "",
  "sends no HTTP": "hello\r\n\r\n",
  "sends JSON that ends early":
    'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n{"items": [1',
  "sends a page": "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>",
  "fails always": "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n",
};

for (const [what, bytes] of Object.entries(rubbish)) {
  test(`a server that ${what} is reported`, async (t) => {
    const folder = temporaryFolder(t);
    writeFileSync(join(folder, "shelf.md"), shelf());
    await using server = await rawServer((socket) => socket.end(bytes, "latin1"));
    const { code, output } = await finishedHere(["test", "shelf.md", "--url", server.url], { folder });
    assert.notEqual(code, 0, output);
    assert.doesNotMatch(output, /at \S+\.ts:\d+/, "no mistake of the test");
  });
}
