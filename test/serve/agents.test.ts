/** Operations as tools of the Model Context Protocol (R4.25), over a socket with the official client. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import type { JsonObject } from "../../src/base/json.ts";
import { agent, type CallResult, comparable, message, post } from "./agents.ts";
import { crud, documentOf, things } from "../enforced/document.ts";
import { run } from "./running.ts";
import type { Subject } from "./scenario.ts";
import { documentText, served } from "./scenario.ts";

const text = documentText("agents");

async function keys({
  running,
}: Subject): Promise<Readonly<Record<"writer" | "other" | "reader" | "outsider", string>>> {
  return {
    writer: await running.key("ann", "writer"),
    other: await running.key("bob", "writer"),
    reader: await running.key("rob", "reader"),
    outsider: await running.key("out", "outsider"),
  };
}

const ofWriters = "addNote listNotes getNote latestNote changeNote putNote removeNote shareNote countNotes".split(" ");

served("Agents", text, (subject) => {
  const url = () => `${subject.running.url}/api/mcp`;

  for (const era of ["modern", "legacy"] as const) {
    test(`R4.25 a client lists the tools of its caller, and calls them (${era})`, async () => {
      const { reader, writer } = await keys(subject);
      await using ann = await agent(url(), writer, era);
      await using rob = await agent(url(), reader, era);
      const { tools } = await ann.client.listTools();
      assert.deepEqual(
        tools.map(({ name }) => name),
        ofWriters,
      );
      const others = await rob.client.listTools();
      assert.deepEqual(
        others.tools.map(({ name }) => name),
        ["listNotes", "getNote", "countNotes"],
      );
      assert.equal(ann.client.getServerVersion()?.name, "notes");
      assert.match(ann.client.getInstructions() ?? "", /^Keep the notes/);
      const made = await call(ann.client, "addNote", { text: `of ${era}`, weight: 1.5 });
      const { id } = made.structuredContent ?? {};
      assert.equal(made.isError, undefined);
      const tag = /^ETag: (.*)$/m.exec(made.content[1]?.text ?? "")?.[1] ?? "";
      const changed = await call(ann.client, "changeNote", { id, "If-Match": tag, size: 3 });
      assert.equal(changed.structuredContent?.["size"], 3);
      const shared = await call(ann.client, "shareNote", { id, with: "all" });
      assert.equal(shared.structuredContent?.["state"], "shared");
      const found = await call(rob.client, "listNotes", { "size.gte": 3, "text.in": [`of ${era}`, "none"] });
      assert.deepEqual(
        (found.structuredContent as { items: JsonObject[] }).items.map((item) => item["id"]),
        [id],
      );
      const sameTag = /^ETag: (.*)$/m.exec(shared.content[1]?.text ?? "")?.[1] ?? "";
      const removed = await call(ann.client, "removeNote", { id, "If-Match": sameTag });
      assert.deepEqual([removed.isError, removed.structuredContent], [undefined, undefined]);
    });
  }

  test("R4.25 annotations say what an operation does to records", async () => {
    const { writer } = await keys(subject);
    await using ann = await agent(url(), writer);
    const { tools } = await ann.client.listTools();
    const hints = (name: string) => {
      const { destructiveHint, idempotentHint, readOnlyHint } =
        tools.find((tool) => tool.name === name)?.annotations ?? {};
      return [readOnlyHint, destructiveHint, idempotentHint];
    };
    assert.deepEqual(hints("listNotes"), [true, false, true]);
    assert.deepEqual(hints("addNote"), [false, false, false]);
    assert.deepEqual(hints("shareNote"), [false, true, false]);
    assert.deepEqual(hints("removeNote"), [false, true, true]);
    const change = tools.find(({ name }) => name === "changeNote");
    assert.deepEqual(change?.inputSchema.required, ["id", "If-Match"]);
  });

  test("R4.19 a repeated call with the same key repeats the response", async () => {
    const { writer } = await keys(subject);
    await using ann = await agent(url(), writer);
    const sent = { text: "once", "Idempotency-Key": "the-same" };
    const [first, second] = [await call(ann.client, "addNote", sent), await call(ann.client, "addNote", sent)];
    assert.deepEqual(second.structuredContent, first.structuredContent);
    assert.match(second.content[1]?.text ?? "", /Idempotent-Replayed/);
    const http = await subject.client.send({
      method: "POST",
      path: "/api/notes",
      headers: { Authorization: `Bearer ${writer}`, "Idempotency-Key": "the-same" },
      body: { text: "once" },
    });
    assert.deepEqual(http.json, first.structuredContent, "the key is one, however the request comes");
  });

  describe("R4.25 who may use the address", () => {
    const listing = message("tools/list");
    const rows: readonly (readonly [
      string,
      (key: Awaited<ReturnType<typeof keys>>) => Record<string, string>,
      number,
    ])[] = [
      ["no credential", () => ({}), 401],
      ["a wrong credential", () => ({ Authorization: "Bearer no_wrong" }), 401],
      ["a role that `for` does not name", ({ outsider }) => ({ Authorization: `Bearer ${outsider}` }), 403],
      [
        "a page of another site",
        ({ writer }) => ({ Authorization: `Bearer ${writer}`, Origin: "http://evil.example" }),
        403,
      ],
      ["no origin that a browser knows", ({ writer }) => ({ Authorization: `Bearer ${writer}`, Origin: "null" }), 403],
      ["a listed page", ({ writer }) => ({ Authorization: `Bearer ${writer}`, Origin: "https://app.example" }), 200],
      [
        "another media type",
        ({ writer }) => ({ Authorization: `Bearer ${writer}`, "Content-Type": "text/plain" }),
        415,
      ],
    ];
    for (const [name, headersOf, status] of rows)
      test(`${name}: ${status}`, async () => {
        const answer = await post(url(), listing, headersOf(await keys(subject)));
        assert.equal(answer.status, status, answer.text);
        assert.equal(answer.headers.has("www-authenticate"), status === 401);
        assert.equal(answer.headers.get("cache-control"), "no-store");
      });

    test("GET and DELETE are 405: there are no sessions", async () => {
      const { writer } = await keys(subject);
      for (const method of ["GET", "DELETE"]) {
        const response = await fetch(url(), { method, headers: { Authorization: `Bearer ${writer}` } });
        assert.equal(response.status, 405);
        assert.equal(response.headers.get("allow"), "POST, OPTIONS");
      }
    });

    test("a browser of a listed page may send the fields of the protocol", async () => {
      const headers = { Origin: "https://app.example", "Access-Control-Request-Method": "POST" };
      const response = await fetch(url(), { method: "OPTIONS", headers });
      const allowed = response.headers.get("access-control-allow-headers") ?? "";
      for (const name of ["Authorization", "MCP-Protocol-Version", "Mcp-Method", "Content-Type"])
        assert.ok(allowed.includes(name), allowed);
    });
  });

  describe("R4.25 messages that are none", () => {
    const huge = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_":"${"x".repeat(80_000)}"}}`;
    const rows: readonly (readonly [string, string, number, number | string])[] = [
      ["no JSON", "{", 400, -32_700],
      ["nothing", "", 400, -32_700],
      ["two members of one name", `{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, 400, -32_700],
      ["a lone surrogate", `{"jsonrpc":"2.0","id":1,"method":"\\ud800"}`, 400, -32_700],
      ["too deep", `{"a":${"[".repeat(200)}${"]".repeat(200)}}`, 400, -32_700],
      ["a text", `"tools/list"`, 400, -32_600],
      ["null", "null", 400, -32_600],
      ["a batch", `[${message("tools/list")},${message("ping")}]`, 400, -32_600],
      ["an empty batch", "[]", 400, -32_600],
      ["more bytes than a request may have", huge, 413, "too-large"],
      ["an unknown method", message("notes/steal"), 200, -32_601],
      ["a method of prototypes", message("__proto__"), 200, -32_601],
      ["another method of prototypes", message("constructor"), 200, -32_601],
      ["subscriptions", message("subscriptions/listen"), 404, -32_601],
      ["a tool that is none", message("tools/call", { name: "dropAll", arguments: {} }), 200, -32_602],
      ["a tool of prototypes", message("tools/call", { name: "constructor", arguments: {} }), 200, -32_602],
      ["another tool of prototypes", message("tools/call", { name: "__proto__", arguments: {} }), 200, -32_602],
      [
        "a picture, which is no tool",
        message("tools/call", { name: "getPicture", arguments: { id: "1" } }),
        200,
        -32_602,
      ],
      ["no name", message("tools/call", {}), 200, -32_602],
    ];
    for (const [name, body, status, code] of rows)
      test(`${name}: ${status} ${code}`, async () => {
        const { writer } = await keys(subject);
        const answer = await post(url(), body, { Authorization: `Bearer ${writer}` });
        assert.equal(answer.status, status, answer.text);
        const error = answer.message?.["error"] as JsonObject | undefined;
        assert.equal(error?.["code"] ?? answer.message?.["code"], code, answer.text);
        assert.ok(!answer.text.includes("node_modules"), "no stack");
      });

    test("a notification is accepted, and answered by nothing", async () => {
      const { writer } = await keys(subject);
      const body = JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
      const answer = await post(url(), body, { Authorization: `Bearer ${writer}` });
      assert.deepEqual([answer.status, answer.text], [202, ""]);
    });
  });

  describe("R4.25 a call gets the answer of the request", () => {
    interface Row {
      readonly name: string;
      readonly by: "writer" | "other" | "reader";
      readonly tool: string;
      readonly arguments: string;
      /** The same request, and how both are answered. */
      readonly http: {
        readonly method: string;
        readonly path: string;
        readonly body?: string;
        readonly more?: Record<string, string>;
      };
      readonly status: number;
    }
    // The test replaces NOTE with the id of a draft of the first writer.
    const rows: readonly Row[] = [
      { name: "a role that may not", by: "reader", tool: "addNote", arguments: `{"text":"x"}`, http: { method: "POST", path: "/notes", body: `{"text":"x"}` }, status: 403 },
      { name: "another owner's record", by: "other", tool: "getNote", arguments: `{"id":"NOTE"}`, http: { method: "GET", path: "/notes/NOTE" }, status: 404 },
      { name: "a change of another owner's record", by: "other", tool: "changeNote", arguments: `{"id":"NOTE","If-Match":"*","size":1}`, http: { method: "PATCH", path: "/notes/NOTE", body: `{"size":1}`, more: { "If-Match": "*" } }, status: 404 },
      { name: "no such record", by: "writer", tool: "getNote", arguments: `{"id":"not_00000000000000000000000000"}`, http: { method: "GET", path: "/notes/not_00000000000000000000000000" }, status: 404 },
      { name: "an unknown member", by: "writer", tool: "addNote", arguments: `{"text":"x","owner":"eve"}`, http: { method: "POST", path: "/notes", body: `{"text":"x","owner":"eve"}` }, status: 422 },
      { name: "members of prototypes", by: "writer", tool: "addNote", arguments: `{"text":"x","__proto__":{"admin":true},"constructor":1,"toString":2}`, http: { method: "POST", path: "/notes", body: `{"text":"x","__proto__":{"admin":true},"constructor":1,"toString":2}` }, status: 422 },
      { name: "an unknown parameter", by: "writer", tool: "listNotes", arguments: `{"nope":"1"}`, http: { method: "GET", path: "/notes?nope=1" }, status: 400 },
      { name: "a parameter of prototypes", by: "writer", tool: "listNotes", arguments: `{"__proto__":"1"}`, http: { method: "GET", path: "/notes?__proto__=1" }, status: 400 },
      { name: "an integer that a double would round", by: "writer", tool: "addNote", arguments: `{"text":"x","size":9007199254740993}`, http: { method: "POST", path: "/notes", body: `{"text":"x","size":9007199254740993}` }, status: 422 },
      { name: "values of other types", by: "writer", tool: "addNote", arguments: `{"text":5,"tags":"a","size":null}`, http: { method: "POST", path: "/notes", body: `{"text":5,"tags":"a","size":null}` }, status: 422 },
      { name: "nothing", by: "writer", tool: "addNote", arguments: `{}`, http: { method: "POST", path: "/notes", body: `{}` }, status: 422 },
      { name: "a slash in the path", by: "writer", tool: "getNote", arguments: `{"id":"NOTE/share"}`, http: { method: "GET", path: "/notes/NOTE%2Fshare" }, status: 404 },
      { name: "dots in the path", by: "writer", tool: "getNote", arguments: `{"id":".."}`, http: { method: "GET", path: "/notes/%2E%2E" }, status: 404 },
      { name: "a query in the path", by: "writer", tool: "getNote", arguments: `{"id":"NOTE?x=1#y"}`, http: { method: "GET", path: "/notes/NOTE%3Fx%3D1%23y" }, status: 404 },
      { name: "U+0000 in the path", by: "writer", tool: "getNote", arguments: `{"id":"a\\u0000b"}`, http: { method: "GET", path: "/notes/a%00b" }, status: 400 },
      { name: "several values with a separator", by: "writer", tool: "listNotes", arguments: `{"text":"a&size=1","search":"b=c+d"}`, http: { method: "GET", path: "/notes?text=a%26size%3D1&search=b%3Dc%2Bd" }, status: 200 },
      { name: "a filter that does not fit", by: "writer", tool: "listNotes", arguments: `{"size.gt":"many"}`, http: { method: "GET", path: "/notes?size[gt]=many" }, status: 400 },
      { name: "no precondition", by: "writer", tool: "removeNote", arguments: `{"id":"NOTE"}`, http: { method: "DELETE", path: "/notes/NOTE" }, status: 428 },
      { name: "an old tag", by: "writer", tool: "removeNote", arguments: `{"id":"NOTE","If-Match":"\\"old\\""}`, http: { method: "DELETE", path: "/notes/NOTE", more: { "If-Match": '"old"' } }, status: 412 },
      { name: "more bytes than the operation takes", by: "writer", tool: "addNote", arguments: `{"text":"${"x".repeat(5000)}"}`, http: { method: "POST", path: "/notes", body: `{"text":"${"x".repeat(5000)}"}` }, status: 413 },
      { name: "a record", by: "writer", tool: "getNote", arguments: `{"id":"NOTE"}`, http: { method: "GET", path: "/notes/NOTE" }, status: 200 },
      { name: "the newest", by: "writer", tool: "latestNote", arguments: `{}`, http: { method: "GET", path: "/notes/latest" }, status: 200 },
      { name: "numbers", by: "reader", tool: "countNotes", arguments: `{}`, http: { method: "GET", path: "/count" }, status: 200 },
    ]; // biome-ignore format: a table
    for (const { name, by, tool, arguments: given, http, status } of rows)
      test(`${name}: ${status}`, async () => {
        const known = await keys(subject);
        const authorization = { Authorization: `Bearer ${known[by]}` };
        const made = await subject.client.send({
          method: "POST",
          path: "/api/notes",
          headers: { Authorization: `Bearer ${await subject.running.key("ann", "writer")}` },
          body: { text: "a draft" },
        });
        subject.running.pass(60_000);
        const { id } = made.json as { id: string };
        const filled = (one: string): string => one.replace("NOTE", id);
        const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${tool}","arguments":${filled(given)}}}`;
        const answer = await post(url(), body, authorization);
        const { body: sent, more, method, path } = http;
        const headers = {
          ...authorization,
          ...more,
          ...(sent === undefined ? {} : { "Content-Type": "application/json" }),
        };
        const reply = await subject.client.send({ method, path: `/api${filled(path)}`, headers, body: sent });
        const result = answer.message?.["result"] as unknown as CallResult | undefined;
        assert.ok(result, answer.text);
        assert.equal(reply.status, status);
        assert.equal(result.isError ?? false, status >= 400, answer.text);
        assert.deepEqual(comparable(result.structuredContent), comparable(reply.json));
      });

    test("a value cannot lead to another operation, and no argument is a header field or a credential", async () => {
      const { other, writer } = await keys(subject);
      const refused: readonly (readonly [string, JsonObject, number])[] = [
        ["getNote", { id: "latest" }, 404],
        ["getNote", { id: "" }, 400],
        ["getNote", {}, 400],
        ["getNote", { id: ["a"] }, 400],
        ["changeNote", { id: "not_1", "If-Match": '"a"\r\nAuthorization: Bearer x', size: 1 }, 400],
        ["addNote", { text: "x", Authorization: `Bearer ${other}` }, 422],
        ["listNotes", { Authorization: `Bearer ${other}` }, 400],
      ];
      for (const [tool, given, status] of refused) {
        const answer = await post(url(), message("tools/call", { name: tool, arguments: given }), {
          Authorization: `Bearer ${writer}`,
        });
        const result = answer.message?.["result"] as unknown as CallResult;
        assert.deepEqual([result.isError, result.structuredContent?.["status"]], [true, status], answer.text);
      }
    });

    test("R8.1 calls count towards the limits of their operations", async () => {
      const key = await subject.running.key("busy", "writer");
      await using busy = await agent(url(), key);
      let limited: CallResult | undefined;
      for (let tries = 0; tries < 25 && limited?.isError !== true; tries += 1)
        limited = await call(busy.client, "addNote", { text: "again" });
      assert.equal(limited?.structuredContent?.["code"], "rate-limited");
      assert.match(limited.content[1]?.text ?? "", /Retry-After: \d+/);
    });
  });
});

