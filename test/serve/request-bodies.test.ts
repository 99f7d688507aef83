/** Bodies over HTTP (R2.2 to R2.7, R4.5, R4.6, R7.2): one response lists all violations, and a rejected request has no effect. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertLittleWork, perform, play, served } from "./scenario.ts";
import type { Scenario } from "./scenario.ts";
import { addTool, aTool, once, people, toolLibrary } from "./tool-library.ts";

served("bodies", toolLibrary, (subject) => {
  const who = people(subject);
  const headers = () => ({ ...who.member, ...once(), "Content-Type": "application/json" });
  const posts = (name: string, body: string | Buffer, status: number, ...faults: string[]): Scenario => ({
    name: `${name} is ${status}`,
    send: () => ({ method: "POST", path: "/tools", headers: headers(), body }),
    status,
    ...(status === 201 ? {} : { code: "invalid-request", faults }),
    ...(status === 201 ? {} : { lacks: ["SyntaxError", "position"] }),
  });
  /** A good body with some of its JSON text put in by hand. */
  const text = (members: string) =>
    JSON.stringify(aTool()).replace(/^\{"name":"[^"]*","kind":"hand","price":12.5,"stock":3,/, `{${members},`);
  const base = (members: string) =>
    `{"name":"b${Math.random()}","kind":"hand","price":1,"stock":1,"note":null${members}}`;
  const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;

  play(subject, [
    posts("R4.5 an empty body", "", 400, "# bad-json"),
    posts("R4.5 white space", " \n", 400, "# bad-json"),
    posts("R2.5 half a body", '{"name":', 400, "# bad-json"),
    posts("R2.5 two values", "{} {}", 400, "# bad-json"),
    posts("R2.5 a comment", "{} // so", 400, "# bad-json"),
    posts("R2.5 a comma at the end", '{"name":"x",}', 400, "# bad-json"),
    posts("R2.5 single quotes", "{'name':'x'}", 400, "# bad-json"),
    posts("R2.5 NaN", base(',"rating":NaN'), 400, "# bad-json"),
    posts("R2.5 a byte order mark", `\ufeff${base("")}`, 400, "# bad-json"),
    posts("R2.5 UTF-16", Buffer.from(base(""), "utf16le"), 400, "# bad-json"),
    posts("R2.5 bytes that are not UTF-8", Buffer.from(base("").replace("hand", "h\xffnd"), "latin1"), 400, "# bad-json"),
    posts("R2.5 a member twice", base(',"stock":2'), 400, "# bad-json"),
    posts("R2.5 a member twice, once escaped", base(',"st\\u006fck":2'), 400, "# bad-json"),
    posts("R2.5 a member twice further down", base(',"maker":{"name":"a","country":"NO","name":"b"}'), 400, "# bad-json"),
    posts("R2.5 half a surrogate pair", base(',"tags":["\\ud83d"]'), 400, "# bad-json"),
    posts("R2.5 the other half", base(',"tags":["\\udd28x"]'), 400, "# bad-json"),
    posts("R2.5 half a pair in a name", base(',"\\ud83d":1'), 400, "# bad-json"),
    posts("R2.5 a whole pair", base(',"tags":["\\ud83d\\udd28"]'), 201),
    posts("R2.5 the same name in two objects", base(',"maker":{"name":"a","country":"NO"}'), 201),
    posts("R2.5 a quote in a name that looks like two", base(',"tags":["\\"name\\":"]'), 201),
    posts("R2.5 65 levels", `{"name":${nested(64)}}`, 400, "# bad-json"),
    posts("R2.5 16 thousand levels", nested(8000), 400, "# bad-json"),
    posts("R7.2 a list", "[]", 422, "# wrong-type"),
    posts("R7.2 null", "null", 422, "# wrong-type"),
    posts("R7.2 a text", '"{}"', 422, "# wrong-type"),
    posts("R7.2 a number", "5", 422, "# wrong-type"),
    posts("R7.2 a list of bodies", `[${base("")}]`, 422, "# wrong-type"),
    posts("R2.3 an extra member", base(',"hammer":1'), 422, "#/hammer unknown-field"),
    posts("R2.3 an extra member further down", base(',"maker":{"name":"a","country":"NO","x":1}'), 422, "#/maker/x unknown-field"),
    posts("R7.2 an extra member with a slash", base(',"a/b~c d":1'), 422, "#/a~1b~0c%20d unknown-field"),
    posts("R2.5 __proto__", base(',"__proto__":{"kind":"power"}'), 422, "#/__proto__ unknown-field"),
    posts("R2.5 constructor", base(',"constructor":{}'), 422, "#/constructor unknown-field"),
    posts("R2.5 __proto__ further down", base(',"maker":{"name":"a","country":"NO","__proto__":{}}'), 422, "#/maker/__proto__ unknown-field"),
    posts("R2.3 a number as text", base("").replace('"stock":1', '"stock":"1"'), 422, "#/stock wrong-type"),
    posts("R2.3 a text as number", base("").replace('"kind":"hand"', '"kind":1'), 422, "#/kind wrong-type"),
    posts("R2.3 a boolean as number", base(',"open":1'), 422, "#/open wrong-type"),
    posts("R2.3 a list as one", base(',"tags":"a"'), 422, "#/tags wrong-type"),
    posts("R2.3 a whole number with a fraction of nothing", base("").replace('"stock":1', '"stock":1.0'), 201),
    posts("R2.3 half a whole number", base("").replace('"stock":1', '"stock":1.5'), 422, "#/stock wrong-type"),
    posts("R2.6 the largest integer", base("").replace('"stock":1', '"stock":9007199254740991'), 201),
    posts("R2.6 the smallest", base("").replace('"stock":1', '"stock":-9007199254740991'), 201),
    posts("R2.6 one more", base("").replace('"stock":1', '"stock":9007199254740992'), 422, "#/stock too-large"),
    posts("R2.6 two more", base("").replace('"stock":1', '"stock":9007199254740993'), 422, "#/stock too-large"),
    posts("R2.6 one less", base("").replace('"stock":1', '"stock":-9007199254740993'), 422, "#/stock too-large"),
    posts("R2.6 also deep inside", base(',"tags":["a",12345678901234567890]'), 422, "#/tags/1 too-large"),
    posts("R2.6 a number that is none", base(',"rating":1e400'), 422, "#/rating too-large"),
    posts("R2.6 a large one that is", base(',"rating":1e300'), 201),
    posts("R2.6 sixteen digits as a decimal", base("").replace('"price":1', '"price":1.234567890123456'), 422, "#/price wrong-format"),
    posts("R2.7 NUL in a text", base(',"tags":["a\\u0000"]'), 422, "#/tags/0 wrong-pattern"),
    posts("R2.7 length in code points", base(',"tags":["🔨🔨🔨🔨🔨🔨🔨🔨🔨🔨🔨🔨🔨🔨🔨🔨🔨🔨🔨🔨"]'), 201),
    posts("R2.7 one too many", base(',"tags":["🔨🔨🔨🔨🔨🔨🔨🔨🔨🔨🔨🔨🔨🔨🔨🔨🔨🔨🔨🔨🔨"]'), 422, "#/tags/0 too-long"),
    posts("R2.2 null for what may be absent", base(',"rating":null'), 422, "#/rating wrong-type"),
    posts("R2.4 a field of the service's own", base(',"id":"tol_1","state":"lent","lends":3'), 422, "#/id read-only", "#/lends read-only", "#/state read-only"),
    posts("R7.2 all faults at once", '{"kind":"x","price":-1,"stock":"2","more":1}', 422, "#/kind not-one-of", "#/more unknown-field", "#/name required", "#/note required", "#/price too-small", "#/stock wrong-type"),
  ]); // biome-ignore format: a table

  play(subject, [
    {
      name: "R7.2 at most a hundred faults",
      send: () => ({
        method: "POST",
        path: "/tools",
        headers: headers(),
        body: JSON.stringify(Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`x${at}`, at]))),
      }),
      status: 422,
      then: (reply) => assert.equal((reply.json as { errors: unknown[] }).errors.length, 100),
    },
    {
      name: "R4.5 a body on GET is 400, and the connection ends",
      send: () => ({ method: "GET", path: "/tools", headers: { ...who.member, "Content-Length": "2" }, body: "{}" }),
      status: 400,
      faults: ["# unexpected-body"],
      headers: { Connection: "close" },
    },
    {
      name: "R4.5 a chunked body on GET too",
      send: () =>
        `GET /tools HTTP/1.1\r\nHost: x\r\nAuthorization: ${who.member.Authorization}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      status: 400,
      faults: ["# unexpected-body"],
    },
    {
      name: "R4.5 a body on DELETE is 400 and deletes nothing",
      send: async () => {
        const tool = await addTool(subject, who.member);
        return {
          method: "DELETE",
          path: tool.path,
          headers: { ...who.member, ...once(), "If-Match": "*", "Content-Type": "application/json" },
          body: "{}",
        };
      },
      status: 400,
      faults: ["# unexpected-body"],
    },
    {
      name: "R4.5 Content-Length: 0 on GET is no body",
      send: () => ({ method: "GET", path: "/tools", headers: { ...who.member, "Content-Length": "0" } }),
      status: 200,
    },
    {
      name: "R4.5 an action without input takes an empty object",
      send: async () => {
        const tool = await addTool(subject, who.member);
        return { method: "POST", path: `${tool.path}/retire`, headers: headers(), body: "{}" };
      },
      status: 204,
    },
    {
      name: "R2.3 and no member",
      send: async () => {
        const tool = await addTool(subject, who.member);
        return { method: "POST", path: `${tool.path}/retire`, headers: headers(), body: '{"why":1}' };
      },
      status: 422,
      faults: ["#/why unknown-field"],
    },
    {
      name: "R4.6 a body of the limit's size is taken",
      send: () => ({ method: "POST", path: "/tools", headers: headers(), body: base("").padEnd(16_384) }),
      status: 201,
    },
    {
      name: "R4.6 one byte more is 413",
      send: () => ({ method: "POST", path: "/tools", headers: headers(), body: base("").padEnd(16_385) }),
      status: 413,
      code: "too-large",
      headers: { Connection: "close" },
    },
    {
      name: "R4.6 413 comes before the body does",
      send: () =>
        `POST /tools HTTP/1.1\r\nHost: x\r\nAuthorization: ${who.member.Authorization}\r\nIdempotency-Key: a\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n`,
      status: 413,
      headers: { Connection: "close" },
    },
    {
      name: "R4.6 an unknown expectation is 417",
      send: () =>
        `POST /tools HTTP/1.1\r\nHost: x\r\nExpect: 200-ok\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n`,
      status: 417,
      code: "expectation-failed",
      headers: { Connection: "close" },
    },
  ]);

  const expecting = (authorization: string, more = "") =>
    `POST /tools HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nIdempotency-Key: e${Math.random()}\r\nContent-Type: application/json\r\n${more}Expect: 100-continue\r\n`;

  for (const [status, sent] of [
    [401, () => `${expecting("Bearer tl_wrong")}Content-Length: 10\r\n\r\n`],
    [403, () => `${expecting(who.visitor.Authorization)}Content-Length: 10\r\n\r\n`],
    [406, () => `${expecting(who.member.Authorization, "Accept: text/html\r\n")}Content-Length: 10\r\n\r\n`],
    [413, () => `${expecting(who.member.Authorization)}Content-Length: 99999\r\n\r\n`],
    [415, () => `${expecting(who.member.Authorization).replace("/json", "/xml")}Content-Length: 10\r\n\r\n`],
  ] as const) {
    test(`R4.6 ${status} without 100, and the connection ends`, async () => {
      const replies = await subject.client.raw(sent());
      assert.deepEqual(
        replies.map((reply) => reply.status),
        [status],
      );
      assert.equal(replies[0]?.headers["connection"], "close");
    });
  }

  test("R4.6 100, then the answer, where the body is wanted", async () => {
    using connection = await subject.client.open();
    const body = base("");
    connection.write(`${expecting(who.member.Authorization)}Content-Length: ${body.length}\r\n\r\n`);
    assert.equal((await connection.next())?.status, 100);
    connection.write(body);
    const reply = await connection.next();
    assert.equal(reply?.status, 201, reply?.text ?? "");
    connection.write(`GET /livez HTTP/1.1\r\nHost: x\r\n\r\n`);
    assert.equal((await connection.next())?.status, 200, "the connection goes on");
  });

  test("R4.6 a chunked body is refused as soon as it is too large, the rest unread", async () => {
    using connection = await subject.client.open();
    connection.write(
      `POST /tools HTTP/1.1\r\nHost: x\r\nAuthorization: ${who.member.Authorization}\r\nIdempotency-Key: c\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    for (let at = 0; at < 5; at += 1) connection.write(`1000\r\n${"x".repeat(4096)}\r\n`);
    const reply = await connection.next();
    assert.equal(reply?.status, 413);
    assert.equal(reply.headers["connection"], "close");
    await connection.ended;
  });

  for (const [status, authorization, type] of [
    [401, () => "Bearer tl_nobody", "application/json"],
    [403, () => who.visitor.Authorization, "application/json"],
    [415, () => who.member.Authorization, "text/plain"],
    [400, () => who.member.Authorization, "application/json"],
  ] as const) {
    test(`R4.5 the body of a request that is ${status} is never taken for another request`, async () => {
      const smuggled = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n";
      const post = `POST /tools HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization()}\r\nIdempotency-Key: s${status}\r\nContent-Type: ${type}\r\n`;
      const last = "GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
      const chunked = `${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`;
      for (const body of [
        `Content-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
        `Transfer-Encoding: chunked\r\n\r\n${chunked}`,
      ]) {
        const replies = await subject.client.raw(`${post}${body}${last}`);
        assert.deepEqual(
          replies.map((reply) => reply.status),
          [status, 200],
        );
      }
    });
  }

  test("R4.6 whoever sends far too much still reads 413", async () => {
    for (let round = 0; round < 5; round += 1) {
      const reply = await subject.client.send({
        method: "POST",
        path: "/tools",
        headers: headers(),
        body: Buffer.alloc(8_000_000, 0x20),
      });
      assert.equal(reply.status, 413);
    }
  });

  test("R4.5 what was refused was not done", async () => {
    const reply = await subject.client.send({ method: "GET", path: "/tools?limit=50", headers: who.keeper });
    const names = (reply.json as { items: { name: string; state: string }[] }).items;
    assert(names.length > 5);
    assert(names.every(({ state }) => state === "shelved" || state === "retired"));
  });

  test("R2.5 a body of a hundred thousand small texts is read in linear time", async () => {
    const before = process.threadCpuUsage();
    await perform(subject, {
      name: "",
      send: () => ({
        method: "POST",
        path: "/tools",
        headers: headers(),
        body: text(`"tags":[${'"",'.repeat(5000)}""]`),
      }),
      status: 422,
    });
    assertLittleWork(before, 1000);
  });
});
