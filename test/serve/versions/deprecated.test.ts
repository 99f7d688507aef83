/** Deprecated operations, fields and members (R9.5): responses announce it, operations end at their sunset, fields stay. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../src/base/json.ts";
import { check } from "../../../src/language/check.ts";
import { openapi } from "../../../src/export/openapi/openapi.ts";
import { crud, documentOf, things, type Parts } from "../../enforced/document.ts";
import { createClient } from "../client.ts";
import { planOf, run } from "../running.ts";
import { stores } from "../scenario.ts";

const guide = "https://docs.example/things";

const document = (versioning: Parts["versioning"]): string =>
  documentOf({
    resources: things({ "count?": "integer(0..900), filter", "label?": "string(1..40)" }),
    endpoints: { endpoints: { ...crud, listThings: { at: "GET /things", query: { "deep?": "boolean" } } } },
    errors: {},
    ...(versioning === undefined ? {} : { versioning }),
  });

const ending = document({
  scheme: "none",
  deprecated: {
    getThing: { since: "2026-09-01", sunset: "2099-01-01", guide },
    "Thing.count": { since: "2026-09-01", sunset: "2027-01-01" },
    "listThings.deep": { since: "2026-09-01" },
  },
});

for (const store of stores) {
  void test(`every response of a deprecated operation announces its end, and no other (${store})`, async () => {
    await using running = await run(ending, { store });
    using client = createClient(running.port, () => {});
    const made = await client.send({ method: "POST", path: "/things", body: { count: 1 } });
    const path = String(made.headers["location"]);
    const rows: readonly (readonly [string, string, number, boolean])[] = [
      ["GET", path, 200, true],
      ["GET", "/things/thi_nobody", 404, true],
      ["GET", `${path}?nonsense=1`, 400, true],
      ["HEAD", path, 200, true],
      ["GET", "/things", 200, false],
      ["DELETE", "/things/thi_nobody", 404, false],
      ["GET", "/nothing", 404, false],
    ];
    for (const [method, target, status, announced] of rows) {
      const { headers, ...reply } = await client.send({ method, path: target });
      assert.equal(reply.status, status, `${method} ${target}: ${reply.text}`);
      assert.equal(headers["deprecation"], announced ? "@1788220800" : undefined, `${method} ${target}`);
      assert.equal(headers["sunset"], announced ? "Thu, 01 Jan 2099 00:00:00 GMT" : undefined);
      const link = `<${guide}>; rel="deprecation"; type="text/html"`;
      assert.equal(String(headers["link"] ?? "").includes(link), announced);
    }

    running.pass(Date.parse("2099-01-01") - running.now());
    const gone = await client.send({ method: "GET", path });
    assert.equal(gone.status, 410);
    assert.equal((gone.json as { code: string }).code, "operation-gone");
    assert.equal(gone.headers["sunset"], "Thu, 01 Jan 2099 00:00:00 GMT");
    // The deprecated field is past its sunset too, and loses nothing.
    const list = await client.send({ method: "GET", path: "/things?count=1" });
    assert.equal((list.json as { items: { count: number }[] }).items[0]?.count, 1);
    const again = await client.send({ method: "POST", path: "/things", body: { count: 2 } });
    assert.equal(again.status, 201);
    assert.deepEqual(running.failures, []);
  });
}

void test("a version and an operation that are both deprecated: the earlier dates, and both guides", async () => {
  const text = document({
    scheme: "dated",
    sent: "header X-Version",
    absent: "newest",
    versions: { "2026-09-01": ["rename Thing.amount -> count"], "2026-03-01": "first" },
    deprecated: {
      "2026-03-01": { since: "2026-09-01", sunset: "2098-01-01", guide: "https://docs.example/old" },
      listThings: { since: "2026-10-01", sunset: "2099-01-01", guide },
      "Thing.count": { since: "2026-10-01" },
    },
  });
  await using running = await run(text);
  using client = createClient(running.port, () => {});
  const headersOf = async (version: string) =>
    (await client.send({ method: "GET", path: "/things", headers: { "X-Version": version } })).headers;
  const [old, now] = [await headersOf("2026-03-01"), await headersOf("2026-09-01")];
  assert.deepEqual(
    [old["deprecation"], old["sunset"]],
    [`@${Date.parse("2026-09-01") / 1000}`, "Wed, 01 Jan 2098 00:00:00 GMT"],
  );
  assert.deepEqual(
    [now["deprecation"], now["sunset"]],
    [`@${Date.parse("2026-10-01") / 1000}`, "Thu, 01 Jan 2099 00:00:00 GMT"],
  );
  assert.match(String(old["link"]), /docs\.example\/things>.*docs\.example\/old>/);

  // The older version has the field by its older name.
  const older = running.plan.versions?.list[1]?.older?.received;
  assert.ok(older !== undefined);
  assert.deepEqual(deprecatedMembers(openapi(older, "http://x"), "Thing"), ["amount"]);
  assert.deepEqual(deprecatedMembers(openapi(running.plan, "http://x"), "Thing"), ["count"]);
});

void test("an operation ends for older versions too, at the path that they know", async () => {
  const text = document({
    scheme: "dated",
    sent: "header X-Version",
    absent: "newest",
    versions: { "2026-09-01": ["path listThings, was GET /things/all"], "2026-03-01": "first" },
    deprecated: { listThings: { since: "2026-10-01", sunset: "2099-01-01", guide } },
  });
  await using running = await run(text);
  using client = createClient(running.port, () => {});
  const status = async () =>
    (await client.send({ method: "GET", path: "/things/all", headers: { "X-Version": "2026-03-01" } })).status;
  assert.equal(await status(), 200);
  running.pass(Date.parse("2099-01-01") - running.now());
  assert.equal(await status(), 410);
});

void test("a version without the operation announces nothing of it, and has no status of it", async () => {
  const text = documentOf({
    resources: things({}),
    endpoints: {
      endpoints: {
        ...crud,
        newest: { at: "GET /newest/{id}", of: "Thing", does: "read", status: { "not-found": "410" } },
      },
    },
    errors: {},
    versioning: {
      scheme: "dated",
      sent: "header X-Version",
      absent: "pinned",
      versions: { "2026-09-01": ["add newest"], "2026-03-01": "first" },
      deprecated: { newest: { since: "2026-10-01", sunset: "2099-01-01", guide } },
    },
  });
  for (const store of stores) {
    await using running = await run(text, { store });
    using client = createClient(running.port, () => {});
    const authorization = `Bearer ${await running.key("ann", "member")}`;
    await running.store.pins.pin("key", "ann", "2026-03-01");
    const rows: readonly (readonly [Readonly<Record<string, string>>, number, boolean])[] = [
      [{ "X-Version": "2026-09-01" }, 410, true],
      [{ "X-Version": "2026-03-01" }, 404, false],
      [{}, 410, true],
      // The version of this caller is known only after the operation was looked for.
      [{ authorization }, 404, false],
    ];
    for (const [headers, status, announced] of rows) {
      const reply = await client.send({ method: "GET", path: "/newest/thi_nobody", headers });
      assert.equal(reply.status, status, JSON.stringify(headers));
      assert.equal(reply.headers["sunset"] !== undefined, announced, JSON.stringify(headers));
      assert.equal(String(reply.headers["link"] ?? "").includes(guide), announced);
    }
    assert.deepEqual(running.failures, []);
  }
});

void test("a conflict names no operation after its sunset", async () => {
  const text = documentOf({
    resources: things({}),
    states: {
      Thing: {
        states: ["open", "shut", "kept"],
        start: "open",
        final: "none",
        moves: { "open -> shut": "by shut", "open -> kept": "by keep", "shut -> open": "by reopen" },
      },
    },
    endpoints: {
      endpoints: {
        ...crud,
        shut: "POST /things/{id}/shut",
        keep: "POST /things/{id}/keep",
        reopen: "POST /things/{id}/reopen",
      },
    },
    errors: {},
    versioning: { scheme: "none", deprecated: { keep: { since: "2026-09-01", sunset: "2099-01-01" } } },
  });
  await using running = await run(text);
  using client = createClient(running.port, () => {});
  const made = await client.send({ method: "POST", path: "/things", body: {} });
  const movesNow = async () => {
    const { json } = await client.send({ method: "POST", path: `${String(made.headers["location"])}/reopen` });
    return (json as { moves: string[] }).moves;
  };
  assert.deepEqual(await movesNow(), ["shut", "keep"]);
  running.pass(Date.parse("2099-01-01") - running.now());
  assert.deepEqual(await movesNow(), ["shut"]);
});

function deprecatedMembers(description: JsonObject, component: string): readonly string[] {
  const { schemas } = description["components"] as { readonly schemas: Readonly<Record<string, JsonObject>> };
  const properties = schemas[component]?.["properties"] as Readonly<Record<string, JsonObject>>;
  return Object.entries(properties).flatMap(([name, { deprecated }]) => (deprecated === true ? [name] : []));
}

void test("OpenAPI says that a parameter of a wire is deprecated, and the service accepts it as before", async () => {
  const text = documentOf({
    resources: things({}),
    endpoints: {
      endpoints: {
        ...crud,
        report: {
          at: "GET /reports/{day}",
          does: "handler",
          wire: {
            path: { day: "date" },
            query: { "page[size]?": "integer(1..100)", "deep?": "boolean" },
            header: { "X-Trace?": "string(1..20)" },
            answers: { 200: "json" },
          },
        },
      },
    },
    errors: {},
    versioning: {
      scheme: "none",
      deprecated: { "report.page[size]": { since: "2026-09-01", sunset: "2027-01-01", guide }, "report.X-Trace": { since: "2026-09-01" } },
    },
  }); // biome-ignore format: a document
  assert.deepEqual(
    check("wire.md", text).diagnostics.filter(({ severity }) => severity === "error"),
    [],
  );
  const functions = { report: ({ input }: { readonly input: unknown }) => ({ status: 200, body: input }) };
  await using running = await run(text, { functions });
  using client = createClient(running.port, () => {});
  const paths = openapi(running.plan, "http://x")["paths"] as Readonly<
    Record<string, Readonly<Record<string, JsonObject>>>
  >;
  const parameters = paths["/reports/{day}"]?.["get"]?.["parameters"] as readonly JsonObject[];
  assert.deepEqual(
    parameters.map(({ deprecated = false, name }) => [name, deprecated]),
    [["day", false], ["page[size]", true], ["deep", false], ["X-Trace", true]],
  ); // biome-ignore format: a table
  const schema = parameters.find(({ name }) => name === "page[size]")?.["schema"] as JsonObject;
  assert.equal(schema["x-sunset"], "2027-01-01");
  const path = "/reports/2026-09-01?page%5Bsize%5D=5";
  const reply = await client.send({ method: "GET", path, headers: { "X-Trace": "a" } });
  assert.deepEqual(reply.json, { path: { day: "2026-09-01" }, query: { "page[size]": 5 }, header: { "X-Trace": "a" } });
  const wrong = await client.send({ method: "GET", path: path.replace("=5", "=500") });
  assert.equal(wrong.status, 400);
  assert.deepEqual(running.failures, []);
  const codesOf = (changed: string): readonly string[] =>
    check("wire.md", changed).diagnostics.flatMap(({ code }) => (code.includes("/deprecated-") ? [code] : []));
  assert.ok(codesOf(text.replace("report.X-Trace", "report.X-Trase")).includes("versioning/deprecated-unknown"));
  assert.ok(
    codesOf(text.replace('"X-Trace?"', "X-Trace").replace("X-Trace?:", "X-Trace:")).includes(
      "versioning/deprecated-required",
    ),
  );
});

void test("OpenAPI says that a member of a view is deprecated, also one that the view has from its resource", () => {
  const text = documentOf({
    resources: {
      ...things({ "count?": "integer(0..900)", "label?": "string(1..40)" }),
      views: { Short: { of: "Thing", fields: ["id", "label", "count"], "double?": "integer := count * 2" } },
    },
    endpoints: {
      endpoints: { ...crud, short: { at: "GET /short/{id}", of: "Thing", gives: "Short" }, addShort: { at: "POST /short", takes: "Short", of: "Thing" } },
    },
    errors: {},
    versioning: {
      scheme: "none",
      deprecated: { "Short.label": { sunset: "2099-01-01" }, "Short.double": { since: "2026-09-01" }, "Thing.count": { since: "2026-09-01" } },
    },
  }); // biome-ignore format: a document
  const { diagnostics } = check("view.md", text);
  assert.deepEqual(
    diagnostics.filter(({ severity }) => severity === "error"),
    [],
  );
  const description = openapi(planOf(text), "http://x");
  assert.deepEqual(deprecatedMembers(description, "Short"), ["label", "count", "double"]);
  assert.deepEqual(deprecatedMembers(description, "Thing"), ["count"]);
  assert.deepEqual(deprecatedMembers(description, "AddShortInput"), ["label", "count"]);
  const unknown = check("view.md", text.replace("Short.label", "Short.lable")).diagnostics;
  assert.ok(unknown.some(({ code }) => code === "versioning/deprecated-unknown"));
});

void test("OpenAPI says what is deprecated, and of nothing else", async () => {
  await using running = await run(ending);
  const description = openapi(running.plan, "http://x");
  const paths = description["paths"] as Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;
  assert.deepEqual(deprecatedMembers(description, "Thing"), ["count"]);
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  assert.deepEqual(
    operations.flatMap(({ deprecated, operationId, "x-sunset": end }) => (deprecated ? [[operationId, end]] : [])),
    [["getThing", "2099-01-01"]],
  );
  const responses = Object.values(
    paths["/things/{id}"]?.["get"]?.["responses"] as Readonly<Record<string, JsonObject>>,
  );
  assert.ok(responses.every(({ headers }) => Object.hasOwn(headers as object, "Sunset")));
  const parameters = paths["/things"]?.["get"]?.["parameters"] as readonly JsonObject[];
  const deprecated = parameters.flatMap((one) => (one["deprecated"] === true ? [one["name"]] : []));
  assert.deepEqual(
    deprecated.filter((name) => !JSON.stringify(name).includes("[")),
    ["deep", "count"],
  );
  assert.deepEqual(running.failures, []);
});
