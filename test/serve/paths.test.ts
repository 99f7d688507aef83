/**
 * Request targets and paths (R4.1, R4.3, R4.7): no path is read as another one, and too long or malformed ones are rejected,
 * including invalid bytes.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { documentText, play, served } from "./scenario.ts";
import { addTool, once, people, toolLibrary } from "./tool-library.ts";

served("paths", toolLibrary, (subject) => {
  const who = people(subject);
  const get = (path: string) => ({ method: "GET", path, headers: who.keeper });

  // As it is: those who read what was recorded do not decode.
  const raw = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${who.keeper.Authorization}\r\n\r\n`;

  play(subject, [
    { name: "R4.1 an unknown path is 404", send: () => get("/hammers"), status: 404, code: "not-found" },
    { name: "R4.1 and so is the root", send: () => get("/"), status: 404, code: "not-found" },
    { name: "R4.3 paths are case-sensitive", send: () => get("/Tools"), status: 404 },
    { name: "R4.3 a slash at the end is another path", send: () => get("/tools/"), status: 404 },
    { name: "R4.3 and so is one at the start", send: () => get("//tools"), status: 404 },
    { name: "R4.3 dots are not resolved", send: () => get("/livez/../tools"), status: 404 },
    { name: "R4.3 dots below a record are not either", send: () => get("/tools/.."), status: 404 },
    { name: "R4.3 an escaped letter is that letter", send: () => raw("/%74ools"), status: 200 },
    { name: "R4.3 an escaped slash does not part segments", send: () => get("/tools%2Ftol_x"), status: 404 },
    { name: "R4.3 an invalid escape is 400", send: () => get("/tools/%zz"), status: 400, faults: ["bad-path"] },
    { name: "R4.3 half an escape is 400", send: () => get("/tools/%4"), status: 400, faults: ["bad-path"] },
    { name: "R4.3 bytes that are not UTF-8 are 400", send: () => get("/tools/%ff"), status: 400, faults: ["bad-path"] },
    { name: "R4.3 an overlong NUL is 400", send: () => get("/tools/%c0%80"), status: 400, faults: ["bad-path"] },
    { name: "R4.3 NUL is 400", send: () => get("/tools/%00"), status: 400, faults: ["bad-path"] },
    { name: "R4.3 a line feed is 400", send: () => get("/tools/a%0ab"), status: 400, faults: ["bad-path"] },
    { name: "R4.3 DEL is 400", send: () => get("/tools/%7f"), status: 400, faults: ["bad-path"] },
    { name: "R4.3 a C1 control is 400", send: () => get("/tools/%c2%85"), status: 400, faults: ["bad-path"] },
    { name: "R4.3 also where the path is unknown", send: () => get("/nothing/%00"), status: 400 },
    { name: "R4.3 also without a credential", send: { method: "GET", path: "/tools/%00" }, status: 400 },
    {
      name: "R4.3 NUL in the query is 400",
      send: () => get("/tools?name=%00"),
      status: 400,
      faults: ["name bad-escape"],
    },
    { name: "R4.3 an invalid escape in the query is 400", send: () => get("/tools?name=%e0%80"), status: 400 },
    {
      name: "R4.3 a target of 8 KiB is taken",
      send: () => get(`/tools?${"x".repeat(8192 - 7)}`),
      status: 400,
      code: "invalid-request",
    },
    {
      name: "R4.3 one byte more is 414",
      send: () => get(`/tools?${"x".repeat(8192 - 6)}`),
      status: 414,
      code: "uri-too-long",
      headers: { Connection: "close" },
    },
    {
      name: "R4.3 414 also where the parser gives up, not 431",
      send: `GET /${"x".repeat(30_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
      status: 414,
      code: "uri-too-long",
      headers: { Connection: "close" },
    },
    {
      name: "R4.3 headers of more than 16 KiB are 431",
      send: `GET /tools HTTP/1.1\r\nHost: x\r\nA: ${"a".repeat(17_000)}\r\n\r\n`,
      status: 431,
      code: "headers-too-large",
    },
    {
      name: "R4.3 431 also where the parser gives up",
      send: `GET /tools HTTP/1.1\r\nHost: x\r\nA: ${"a".repeat(60_000)}\r\n\r\n`,
      status: 431,
      code: "headers-too-large",
      headers: { Connection: "close" },
    },
    {
      name: "R4.3 431 for many small ones",
      send: `GET /tools HTTP/1.1\r\nHost: x\r\n${"a:b\r\n".repeat(4200)}\r\n`,
      status: 431,
    },
    {
      name: "R4.3 the two thousand and first header counts like the first",
      send: () => `GET /tools HTTP/1.1\r\nHost: x\r\n${"a:b\r\n".repeat(2100)}Authorization: Bearer wrong\r\n\r\n`,
      status: 401,
    },
    {
      name: "R4.3 a whole address is a target too (RFC 9112 section 3.2.2)",
      send: () =>
        `GET http://tools.example/tools?limit=1 HTTP/1.1\r\nHost: tools.example\r\nAuthorization: ${who.keeper.Authorization}\r\n\r\n`,
      status: 200,
    },
    { name: "R4.3 a target that is neither is 400", send: `GET tools HTTP/1.1\r\nHost: x\r\n\r\n`, status: 400 },
    { name: "R4.3 nor is *, but for OPTIONS", send: `GET * HTTP/1.1\r\nHost: x\r\n\r\n`, status: 400 },
    { name: "R2.1 an id of another type is not found", send: () => get("/tools/rem_01"), status: 404 },
    { name: "R4.3 a name of Object's prototype is no path", send: () => get("/__proto__"), status: 404 },
    { name: "R4.3 nor one of its methods", send: () => get("/tools/constructor"), status: 404 },
  ]);

  for (const [what, target, fields, status] of [
    ["a long target", 30_000, 0, 414],
    ["a target that is too long by little", 8193, 0, 414],
    ["a long target, and fields to fill all that is left", 9000, 16_000, 414],
    ["a long target, and long fields", 9000, 30_000, 414],
    ["long fields", 10, 30_000, 431],
    ["fields that are too long by little", 10, 16_400, 431],
    ["the longest target, and long fields", 8192, 30_000, 431],
    ["more than anybody keeps", 10, 90_000, 431],
  ] as const) {
    for (const [how, line] of [
      ["one long field", `A: ${"a".repeat(Math.max(fields - 20, 0))}`],
      ["many fields", "Name: value\r\n".repeat(fields / 11).trim()],
    ] as const) {
      for (const size of [1000, 7919]) {
        test(`R4.3 ${what} in ${how}: ${status}, in pieces of ${size} bytes`, async () => {
          using connection = await subject.client.open();
          const text = `GET ${"/x".padEnd(target, "x")} HTTP/1.1\r\nHost: x\r\n${line}\r\n\r\n`;
          for (let at = 0; at < text.length; at += size) {
            connection.write(text.slice(at, at + size));
            await new Promise((resolve) => setImmediate(resolve));
          }
          const reply = await connection.next();
          assert.equal(reply?.status, status);
        });
      }
    }
  }

  test("R4.7 below a record: what is added there belongs to it", async () => {
    const [one, other] = [await addTool(subject, who.member), await addTool(subject, who.member)];
    const remark = await subject.client.send({
      method: "POST",
      path: `${one.path}/remarks`,
      headers: { ...who.member, ...once() },
      body: { body: "sharp" },
    });
    assert.equal(remark.status, 201);
    assert.partialDeepStrictEqual(remark.json, { tool: one.id, author: "mia" });
    assert.match(remark.headers["location"] ?? "", /^\/remarks\/rem_/);
    const listed = await subject.client.send(get(`${one.path}/remarks`));
    assert.equal((listed.json as { items: unknown[] }).items.length, 1);
    const elsewhere = await subject.client.send(get(`${other.path}/remarks`));
    assert.deepEqual(elsewhere.json, { items: [], next: null });
    const nowhere = await subject.client.send(get(`/tools/tol_no/remarks`));
    assert.equal(nowhere.status, 404);
  });
});

served("paths below a base", documentText("pantries"), (subject) => {
  const at = (path: string) => ({ method: "GET", path });
  play(subject, [
    { name: "the service is below its base", send: at("/v1/pantries"), status: 200 },
    { name: "and nowhere else", send: "GET /pantries HTTP/1.1\r\nHost: x\r\n\r\n", status: 404 },
    { name: "R1.2 health stays at the root", send: at("/livez"), status: 200 },
    { name: "a base alone is no path", send: at("/v1"), status: 404 },
    { name: "R4.3 a counted id is a whole number", send: at("/v1/pantries/cellar/jars/one"), status: 404 },
    { name: "R4.3 without leading zeros", send: at("/v1/pantries/cellar/jars/01"), status: 404 },
  ]);

  const put = (id: string, body: unknown, headers = {}) =>
    subject.client.send({ method: "PUT", path: `/v1/pantries/${id}`, headers, body });

  for (const [id, path] of [
    ["a/b", "a%2Fb"],
    ["a%2Fb", "a%252Fb"],
    ["ein Glas", "ein%20Glas"],
    ["küche", "k%C3%BCche"],
    ["50%", "50%25"],
    ["a?b#c", "a%3Fb%23c"],
  ] as const) {
    test(`R4.3 an id may be any text: ${id}`, async () => {
      const made = await put(path, { opened: "2026-01-01", name: id });
      assert.equal(made.status, 201, made.text);
      assert.partialDeepStrictEqual(made.json, { id, name: id });
      assert.equal(made.headers["location"], `/v1/pantries/${encodeURIComponent(id)}`);
      const read = await subject.client.send(at(made.headers["location"] ?? ""));
      assert.equal(read.text, made.text);
    });
  }

  test("R4.7 PUT creates with 201 and replaces with 200; what is left out is gone", async () => {
    const made = await put("larder", { opened: "2026-01-01", name: "Larder", note: "cold" });
    assert.equal(made.status, 201);
    assert.equal(made.headers["location"], "/v1/pantries/larder");
    assert.deepEqual(made.json, { id: "larder", opened: "2026-01-01", name: "Larder", note: "cold", jars: 0 });
    const again = await put("larder", { opened: "2026-01-01", name: "The larder" });
    assert.equal(again.status, 200);
    assert.equal(again.headers["location"], undefined);
    assert.deepEqual(again.json, { id: "larder", opened: "2026-01-01", name: "The larder", jars: 0 });
    const read = await subject.client.send(at("/v1/pantries/larder"));
    assert.equal(read.text, again.text);
    const back = await put("larder", read.json);
    assert.equal(back.status, 200, "R2.4 what was read can be sent back");
    assert.equal(back.headers["etag"], read.headers["etag"], "R4.8 and changes nothing");
  });

  test("R2.4 PUT of another id, or of a field that stays as it was made", async () => {
    const other = await put("attic", { id: "cellar", opened: "2026-01-01", name: "Attic" });
    assert.equal(other.status, 422, other.text);
    assert.equal((await subject.client.send(at("/v1/pantries/attic"))).status, 404);
    await put("attic", { opened: "2026-01-01", name: "Attic" });
    const later = await put("attic", { opened: "2026-01-02", name: "Attic" });
    assert.equal(later.status, 422, later.text);
    assert.deepEqual(
      (later.json as { errors: { pointer: string; code: string }[] }).errors.map(({ pointer, code }) => [
        pointer,
        code,
      ]),
      [["#/opened", "read-only"]],
    );
  });

  test("R4.7 POST with an id of the client's own, and 409 for the second", async () => {
    const post = () =>
      subject.client.send({
        method: "POST",
        path: "/v1/pantries",
        body: { id: "shed", opened: "2026-01-01", name: "Shed" },
      });
    assert.equal((await post()).status, 201);
    const again = await post();
    assert.equal(again.status, 409);
    assert.partialDeepStrictEqual(again.json, { code: "already-exists", errors: [{ pointer: "#/id" }] });
  });

  test("R4.7 a path binds parent and child: another parent's child is not found", async () => {
    await put("one", { opened: "2026-01-01", name: "One" });
    await put("two", { opened: "2026-01-01", name: "Two" });
    const jar = await subject.client.send({
      method: "POST",
      path: "/v1/pantries/one/jars",
      body: { label: "plums", grams: 400 },
    });
    assert.equal(jar.status, 201, jar.text);
    const { id } = jar.json as { id: number };
    assert.equal(jar.headers["location"], `/v1/pantries/one/jars/${id}`);
    assert.equal((await subject.client.send(at(`/v1/pantries/one/jars/${id}`))).status, 200);
    assert.equal((await subject.client.send(at(`/v1/pantries/two/jars/${id}`))).status, 404);
    const elsewhere = { method: "DELETE", path: `/v1/pantries/two/jars/${id}` };
    assert.equal((await subject.client.send(elsewhere)).status, 404);
    assert.equal((await subject.client.send(at(`/v1/pantries/one/jars/${id}`))).status, 200, "still there");
    assert.equal((await subject.client.send({ ...elsewhere, path: `/v1/pantries/one/jars/${id}` })).status, 204);
  });
});
