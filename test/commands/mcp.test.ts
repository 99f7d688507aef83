/** `nonet mcp` in a separate process, with the official client of the protocol. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { JsonObject } from "../../src/base/json.ts";
import { cli } from "../cli.ts";
import { clock } from "../clock.ts";
import { finishedHere, root, temporaryFolder } from "./process.ts";

interface Result {
  readonly isError?: boolean;
  readonly structuredContent?: JsonObject;
  readonly text: string;
}

interface Author {
  readonly client: Client;
  readonly folder: string;
  readonly call: (name: string, given?: Readonly<Record<string, unknown>>) => Promise<Result>;
}

const example = readFileSync(join(root, "examples", "todo-backend.md"), "utf8");

async function author(t: TestContext, era: "auto" | "legacy" = "auto"): Promise<Author> {
  const folder = join(temporaryFolder(t), "work");
  mkdirSync(folder);
  writeFileSync(join(folder, "todo.md"), example);
  writeFileSync(join(folder, "..", "secret.md"), example);
  symlinkSync(join(folder, "..", "secret.md"), join(folder, "link.md"));
  const client = new Client({ name: "a test", version: "1" }, { versionNegotiation: { mode: era } });
  const environment = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== undefined));
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [cli, "mcp"],
    cwd: folder,
    env: { ...(environment as Record<string, string>), ...clock },
    stderr: "pipe",
  });
  await client.connect(transport);
  t.after(() => client.close());
  return {
    client,
    folder,
    async call(name, given = {}) {
      const result = (await client.callTool({ name, arguments: { ...given } })) as unknown as Omit<Result, "text"> & {
        readonly content: readonly { readonly text: string }[];
      };
      return { ...result, text: result.content.map(({ text }) => text).join("") };
    },
  };
}

for (const era of ["auto", "legacy"] as const)
  test(`an author's agent checks, asks, compares and exports (${era})`, async (t) => {
    const { call, client, folder } = await author(t, era);
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map(({ name }) => name),
      ["check", "explain", "next_question", "format", "diff", "export", "serve", "stop", "test"],
    );
    const sound = await call("check", { document: "todo.md" });
    assert.deepEqual(
      [sound.isError, (sound.structuredContent as { summary: JsonObject } | undefined)?.summary["errors"]],
      [undefined, 0],
    );
    writeFileSync(join(folder, "new.md"), example.replace("GET /{id}", "GET /one/{id}"));
    const changed = await call("diff", { old: "todo.md", new: "new.md" });
    assert.match(changed.text, /"breaking"/);
    writeFileSync(join(folder, "open.md"), example.replace(/## Limits\n[\s\S]*?(?=## )/, "## Limits\nnot shown\n\n"));
    const asked = await call("next_question", { document: "open.md" });
    const next = asked.structuredContent?.["next"] as JsonObject;
    assert.deepEqual([next["part"], next["status"]], ["limits", "not shown"], asked.text);
    writeFileSync(join(folder, "wrong.md"), example.replace("GET /{id}", "FETCH /{id}"));
    const wrong = await call("check", { document: "wrong.md" });
    assert.match(JSON.stringify(wrong.structuredContent?.["diagnostics"]), /endpoints\/bad-method/);
    const text = await call("export", { document: "todo.md", format: "openapi" });
    assert.equal((JSON.parse(text.text) as JsonObject)["openapi"], "3.1.1");
    await call("export", { document: "todo.md", format: "typescript", out: "client.ts" });
    assert.match(readFileSync(join(folder, "client.ts"), "utf8"), /addTodo/);
  });

test("an agent reads the reference of the language", async (t) => {
  const { client } = await author(t);
  const { resources } = await client.listResources();
  assert.deepEqual(
    resources.map(({ uri }) => uri),
    ["nonet://reference/language", "nonet://reference/expressions", "nonet://reference/checks"],
  );
  const { contents } = await client.readResource({ uri: "nonet://reference/language" });
  assert.match((contents[0] as { text: string }).text, /## 4\. Endpoints/);
});

test("an agent serves a document on a free port, tests it, and stops it", async (t) => {
  const { call } = await author(t);
  assert.match((await call("test", { document: "todo.md" })).text, /serve the document first/);
  const served = await call("serve", { document: "todo.md" });
  assert.equal(served.isError, undefined, served.text);
  const url = served.structuredContent?.["url"] as string;
  assert.equal((await fetch(`${url}/readyz`)).status, 200);
  const again = (await call("serve", { document: "todo.md" })).structuredContent?.["url"] as string;
  await assert.rejects(fetch(`${url}/readyz`), "the first one has ended");
  const report = await call("test", { document: "todo.md" });
  assert.match(report.text, /statements?/);
  assert.equal(report.isError, undefined, report.text.slice(0, 500));
  assert.equal((await call("stop", { document: "todo.md" })).text, "stopped\n");
  await assert.rejects(fetch(`${again}/readyz`));
  const broken = await call("serve", { document: "../work/none.md" });
  assert.deepEqual([broken.isError, broken.text], [true, "cannot read ../work/none.md: there is no such file"]);
});

test("no tool reads or writes outside of the folder", async (t) => {
  const { call, folder } = await author(t);
  const outside = /is not below the folder/;
  for (const document of ["../secret.md", join(folder, "..", "secret.md"), "link.md", "/etc/hostname", "."]) {
    for (const [tool, given] of [
      ["check", { document }],
      ["check", { document: "todo.md", against: document }],
      ["next_question", { document }],
      ["diff", { old: document, new: "todo.md" }],
      ["export", { document, format: "openapi" }],
      ["export", { document: "todo.md", format: "openapi", out: document }],
      ["serve", { document }],
      ["serve", { document: "todo.md", handlers: document }],
      ["test", { document }],
    ] as const) {
      const refused = await call(tool, given);
      assert.equal(refused.isError, true, `${tool} ${document}: ${refused.text}`);
      assert.match(refused.text, outside, `${tool} ${document}`);
    }
  }
  for (const out of ["../new.json", "missing/new.json", "-"]) {
    const refused = await call("export", { document: "todo.md", format: "openapi", out });
    assert.equal(refused.isError === true, out !== "-", `${out}: ${refused.text}`);
  }
  const { code, output } = await finishedHere(["mcp", "nowhere"], { folder });
  assert.deepEqual([code, output], [2, "nonet mcp: cannot read nowhere: there is no such file\n"]);
  const unknown = await call("check", { document: "todo.md", more: 1 });
  assert.equal(unknown.isError, true);
});
