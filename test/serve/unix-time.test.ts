/** Moments as Unix time: integers in JSON, moments in expressions; no fraction, no text and no year outside 0001 to 9999. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Json } from "../../src/base/json.ts";
import { documentOf } from "../enforced/document.ts";
import { faultsOf, serve, served } from "./scenario.ts";
import { newest, servedVersions } from "./versions/of-versions.ts";

const text = documentOf({
  resources: {
    Charge: {
      id: "id(cha)",
      note: "string(..20) = a",
      "dueAt?": "datetime(seconds), filter, sort",
      "exactAt?": "datetime(milliseconds), filter",
      paidAt: "datetime(seconds) | null = null",
      since: "datetime(seconds) = 2026-01-01T00:00:00Z",
      created: "datetime(seconds) = now, read-only, filter, sort",
      changedAt: "datetime(milliseconds) = now on change, read-only",
      next: "datetime(seconds) := since + duration('36h')",
      "again?": "datetime(seconds) := dueAt == null ? null : timestamp('2026-01-01T00:00:00.900Z'), filter",
    },
    rules: { Charge: "dueAt == null || dueAt > since else too-early" },
    views: {
      Receipt: {
        of: "Charge",
        fields: ["id", "dueAt", "created"],
        moment: "datetime(milliseconds) := since",
        text: "datetime := since",
        times: "Times",
      },
      Times: { of: "Charge", "due?": "datetime(seconds) := dueAt" },
    },
  },
  states: { Charge: { states: ["open", "late"], start: "open", final: "none", moves: { "open -> late": "at dueAt" } } },
  errors: { errors: { "too-early": "409 Too early" } },
  endpoints: {
    endpoints: {
      addCharge: { at: "POST /charges", requests: { media: ["application/json", "application/x-www-form-urlencoded"] } },
      getCharge: { at: "GET /charges/{id}", headers: { "X-Created": "created", "X-Since": "since" } },
      getReceipt: { at: "GET /charges/{id}/receipt", of: "Charge", gives: { receipt: "Receipt", at: "since" } },
      changeCharge: "PATCH /charges/{id}",
      putCharge: "PUT /charges/{id}",
      listCharges: { at: "GET /charges", filters: { before: "dueAt < value", at: { type: "datetime(seconds)[](..3)", if: "value.exists(v, v == since)" } } },
      move: { at: "POST /moves", does: "handler", takes: { at: "datetime(seconds)", "all?": "datetime(seconds)[]" }, gives: { at: "datetime(milliseconds)", kind: "string" } },
    },
  },
}); // biome-ignore format: a table

const options = {
  functions: {
    move: ({ input }: { readonly input: unknown }) => {
      const { at, all } = input as { readonly at: number; readonly all?: readonly number[] };
      return { at: at * 1000 + 1, kind: [typeof at, ...(all ?? []).map((one) => typeof one)].join() };
    },
  },
};

const due = 1_900_000_000;
const first = -62_135_596_800;
const last = 253_402_300_799;

served(
  "moments as Unix time",
  text,
  (subject) => {
    const send = async (method: string, path: string, body?: Json) => {
      const reply = await subject.client.send({
        method,
        path,
        ...(body === undefined ? {} : { body: body as object }),
      });
      return { ...reply, json: reply.json as Record<string, Json> };
    };
    const add = async (body: Json): Promise<Record<string, Json>> => {
      const made = await send("POST", "/charges", body);
      assert.equal(made.status, 201, made.text);
      return made.json;
    };

    test("requests and responses have integers, also defaults, computed members and header fields", async () => {
      const began = Math.floor(Date.now() / 1000);
      const made = await add({ dueAt: due, exactAt: 1_900_000_000_123 });
      const { created, changedAt, id } = made as { created: number; changedAt: number; id: string };
      const since = 1_767_225_600;
      assert.deepEqual([made["dueAt"], made["exactAt"], made["paidAt"]], [due, 1_900_000_000_123, null]);
      assert.deepEqual([made["since"], made["next"], made["again"]], [since, since + 36 * 3600, since]);
      assert(Number.isInteger(created) && created >= began && created <= began + 60, String(created));
      assert(Number.isInteger(changedAt) && Math.floor(changedAt / 1000) === created, String(changedAt));
      const read = await send("GET", `/charges/${id}`);
      assert.deepEqual(read.json, made);
      assert.deepEqual([read.headers["x-created"], read.headers["x-since"]], [String(created), String(since)]);
      const { json } = await send("GET", `/charges/${id}/receipt`);
      const times = { moment: since * 1000, text: "2026-01-01T00:00:00.000Z", times: { due } };
      assert.deepEqual(json, { receipt: { id, dueAt: due, created, ...times }, at: since });
    });

    test("a record that was read can be sent back, and a patch changes a moment", async () => {
      const made = await add({ dueAt: due, paidAt: 7 });
      const path = `/charges/${made["id"] as string}`;
      const put = await send("PUT", path, { ...made, note: "b" });
      assert.deepEqual([put.status, put.json["note"], put.json["created"]], [200, "b", made["created"]]);
      const wrong = await send("PUT", path, { ...put.json, created: (made["created"] as number) - 1 });
      assert.deepEqual([wrong.status, ...faultsOf(wrong)], [422, "#/created read-only"]);
      const patched = await send("PATCH", path, { dueAt: due + 1, paidAt: null });
      assert.deepEqual([patched.json["dueAt"], patched.json["paidAt"]], [due + 1, null]);
      assert.equal((await send("PATCH", path, { dueAt: 1 })).status, 409);
    });

    for (const [value, code] of [
      [1.5, "wrong-type"],
      ["1900000000", "wrong-type"],
      ["2030-01-01T00:00:00Z", "wrong-type"],
      [first - 1, "too-small"],
      [last + 1, "too-large"],
      [true, "wrong-type"],
    ] as const)
      test(`${JSON.stringify(value)} is no moment`, async () => {
        const reply = await send("POST", "/charges", { exactAt: value as Json, paidAt: value as Json });
        assert.equal(reply.status, 422, reply.text);
        assert(faultsOf(reply).includes(`#/paidAt ${code}`), reply.text);
      });

    test("the first and the last moment", async () => {
      const made = await add({ paidAt: first, exactAt: last * 1000 + 999 });
      assert.deepEqual([made["paidAt"], made["exactAt"]], [first, last * 1000 + 999]);
      const read = await send("GET", `/charges/${made["id"] as string}`);
      assert.deepEqual([read.json["paidAt"], read.json["exactAt"]], [first, last * 1000 + 999]);
    });

    test("filters, ranges, orders and cursors", async () => {
      for (const [index, at] of [5, 3, 4, 1, 2].entries()) await add({ note: `f${index}`, dueAt: 2_000_000_000 + at });
      const found = async (query: string, cursor = ""): Promise<readonly number[]> => {
        const reply = await send("GET", `/charges?${query}${cursor}`);
        assert.equal(reply.status, 200, reply.text);
        const items = reply.json["items"] as readonly Record<string, number>[];
        const next = reply.json["next"] as string | null;
        const own = items.map((item) => (item["dueAt"] ?? 0) - 2_000_000_000);
        const more = next === null ? [] : await found(query, `&cursor=${next}`);
        return [...own, ...more];
      };
      assert.deepEqual(await found("dueAt=2000000003"), [3]);
      assert.deepEqual(await found("dueAt[gte]=2000000003&dueAt[lt]=2000000005&sort=dueAt&limit=1"), [3, 4]);
      assert.deepEqual(await found("dueAt[gt]=2000000000&sort=-dueAt&limit=2"), [5, 4, 3, 2, 1]);
      assert.deepEqual(await found("dueAt[in]=2000000001,2000000005&sort=dueAt"), [1, 5]);
      assert.deepEqual(await found("before=2000000002&dueAt[gt]=2000000000"), [1]);
      assert.equal((await found("at=1767225600,5&dueAt[gt]=2000000000")).length, 5);
      const made = await add({ dueAt: 2_000_000_009 });
      assert.deepEqual(await found(`created=${made["created"] as number}&dueAt=2000000009`), [9]);
      for (const query of [
        "dueAt=1.5",
        "dueAt=2026-01-01T00:00:00Z",
        "dueAt=",
        `dueAt=${last + 1}`,
        "at=a",
        "at=99999999999999",
      ])
        assert.equal((await send("GET", `/charges?${query}`)).status, 400, query);
    });

    test("a form sends digits", async () => {
      const headers = { "Content-Type": "application/x-www-form-urlencoded" };
      const reply = await subject.client.send({ method: "POST", path: "/charges", headers, body: `dueAt=${due}` });
      assert.equal(reply.status, 201, reply.text);
      assert.equal((reply.json as Record<string, Json>)["dueAt"], due);
    });

    test("a handler has integers, too", async () => {
      const reply = await send("POST", "/moves", { at: 5, all: [6] });
      assert.deepEqual([reply.status, reply.json], [200, { at: 5001, kind: "number,number" }]);
      assert.deepEqual(faultsOf(await send("POST", "/moves", { at: "5" })), ["#/at wrong-type"]);
    });
  },
  options as never,
);

const versioned = documentOf({
  resources: {
    Charge: { id: "id(cha)", paidAt: "datetime(seconds), filter", "dueAt?": "datetime", "day?": "datetime(seconds)" },
  },
  endpoints: { endpoints: { addCharge: "POST /charges", getCharge: "GET /charges/{id}", listCharges: "GET /charges" } },
  versioning: {
    scheme: "dated",
    sent: "header Version",
    absent: "newest",
    versions: {
      "2026-02-01": [
        "retype Charge.paidAt, was datetime, seen as paidAt before, taken as value before",
        "retype Charge.dueAt, was datetime(milliseconds), seen as dueAt + duration('1h') before, taken as value - duration('1h') before",
        "remove Charge.isOld: boolean, seen as paidAt < timestamp('2020-01-01T00:00:00Z') before",
        "require Charge.day, taken as 2026-01-01T00:00:00Z before",
      ],
      "2026-01-01": "first",
    },
  },
}).replace("day?", "day"); // biome-ignore format: a table

servedVersions("moments as Unix time in versions", versioned, (ask) => {
  test("an older version has another form of a moment", async () => {
    const at = "2026-05-06T07:08:09.000Z";
    const seconds = Date.parse(at) / 1000;
    const body = { paidAt: at, dueAt: (seconds + 3600) * 1000, isOld: true };
    const made = await ask("POST /charges", { body });
    assert.equal(made.status, 201, made.text);
    const { id } = made.json as { id: string };
    assert.deepEqual(made.json, { id, ...body, day: 1_767_225_600, isOld: false });
    const now = await ask(`GET /charges/${id}`, { version: newest });
    assert.deepEqual(now.json, { id, paidAt: seconds, dueAt: at, day: 1_767_225_600 });
    assert.deepEqual((await ask(`GET /charges/${id}`)).json, made.json);
    for (const [query, version, count] of [
      [`paidAt=${at}`, "2026-01-01", 1],
      [`paidAt[gt]=${at}`, "2026-01-01", 0],
      [`paidAt=${seconds}`, newest, 1],
    ] as const) {
      const found = await ask(`GET /charges?${query}`, { version });
      assert.equal((found.json as { items?: unknown[] }).items?.length, count, `${query} ${found.text}`);
    }
    assert.equal((await ask(`GET /charges?paidAt=${seconds}`)).status, 400);
    assert.equal((await ask(`GET /charges?paidAt=${at}`, { version: newest })).status, 400);
  });
});

test("stored moments stay when their form changes, without the fraction that JSON no longer shows", async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "unix-time-"));
  context.after(() => rmSync(folder, { recursive: true }));
  const forms = ["datetime", "datetime(milliseconds)", "datetime(seconds)", "integer", "datetime(seconds)", "datetime"];
  const expected = ["2026-05-06T07:08:09.900Z", 1_778_051_289_900, 1_778_051_289, 1_778_051_289, 1_778_051_289, "2026-05-06T07:08:09.000Z"];
  let path = "/things";
  for (const [index, form] of forms.entries()) {
    const text = documentOf({ resources: { Thing: { id: "id(thi)", name: "string(1..9) = a", at: `${form}, filter` } } });
    await using subject = await serve(text, { store: "sqlite", file: join(folder, "data.db") });
    if (index === 0) {
      const made = await subject.client.send({ method: "POST", path, body: { at: expected[0] as string } });
      path = `/things/${(made.json as { id: string }).id}`;
    }
    const found = await subject.client.send({ method: "GET", path });
    assert.equal((found.json as { at: Json }).at, expected[index], form);
    const listed = await subject.client.send({ method: "GET", path: `/things?at=${String(expected[index])}` });
    assert.equal((listed.json as { items: unknown[] }).items.length, 1, form);
  }
}); // biome-ignore format: a table
