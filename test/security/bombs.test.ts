/** Requests that try to cost much more than their size: the service serves or rejects each for about the usual cost. */
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { createClient, type Sent } from "../serve/client.ts";
import { documentOf } from "../enforced/document.ts";
import { run } from "../serve/running.ts";
import { assertLittleWork, served, stores } from "../serve/scenario.ts";
import { addTool, aTool, once, people, toolLibrary } from "../serve/tool-library.ts";

const many = (count: number, make: (index: number) => string, between = ""): string =>
  Array.from({ length: count }, (_, index) => make(index)).join(between);

served("bombs of JSON", toolLibrary.replace("request: 16KB", "request: 1MB"), (subject) => {
  const who = people(subject);
  const deep = (levels: number): string => `{"name":${"[".repeat(levels)}${"]".repeat(levels)}}`;
  const bodies: readonly (readonly [what: string, body: string | Buffer, status: number])[] = [
    ["nested 65 levels deep", deep(64), 400],
    ["nested as deep as a body can be", "[".repeat(60_000), 400],
    ["objects nested as deep", `${'{"a":'.repeat(12_000)}1${"}".repeat(12_000)}`, 400],
    ["many thousand members that there are not", `{${many(6000, (index) => `"m${index}":1`, ",")}}`, 422],
    ["one member many thousand times", `{${many(6000, () => '"name":1', ",")}}`, 400],
    ["members that look alike", '{"name":"a","\\u006eame":"b"}', 400],
    ["names of a prototype", '{"__proto__":{"name":"a"},"constructor":{"prototype":{}}}', 422],
    ["a number of many digits", `{"price":${"9".repeat(60_000)}}`, 422],
    ["a number beyond all numbers", '{"price":1e400}', 422],
    ["a number with a long exponent", `{"price":1e${"9".repeat(60_000)}}`, 422],
    ["a fraction without end", `{"price":0.${"1".repeat(60_000)}}`, 422],
    ["one text", `{"name":"${"a".repeat(60_000)}"}`, 422],
    ["a text of escapes", `{"name":"${"\\u0061".repeat(10_000)}"}`, 422],
    ["half of a surrogate pair", '{"name":"\\ud800"}', 400],
    ["a pair the wrong way round", '{"name":"\\udc00\\ud800"}', 400],
    ["bytes that are not UTF-8", Buffer.from([0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x7d]), 400],
    ["UTF-16", Buffer.from(JSON.stringify(aTool()), "utf16le"), 400],
    ["a byte order mark", `\ufeff${JSON.stringify(aTool())}`, 400],
    ["two values", "{}{}", 400],
    ["a comment", "{/* */}", 400],
    ["not a number", '{"price":NaN}', 400],
    ["blanks", " ".repeat(60_000), 400],
    ["a list of many thousand lists", `{"tags":[${many(20_000, () => "[]", ",")}]}`, 422],
    ["half a million faults", `{"tags":[${"0,".repeat(500_000)}0]}`, 422],
    ["a hundred thousand members that there are not", `{${many(80_000, (index) => `"m${index}":1`, ",")}}`, 422],
    ["a hundred thousand names in a part of it", `{"maker":{${many(80_000, (index) => `"m${index}":1`, ",")}}}`, 422],
  ];
  for (const [what, body, status] of bodies) {
    test(`R2.5 a body of ${what} is ${status}`, async () => {
      const headers = { ...who.member, ...once(), "Content-Type": "application/json" };
      const before = process.threadCpuUsage();
      const reply = await subject.client.send({ method: "POST", path: "/tools", headers, body });
      assertLittleWork(before, 2000);
      assert.equal(reply.status, status, reply.text.slice(0, 300));
      assert(reply.text.length < 60_000, `${reply.text.length} bytes are answered`);
    });
  }

  test("R4.5 a body that unpacks to a thousand times its size is not unpacked", async () => {
    const body = gzipSync(Buffer.alloc(50_000_000, 0x20));
    for (const coding of ["gzip", "br", "deflate", "x-gzip", "gzip, gzip", "identity, gzip", "zstd"]) {
      const headers = { ...who.member, ...once(), "Content-Type": "application/json", "Content-Encoding": coding };
      const before = process.threadCpuUsage();
      const reply = await subject.client.send({ method: "POST", path: "/tools", headers, body });
      assertLittleWork(before, 1000);
      assert.equal(reply.status, 415, `${coding}: ${reply.text}`);
    }
  });

  const fields: readonly (readonly [what: string, sent: (id: string) => Partial<Sent>])[] = [
    ["thousands of tags to match", () => ({ headers: { "If-None-Match": many(3000, (index) => `"${index}"`, ",") } })],
    ["a tag that never ends", () => ({ headers: { "If-None-Match": `"${"x".repeat(15_000)}` } })],
    ["thousands of media types", () => ({ headers: { Accept: many(1500, (index) => `a/b${index};q=0.1`, ",") } })],
    ["parameters of a media type", () => ({ headers: { Accept: `a/b${";a=\"b\"".repeat(2000)}` } })],
    ["thousands of codings", () => ({ headers: { "Accept-Encoding": many(1500, (index) => `x${index};q=0`, ",") } })],
    ["thousands of ranges", () => ({ headers: { Range: `bytes=${many(2000, (index) => `${index}-`, ",")}` } })],
    ["blanks in a credential's field", () => ({ headers: { Authorization: `Bearer ${" ".repeat(15_000)}x` } })],
    ["thousands of cookies", () => ({ headers: { Cookie: many(2000, (index) => `a${index}=b`, "; ") } })],
    ["a forwarded address without end", () => ({ headers: { "X-Forwarded-For": many(1500, () => "1.2.3.4", ",") } })],
    ["thousands of parameters", () => ({ path: `/tools?${many(1300, (index) => `p${index}=1`, "&")}` })],
    ["one parameter many times", () => ({ path: `/tools?${many(1300, () => "kind=hand", "&")}` })],
    ["a filter of thousands of values", () => ({ path: `/tools?kind[in]=${many(1500, () => "hand", ",")}` })],
    ["an order by thousands of fields", () => ({ path: `/tools?sort=${many(1200, (index) => (index % 2 ? "name" : "-name"), ",")}` })],
    ["brackets", () => ({ path: `/tools?a${"[".repeat(4000)}${"]".repeat(4000)}=1` })],
    ["escapes", () => ({ path: `/tools?name=${"%25".repeat(2500)}` })],
    ["segments", () => ({ path: "/a".repeat(4000) })],
    ["dots", () => ({ path: `/tools${"/..".repeat(2500)}` })],
    ["a cursor that is long", () => ({ path: `/tools?cursor=${"A".repeat(8000)}` })],
    ["a trace's state", () => ({ headers: { traceparent: `00-${"a".repeat(15_000)}`, tracestate: many(2000, () => "a=b", ",") } })],
  ]; // biome-ignore format: a table
  for (const [what, change] of fields) {
    test(`R4.3 ${what}: answered, and for little`, async () => {
      const { path } = await addTool(subject, who.member);
      const { headers, ...more } = change(path);
      const before = process.threadCpuUsage();
      const reply = await subject.client.send({ method: "GET", path, ...more, headers: { ...who.member, ...headers } });
      assertLittleWork(before, 500);
      assert(reply.status < 500, reply.text);
      subject.running.pass(61_000);
    });
  }
});

