/** Paths are served exactly as written: with a trailing slash, or fixed text around a parameter. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { check } from "../../src/language/check.ts";
import { openapi } from "../../src/export/openapi/openapi.ts";
import { documentOf } from "../enforced/document.ts";
import { serve, stores } from "./scenario.ts";

const things = documentOf({
  resources: { Thing: { id: "id(counter)", name: "string(1..9)" }, Part: { id: "id(counter)", thing: "Thing" } },
  states: { Thing: { states: ["open", "shut"], start: "open", final: ["shut"], moves: { "open -> shut": "by shut" } } },
  endpoints: {
    edits: "If-Match optional",
    endpoints: {
      addThing: "POST /things/",
      listThings: "GET /things/",
      getThing: "GET /things/{id}.json",
      textOf: { at: "GET /things/{id}.txt", gives: { name: "name" } },
      changeThing: "PATCH /things/{id}/",
      shut: "POST /things/{id}:shut",
      batch: { at: "GET /things:batch", of: "Thing" },
      addPart: "POST /parts",
      partsOf: "GET /things/t-{thing}/parts/",
      getPart: "GET /parts/{id}",
    },
  },
  versioning: {
    scheme: "dated",
    sent: "header Version",
    absent: "newest",
    policy: { breaking: "new version only" },
    versions: {
      "2026-02-01": ["path getThing, was GET /things/{id}/old.json", "path addPart, was POST /parts/"],
      "2026-01-01": "first",
    },
  },
});

for (const store of stores) {
  test(`R4.3 each path is served as it is written, and no other (${store})`, async () => {
    await using subject = await serve(things, { store });
    const send = (line: string, body?: unknown, headers = {}) => {
      const [method = "", path = ""] = line.split(" ");
      return subject.client.send({ method, path, headers, ...(body === undefined ? {} : { body }) });
    };
    const made = await send("POST /things/", { name: "a.json" });
    assert.deepEqual([made.status, made.headers["location"]], [201, "/things/1.json"]);
    const part = await send("POST /parts", { thing: 1 });
    assert.equal(part.headers["location"], "/parts/1");
    const rows: readonly (readonly [line: string, status: number, body?: unknown])[] = [
      ["POST /things", 404, { name: "a" }],
      ["GET /things/", 200],
      ["GET /things", 404],
      ["GET /things//", 404],
      ["GET /things/1.json", 200],
      ["GET /things/1", 404],
      ["GET /things/1.json/", 405],
      ["GET /things/.json", 404],
      ["GET /things/2.json", 404],
      ["GET /things/x.json", 404],
      ["GET /things/1.txt", 200],
      ["GET /things/1.xml", 404],
      ["DELETE /things/1.json", 405],
      ["PATCH /things/1/", 200, { name: "b" }],
      ["PATCH /things/1", 404, { name: "b" }],
      ["GET /things:batch", 200],
      ["GET /things/t-1/parts/", 200],
      ["GET /things/t-1/parts", 404],
      ["GET /things/1/parts/", 404],
      ["POST /things/1:shut", 200],
      ["POST /things/1:shut", 409],
      ["POST /things/1:open", 404],
    ];
    for (const [line, status, body] of rows) assert.equal((await send(line, body)).status, status, line);
    assert.equal((await send("DELETE /things/1.json")).headers["allow"], "GET, HEAD, OPTIONS");
    // What is recorded is held to the newest version's description, which has none of these.
    const bare = async (line: string, headers: Record<string, string> = {}, body?: string) => {
      const [method = "", path = ""] = line.split(" ");
      const type = body === undefined ? {} : { "Content-Type": "application/json" };
      const sent = { method, headers: { ...headers, ...type }, ...(body === undefined ? {} : { body }) };
      return (await fetch(`${subject.running.url}${path}`, sent)).status;
    };
    assert.equal(await bare("GET /%74hings/1%2Ejson"), 200);
    const old = { Version: "2026-01-01" };
    assert.equal(await bare("GET /things/1/old.json", old), 200);
    assert.equal(await bare("GET /things/1.json", old), 404);
    assert.equal(await bare("POST /parts/", old, '{"thing":1}'), 201);
    assert.equal(await bare("POST /parts", old, '{"thing":1}'), 404);
    const page = await send("GET /things/?limit=1", undefined);
    assert.equal(page.status, 200);
    const paths = openapi(subject.running.plan, subject.running.url)["paths"] as Record<string, unknown>;
    for (const path of [
      "/things/",
      "/things/{id}.json",
      "/things/{id}:shut",
      "/things/{id}/",
      "/things/t-{thing}/parts/",
    ])
      assert(Object.hasOwn(paths, path), path);
  });
}

test("a path that no request could be made to is refused where it is", () => {
  const refused = [
    "/things//{id}",
    "/things/../{id}",
    "/./things",
    "/caf%C3%A9/{id}",
    "/things/{id}.{id2}",
    "/things/{id",
  ];
  for (const path of refused) {
    const text = documentOf({ endpoints: { endpoints: { getThing: `GET ${path}`, addThing: "POST /things" } } });
    const codes = check("things.md", text)
      .diagnostics.filter(({ severity }) => severity === "error")
      .map(({ code }) => code);
    assert(codes.includes("endpoints/bad-path"), `${path}: ${codes.join(", ")}`);
  }
});

test("two paths that one address can mean are told apart by their fixed text", () => {
  const rows: readonly (readonly [string, string, boolean])[] = [
    ["/things/{id}", "/things/{id}.json", false],
    ["/things/{id}.xml", "/things/{id}.json", false],
    ["/things/{id}.json", "/things/a-{id}", true],
    ["/things/a.json", "/things/{id}.json", false],
    ["/things/a.json/{x}", "/things/{id}.json/y", true],
    ["/things/{id}", "/things/{id}/", false],
  ];
  for (const [one, other, meets] of rows) {
    const endpoints = {
      one: { at: `POST ${one}`, does: "handler" },
      other: { at: `POST ${other}`, does: "handler" },
      addThing: "POST /things",
    };
    const { diagnostics } = check("things.md", documentOf({ endpoints: { endpoints } }));
    assert.equal(
      diagnostics.some(({ code }) => code === "endpoints/ambiguous-path"),
      meets,
      `${one} ${other}`,
    );
  }
});