async function call(
  client: { callTool: (sent: never) => Promise<unknown> },
  name: string,
  given: Readonly<Record<string, unknown>>,
): Promise<CallResult> {
  return (await client.callTool({ name, arguments: given } as never)) as CallResult;
}

test("R4.25 with more than 25 operations a caller has two tools", async () => {
  const names = Array.from({ length: 26 }, (_, index) => `Thing${index}`);
  const endpoints = Object.fromEntries(names.map((name) => [`add${name}`, `POST /${name.toLowerCase()}s`]));
  const resources = Object.fromEntries(names.map((name) => [name, { id: "id(thi)", label: "string(1..9)" }]));
  const allow = Object.fromEntries(
    Object.keys(endpoints).map((name) => [name, name === "addThing25" ? "admin" : "anyone"]),
  );
  const document = documentOf({ resources, endpoints: { mcp: "/mcp", endpoints }, authentication: { allow } });
  await using running = await run(document, { store: "memory" });
  const url = `${running.url}/mcp`;
  await using member = await agent(url, undefined);
  assert.equal((await member.client.listTools()).tools.length, 25, "these are tools by themselves");
  await using admin = await agent(url, await running.key("olga", "admin"));
  const { tools } = await admin.client.listTools();
  assert.deepEqual(
    tools.map(({ name }) => name),
    ["describe", "call"],
  );
  const all = await call(admin.client, "describe", {});
  assert.equal((all.structuredContent as { operations: unknown[] }).operations.length, 26);
  const one = await call(admin.client, "describe", { operations: ["addThing3"] });
  const { operations } = one.structuredContent as unknown as {
    operations: { name: string; inputSchema: { required: string[] } }[];
  };
  assert.deepEqual(
    operations.map(({ name, inputSchema }) => [name, inputSchema.required]),
    [["addThing3", ["label"]]],
  );
  const made = await call(admin.client, "call", { operation: "addThing3", arguments: { label: "x" } });
  assert.equal(made.structuredContent?.["label"], "x");
  const wrong = await call(admin.client, "call", { operation: "addThing3", arguments: { label: "x", more: 1 } });
  assert.equal(wrong.structuredContent?.["status"], 422);
  await assert.rejects(call(admin.client, "call", { operation: "toString" }), /There is no tool `toString`/);
  assert.deepEqual(running.failures, []);
});