const evil = [
  "^(a+)+$",
  "^(a|aa)+$",
  "^(a|a?)+$",
  "^(.*a){20}$",
  "^(([a-z])+.)+[A-Z]([a-z])+$",
  "^(a*)*b$",
  "^([a-zA-Z0-9]+)*$",
];
const hostile = `${"a".repeat(9000)}!`;

const patterns = documentOf({
    resources: {
      Thing: {
        id: "id(thi)",
        title: "string(1..9999), filter",
        ...Object.fromEntries(evil.map((pattern, index) => [`p${index}?`, `string(..9999) /${pattern}/`])),
        "schema?": { schema: { type: "object", properties: Object.fromEntries(evil.map((pattern, index) => [`s${index}`, { type: "string", pattern }])), patternProperties: { "^(x+x+)+y$": { type: "integer" } } } },
        like: `boolean := ${evil.map((pattern) => `title.matches('${pattern}')`).join(" || ")}, filter`,
      },
      rules: { Thing: "!title.matches('^(b+)+$') || title.size() < 5 else odd" },
    },
    endpoints: {
      endpoints: {
        addThing: "POST /things",
        getThing: "GET /things/{id}",
        listThings: "GET /things",
      },
    },
    errors: { errors: { odd: "422 That is odd" } },
  }); // biome-ignore format: one field

