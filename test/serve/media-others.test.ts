/** Bodies in XML and in plain text, errors in plain text, and an error with status 200. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openapi } from "../../src/export/openapi/openapi.ts";
import { check } from "../../src/language/check.ts";
import { recordInto } from "../export/recorded.ts";
import { run } from "./running.ts";
import { stores } from "./scenario.ts";

const text = `
title: Stays
purpose: { nonet: 1, service: stays, operations: [addStay, getStay, listStays, changeStay, ping, state, removeStay] }
resources:
  Stay:
    id: id(counter)
    guest: string(1..20)
    nights: integer(1..30)
    paid?: boolean
    wishes?: "string(1..9)[](..3)"
    rooms?: map(integer)
states: none
endpoints:
  requests: { media: [application/json, application/xml, text/xml] }
  lists: none, bare array
  endpoints:
    addStay: { at: POST /stays, if: "input.nights != 13", else: superstitious }
    getStay: { at: "GET /stays/{id}", element: one-stay }
    listStays: GET /stays
    changeStay: "PATCH /stays/{id}"
    ping: { at: GET /ping, gives: { status: "'up & \\"well\\"'" }, requests: { media: text/plain } }
    state: { at: GET /state, gives: { hotel: { status: "'open'" } }, requests: { media: text/plain } }
    removeStay: { at: "DELETE /stays/{id}", gives: { name: guest }, requests: { media: [text/plain, application/json] } }
authentication:
  credentials: none
  allow: { addStay: anyone, getStay: anyone, listStays: anyone, changeStay: anyone, ping: anyone, state: anyone, removeStay: anyone }
events: none
errors: { body: "{status} {reason}: {message}", bodies: { superstitious: { no: "{title}" } }, standard: all, errors: { superstitious: 200 Not so many nights } }
limits: none
versioning: none
`;

test("plain text for a response that is not one text is reported", () => {
  const { diagnostics } = check("stays.yaml", text);
  assert.deepEqual(
    diagnostics.filter(({ code }) => code === "endpoints/not-one-text").map(({ message }) => message),
    ["`state` does not give one text, so its response is not `text/plain`"],
  );
});

for (const store of stores) {
  void describe(`other media types (${store})`, () => {
    void test("XML and plain text", async () => {
      await using service = await run(text, { store });
      const described = recordInto(openapi(service.plan, service.url));
      const send = async (request: string, headers: Readonly<Record<string, string>> = {}, body?: string) => {
        const [method = "GET", path = "/"] = request.split(" ");
        const reply = await fetch(service.url + path, { method, headers, ...(body === undefined ? {} : { body }) });
        const got = { status: reply.status, type: reply.headers.get("content-type"), text: await reply.text() };
        if (got.type?.includes("json") === true)
          described.check({ method, path }, { status: got.status, body: got.text, headers: [...reply.headers] });
        return got;
      };
      const xml = { "Content-Type": "text/xml" };
      const made = await send(
        "POST /stays",
        { ...xml, Accept: "application/json" },
        "<stay><guest>Ann &amp; Bo</guest><nights>3</nights><paid>true</paid><wishes>sea</wishes><rooms><a>1</a></rooms></stay>",
      );
      assert.deepEqual(made, {
        status: 201,
        type: "application/json",
        text: '{"id":1,"guest":"Ann & Bo","nights":3,"paid":true,"wishes":["sea"],"rooms":{"a":1}}',
      });
      for (const [body, status] of [
        ["<stay><guest>Bo</guest><nights>x</nights></stay>", 422],
        ["<stay><guest>Bo</guest><nights>3</nights><more/></stay>", 422],
        ["<stay><guest>Bo</guest><guest>Bo</guest><nights>3</nights></stay>", 422],
        [
          '<!DOCTYPE s [<!ENTITY x SYSTEM "file:///etc/passwd">]><stay><guest>&x;</guest><nights>3</nights></stay>',
          400,
        ],
        ["<stay><guest>&x;</guest><nights>3</nights></stay>", 400],
        ["<stay>", 400],
        ["{}", 400],
        ["<a>".repeat(100) + "</a>".repeat(100), 400],
        ["", 422],
      ] as const) {
        const reply = await send("POST /stays", xml, body);
        assert.deepEqual([reply.status, reply.type], [status, "text/plain; charset=utf-8"], `${body}: ${reply.text}`);
        assert.match(reply.text, /^4\d\d (?:Bad Request|Unprocessable Entity): /);
        assert.doesNotMatch(reply.text, /root:/);
      }
      assert.equal((await send("POST /stays", { "Content-Type": "application/soap+xml" }, "<a/>")).status, 415);
      const one = await send("GET /stays/1", { Accept: "application/xml" });
      assert.equal(one.type, "application/xml; charset=utf-8");
      assert.equal(
        one.text,
        "<?xml version='1.0'?>\n<one-stay>\n    <id>1</id>\n    <guest>Ann &amp; Bo</guest>\n    <nights>3</nights>\n    <paid>true</paid>\n    <wishes>sea</wishes>\n    <rooms>\n        <a>1</a>\n    </rooms>\n</one-stay>",
      );
      assert.equal((await send("GET /stays/1")).type, "application/json");
      const list = await send("GET /stays", { Accept: "text/xml" });
      assert.match(list.text, /<stays>\n {4}<stay>\n {8}<id>1<\/id>/);
      const patch = { ...xml, Accept: "text/xml" };
      assert.match((await send("PATCH /stays/1", patch, "<stay><paid/></stay>")).text, /^<\?xml[^]*<nights>3</);
      assert.doesNotMatch((await send("GET /stays/1")).text, /paid/);
      assert.deepEqual(await send("GET /ping"), {
        status: 200,
        type: "text/plain; charset=utf-8",
        text: 'up & "well"',
      });
      assert.equal((await send("GET /ping", { Accept: "application/json" })).text, '{"status":"up & \\"well\\""}');
      assert.equal((await send("GET /ping", { Accept: "image/png" })).status, 406);
      // The only member is an object, which is no text.
      assert.equal((await send("GET /state", { Accept: "text/plain" })).status, 406);
      assert.deepEqual(await send("GET /state"), {
        status: 200,
        type: "application/json",
        text: '{"hotel":{"status":"open"}}',
      });
      const json = { "Content-Type": "application/json" };
      const refused = await send("POST /stays", json, '{"guest":"Bo","nights":13}');
      assert.deepEqual(refused, { status: 200, type: "application/json", text: '{"no":"Not so many nights"}' });
      assert.deepEqual(await send("GET /stays/2"), {
        status: 404,
        type: "text/plain; charset=utf-8",
        text: "404 Not Found: Not found",
      });
      assert.deepEqual(await send("DELETE /stays/1"), {
        status: 200,
        type: "text/plain; charset=utf-8",
        text: "Ann & Bo",
      });
      assert.deepEqual(described.violations, []);
      assert.deepEqual(service.failures, []);
    });
  });
}