test("R9.1 the tools are those of the version that the agent names", async () => {
  const document = documentOf({
    resources: things({ "title?": "string(1..40)", count: "integer" }),
    endpoints: { mcp: "/mcp", endpoints: crud },
    versioning: {
      scheme: "dated",
      sent: "path /v{n}",
      absent: "newest",
      versions: { "2026-06-01": ["rename Thing.label -> title"], "2026-01-01": "first" },
    },
  });
  await using running = await run(document, { store: "memory" });
  for (const [prefix, name] of [
    ["/v2026-01-01", "label"],
    ["/v2026-06-01", "title"],
    ["", "title"],
  ] as const) {
    await using anyone = await agent(`${running.url}${prefix}/mcp`, undefined);
    const made = await call(anyone.client, "addThing", { [name]: "x", count: 1 });
    assert.equal(made.structuredContent?.[name], "x", JSON.stringify(made));
    const { tools } = await anyone.client.listTools();
    const { inputSchema } = tools.find((tool) => tool.name === "addThing") ?? {};
    assert.ok(Object.hasOwn(inputSchema?.properties ?? {}, name));
  }
  assert.deepEqual(running.failures, []);
});

test("R4.25 lists without an object, bodies with arrays, and no body", async () => {
  const document = documentOf({
    resources: things({ count: "integer, filter" }),
    endpoints: {
      mcp: "/mcp",
      lists: "cursor, 2 per page, at most 3, bare array",
      endpoints: { ...crud, addThings: { at: "POST /many-things", of: "Thing", takes: "Thing[](1..3)" } },
    },
  });
  await using running = await run(document, { store: "memory" });
  for (const era of ["modern", "legacy"] as const) {
    await using anyone = await agent(`${running.url}/mcp`, undefined, era);
    await anyone.client.listTools();
    const made = await call(anyone.client, "addThings", { body: [{ count: 1 }, { count: 2 }, { count: 3 }] });
    assert.equal(made.isError, undefined, JSON.stringify(made));
    const found = await call(anyone.client, "listThings", { "count.gte": 2 });
    const items = era === "modern" ? found.structuredContent : found.structuredContent?.["result"];
    assert.equal((items as unknown as unknown[]).length, 2);
    const wrong = await call(anyone.client, "addThings", { body: { count: 1 } });
    assert.equal(wrong.structuredContent?.["status"], 422, JSON.stringify(wrong));
    const none = await call(anyone.client, "addThings", {});
    assert.equal(none.structuredContent?.["status"], 415);
  }
  assert.deepEqual(running.failures, []);
});