for (const store of stores) {
  test(`R2.8 patterns of fields, of schemas and of expressions take linear time (${store})`, async () => {
    // Not by `served`, whose recording judges by patterns of JavaScript.
    await using running = await run(patterns, { store });
    using client = createClient(running.port, () => {});
    const fields = Object.fromEntries(evil.map((_, index) => [`p${index}`, hostile]));
    const schema = Object.fromEntries(evil.map((_, index) => [`s${index}`, hostile]));
    const bodies = [
      { title: "t", ...fields },
      { title: "t", schema },
      { title: "t", schema: { [`${"x".repeat(9000)}!`]: 1 } },
      ...["a", "b"].map((letter) => ({ title: `${letter.repeat(9000)}!` })),
    ];
    const before = process.threadCpuUsage();
    for (const body of bodies) {
      const reply = await client.send({ method: "POST", path: "/things", body });
      assert([201, 422].includes(reply.status), reply.text.slice(0, 200));
    }
    const reply = await client.send({ method: "GET", path: "/things" });
    assert.equal(reply.status, 200, reply.text);
    assertLittleWork(before, 4000);
    assert.deepEqual(running.failures, []);
  });
}

served(
  "bombs of forms",
  documentOf({
    resources: { Thing: { id: "id(thi)", name: "string(1..9)", "photo?": "file(..1KB, text/*)" } },
    endpoints: {
      endpoints: { addThing: "POST /things", getThing: "GET /things/{id}", getPhoto: "GET /things/{id}/photo" },
    },
    limits: { size: { request: "64KB" } },
  }),
  (subject) => {
    const part = (name: string, value: string): string =>
      `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const forms: readonly (readonly [what: string, body: string])[] = [
      ["thousands of parts", `${many(1000, (index) => part(`p${index}`, "x"))}--b--\r\n`],
      ["one part many times", `${many(1000, () => part("name", "x"))}--b--\r\n`],
      ["a part with thousands of fields", `--b\r\n${many(2000, (index) => `X-${index}: y\r\n`)}\r\n\r\n--b--\r\n`],
      ["a name without end", part("n".repeat(50_000), "x")],
      ["nothing but boundaries", "--b\r\n".repeat(9000)],
      ["boundaries that nearly are", `--b\r\nContent-Disposition: form-data; name="name"\r\n\r\n${"\r\n--".repeat(12_000)}`],
      ["parts called as a prototype", `${part("__proto__", "x")}${part("constructor", "x")}${part("__proto__[name]", "x")}--b--\r\n`],
    ]; // biome-ignore format: a table
    for (const [what, body] of forms) {
      test(`R8.8 a form of ${what} is refused, and for little`, async () => {
        const headers = { "Content-Type": "multipart/form-data; boundary=b" };
        const before = process.threadCpuUsage();
        const reply = await subject.client.send({ method: "POST", path: "/things", headers, body });
        assertLittleWork(before, 1000);
        assert(reply.status >= 400 && reply.status < 500, `${reply.status} ${reply.text.slice(0, 200)}`);
      });
    }
  },
);

test("R4.21 a head that comes byte by byte costs no more than its bytes do", async () => {
  await using running = await run(toolLibrary, {});
  using client = createClient(running.port, () => {});
  using connection = await client.open();
  const head = `GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${"a: b\r\n".repeat(2000)}\r\n`;
  const before = process.threadCpuUsage();
  for (const byte of head) {
    connection.write(byte);
    // Or several would come in one packet.
    await setImmediate();
  }
  assert.equal((await connection.next())?.status, 200);
  assertLittleWork(before, 5000);
});