test("examples/issue-tracker.md: an agent opens an issue as its member, and a visitor finds it", async () => {
  const text = readFileSync(new URL("../../examples/issue-tracker.md", import.meta.url), "utf8");
  await using running = await run(text, { store: "memory" });
  const url = `${running.url}/mcp`;
  await using member = await agent(url, await running.key("mona", "member"), "modern", "token");
  await using visitor = await agent(url, undefined);
  assert.deepEqual(
    (await member.client.listTools()).tools.map(({ name }) => name),
    ["describe", "call"],
  );
  const perform = async (operation: string, given: JsonObject): Promise<CallResult> =>
    call(member.client, "call", { operation, arguments: given });
  assert.equal((await perform("putUser", { id: "mona", name: "Mona" })).structuredContent?.["name"], "Mona");
  assert.equal((await perform("addRepo", { name: "hello" })).isError, undefined);
  const opened = await perform("addIssue", { owner: "mona", repo: "hello", title: "It breaks" });
  assert.equal(opened.structuredContent?.["number"], 1, JSON.stringify(opened));
  const names = (await visitor.client.listTools()).tools.map(({ name }) => name);
  assert.deepEqual([names.length, names.includes("addIssue")], [10, false], names.join());
  const found = await call(visitor.client, "getIssue", { owner: "mona", repo: "hello", number: 1 });
  assert.equal(found.structuredContent?.["title"], "It breaks");
  const wrong = await call(visitor.client, "getIssue", { owner: "mona", repo: "hello", number: 2 });
  assert.deepEqual(wrong.structuredContent, { message: "Not Found" }, "errors have the body of the document");
  assert.deepEqual(running.failures, []);
});
