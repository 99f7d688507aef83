/** Fields: the values that each type accepts and rejects; every operation returns accepted values unchanged. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertLittleWork, documentText, faultsOf, play, served } from "./scenario.ts";
import type { Scenario, Subject } from "./scenario.ts";

let count = 0;

function aSample(fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  count += 1;
  return { name: `s${count}`, nullable: null, ...fields };
}

async function add({ client }: Subject, fields: Readonly<Record<string, unknown>> = {}) {
  const reply = await client.send({ method: "POST", path: "/samples", body: aSample(fields) });
  assert.equal(reply.status, 201, reply.text);
  const json = reply.json as Record<string, unknown>;
  return { json, path: `/samples/${String(json["id"])}`, tag: reply.headers["etag"] ?? "" };
}

const many = (length: number): string => "x".repeat(length);

/** Field, value, and the value that comes back where it is another. */
const good: readonly (readonly [field: string, value: unknown, given?: unknown])[] = [
  ["body", ""],
  ["body", many(10_000)],
  ["silent", "ä\n\t\u0001\u007f\u2028\u{1f600}"],
  ["silent", '"\\</script>'],
  ["silent", "e\u0301 and é are two texts"],
  ["silent", "  kept  "],
  ["code", "ab"],
  ["code", "abcd"],
  ["hostile", "aaaa"],
  ["word", "unanchored 7"],
  ["size", "small"],
  ["mood", "calm"],
  ["mood", "anything else"],
  ["count", Number.MAX_SAFE_INTEGER],
  ["count", Number.MIN_SAFE_INTEGER],
  ["count", 0],
  ["dose", -5],
  ["ratio", 0],
  ["ratio", 1],
  ["ratio", 0.1],
  ["ratio", 1e-7],
  ["weight", 0.1],
  ["weight", 30],
  ["weight", 12.3456789012345],
  ["price", { amount: "12.50", currency: "EUR" }],
  ["price", { amount: "-0.01", currency: "NOK" }],
  ["exact", false],
  ["day", "2024-02-29"],
  ["hour", "23:59"],
  ["hour", "23:59:59"],
  ["at", "2026-01-01T01:00:00+01:00", "2026-01-01T00:00:00.000Z"],
  ["at", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000Z"],
  ["at", "2026-01-01t00:00:00.1239z", "2026-01-01T00:00:00.123Z"],
  ["length", "PT72H"],
  ["email", "a.b+c@example.org"],
  ["link", "https://example.org/a?b=c#d"],
  ["ref", "0190b2a1-0000-7000-8000-000000000000"],
  ["phone", "+4712345678"],
  ["country", "NO"],
  ["currency", "EUR"],
  ["language", "nb-NO"],
  ["timezone", "Europe/Oslo"],
  ["user", "anna"],
  ["blob", "AAECAw=="],
  ["any", { deep: [1, null, { "": false }] }],
  ["any", 0],
  ["any", "text"],
  ["any", false],
  ["any", []],
  ["list", ["a", "b"]],
  ["silentList", Array.from({ length: 1000 }, (_, index) => index)],
  ["silentList", []],
  ["grid", [[1, 2], []]],
  ["times", ["2026-01-01T01:00:00+01:00"], ["2026-01-01T00:00:00.000Z"]],
  ["map", { a: 1, "ø/~": 2 }],
  ["map", Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`k${index}`, 1]))],
  ["map", {}],
  ["box", { width: 1 }, { width: 1, depth: 4 }],
  [
    "box",
    { width: 1, depth: 2, label: "a", inner: { text: "t" } },
    { width: 1, depth: 2, label: "a", inner: { text: "t", loud: true } },
  ],
  [
    "box",
    { width: 1, depth: 2, packed: "2026-01-01T01:00:00+01:00" },
    { width: 1, depth: 2, packed: "2026-01-01T00:00:00.000Z" },
  ],
  [
    "boxes",
    [{ width: 1 }, { width: 2, depth: 3 }],
    [
      { width: 1, depth: 4 },
      { width: 2, depth: 3 },
    ],
  ],
  ["custom", { hs: "123456", free: { a: 1 } }],
  ["open", "abc"],
  ["nullable", null],
  ["nullable", "a"],
  ["both", null],
  ["both", "a"],
];

/** Field, value, faults. A pointer names the member itself. */
const bad: readonly (readonly [field: string, value: unknown, ...faults: string[]])[] = [
  ["name", 5, "#/name wrong-type"],
  ["name", "", "#/name too-short"],
  ["name", null, "#/name wrong-type"],
  ["name", many(11), "#/name too-long"],
  ["body", many(10_001), "#/body too-long"],
  ["silent", many(10_001), "#/silent too-long"],
  ["silent", "a\u0000b", "#/silent wrong-pattern"],
  ["silent", null, "#/silent wrong-type"],
  ["silent", ["a"], "#/silent wrong-type"],
  ["silent", true, "#/silent wrong-type"],
  ["code", "a", "#/code too-short"],
  ["code", "a1", "#/code wrong-pattern"],
  ["code", "ab\n", "#/code wrong-pattern"],
  ["hostile", `${"a".repeat(9_999)}!`, "#/hostile wrong-pattern"],
  ["word", "none", "#/word wrong-pattern"],
  ["size", "medium", "#/size not-one-of"],
  ["size", "Small", "#/size not-one-of"],
  ["mood", "", "#/mood too-short"],
  ["count", "5", "#/count wrong-type"],
  ["count", 1.5, "#/count wrong-type"],
  ["count", true, "#/count wrong-type"],
  ["dose", 6, "#/dose too-large"],
  ["dose", -6, "#/dose too-small"],
  ["ratio", "0.5", "#/ratio wrong-type"],
  ["ratio", -0.1, "#/ratio too-small"],
  ["weight", 0, "#/weight too-small"],
  ["weight", 1.2345678901234567, "#/weight wrong-format"],
  ["price", { amount: 12.5, currency: "EUR" }, "#/price/amount wrong-type"],
  ["price", { amount: "12,50", currency: "EUR" }, "#/price/amount wrong-pattern"],
  ["price", { amount: "1", currency: "XQQ" }, "#/price/currency wrong-format"],
  ["price", { amount: "1" }, "#/price/currency required"],
  ["price", { amount: "1.234", currency: "EUR" }, "#/price/amount wrong-format"],
  ["price", { amount: "1.5", currency: "JPY" }, "#/price/amount wrong-format"],
  ["price", { amount: "1.2345", currency: "KWD" }, "#/price/amount wrong-format"],
  ["price", { amount: "1.23456", currency: "EUR" }, "#/price/amount wrong-pattern"],
  ["price", { amount: "0x10", currency: "EUR" }, "#/price/amount wrong-pattern"],
  ["price", { amount: "1", currency: "EUR", tax: 1 }, "#/price/tax unknown-field"],
  ["exact", "true", "#/exact wrong-type"],
  ["exact", 1, "#/exact wrong-type"],
  ["day", "2023-02-29", "#/day wrong-format"],
  ["day", "2024-02-29T00:00:00Z", "#/day wrong-format"],
  ["hour", "24:00", "#/hour wrong-pattern"],
  ["at", "2026-01-01", "#/at wrong-format"],
  ["at", "2026-01-01T00:00:00", "#/at wrong-format"],
  ["at", "2026-01-01 00:00:00Z", "#/at wrong-format"],
  ["at", "2026-02-30T00:00:00Z", "#/at wrong-format"],
  ["length", "72 hours", "#/length wrong-format"],
  ["email", "a at b", "#/email wrong-format"],
  ["email", `${many(250)}@example.org`, "#/email too-long"],
  ["link", "no url", "#/link wrong-format"],
  ["link", "javascript:alert(1)", "#/link wrong-format"],
  ["link", "mailto:a@example.org", "#/link wrong-format"],
  ["link", "//example.org/a", "#/link wrong-format"],
  ["ref", "0190b2a1", "#/ref wrong-format"],
  ["phone", "12345", "#/phone wrong-pattern"],
  ["country", "XX", "#/country wrong-format"],
  ["country", "no", "#/country wrong-format"],
  ["currency", "EURO", "#/currency wrong-format"],
  ["language", "x_y", "#/language wrong-format"],
  ["timezone", "Oslo", "#/timezone wrong-format"],
  ["user", "", "#/user too-short"],
  ["blob", "AAEC?", "#/blob wrong-pattern"],
  ["blob", "AAECAwQFBgcI", "#/blob too-long"],
  ["list", [], "#/list too-few"],
  ["list", ["a", "b", "c"], "#/list too-many"],
  ["list", ["a", 1], "#/list/1 wrong-type"],
  ["list", ["a", "\u0000"], "#/list/1 wrong-pattern"],
  ["list", { 0: "a" }, "#/list wrong-type"],
  ["silentList", Array.from({ length: 1001 }, () => 1), "#/silentList too-many"],
  ["grid", [[10]], "#/grid/0/0 too-large"],
  ["grid", [1], "#/grid/0 wrong-type"],
  ["times", ["2026-01-01"], "#/times/0 wrong-format"],
  ["map", { a: "1" }, "#/map/a wrong-type"],
  ["map", { "a/b~c": 10 }, "#/map/a~1b~0c too-large"],
  ["map", { "a\u0000b": 1 }, "#/map/a%00b wrong-pattern"],
  ["map", { "": 1 }, "#/map/ too-short"],
  ["map", { [many(256)]: 1 }, `#/map/${many(256)} too-long`],
  ["map", Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`k${index}`, 1])), "#/map too-many"],
  ["box", {}, "#/box/width required"],
  ["box", { width: 1, height: 1 }, "#/box/height unknown-field"],
  ["box", { width: 1, inner: { text: "t", more: 1 } }, "#/box/inner/more unknown-field"],
  ["box", { width: 1, label: null }, "#/box/label wrong-type"],
  ["boxes", [{ width: 1 }, { width: "1" }], "#/boxes/1/width wrong-type"],
  ["custom", { hs: "12345" }, "#/custom/hs wrong-pattern"],
  ["custom", { hs: "123456", x: 1 }, "#/custom/x unknown-field"],
  ["open", "abcd", "#/open too-long"],
  ["nullable", "", "#/nullable too-short"],
  ["unheard", 1, "#/unheard unknown-field"],
  ["Name", "x", "#/Name unknown-field"],
  ["constructor", "x", "#/constructor unknown-field"],
  ["hasOwnProperty", 1, "#/hasOwnProperty unknown-field"],
  ["toString", "x", "#/toString unknown-field"],
];

served("fields", documentText("assay"), (subject) => {
  test("R2.2 R2.12 what each type takes comes back from create, read, list, PATCH and PUT alike", async () => {
    for (const [field, value, given = value] of good) {
      const made = await add(subject, { [field]: value });
      assert.deepEqual(made.json[field], given, field);
      const read = await subject.client.send({ method: "GET", path: made.path });
      assert.deepEqual((read.json as never)[field], given, field);
      assert.equal(read.headers["etag"], made.tag);
      const listed = await subject.client.send({ method: "GET", path: "/samples?limit=1" });
      assert.equal(listed.text.slice('{"items":['.length, -'],"next":null}'.length).split('],"next"')[0], read.text);
      const patched = await subject.client.send({ method: "PATCH", path: made.path, body: { [field]: value } });
      assert.equal(patched.status, 200, patched.text);
      assert.equal(patched.text, read.text, "R4.8 the same value again changes nothing");
      assert.equal(patched.headers["etag"], made.tag);
      const other = await add(subject);
      if (field === "name") continue;
      const changed = await subject.client.send({ method: "PATCH", path: other.path, body: { [field]: value } });
      assert.equal(changed.status, 200, changed.text);
      assert.deepEqual((changed.json as never)[field], given, `${field} by PATCH`);
      const put = await subject.client.send({
        method: "PUT",
        path: other.path,
        body: { nullable: null, [field]: value },
      });
      assert.equal(put.status, 200, put.text);
      assert.deepEqual((put.json as never)[field], given, `${field} by PUT`);
    }
  });

  test("R2.3 R2.6 R2.7 R7.2 what each type refuses is named, by create, PATCH and PUT, and nothing is kept", async () => {
    const kept = await add(subject);
    for (const [field, value, ...faults] of bad) {
      const label = `${field} ${JSON.stringify(value).slice(0, 60)}`;
      const made = await subject.client.send({ method: "POST", path: "/samples", body: aSample({ [field]: value }) });
      assert.equal(made.status, 422, `${label}: ${made.text}`);
      assert.deepEqual(faultsOf(made), faults.toSorted(), label);
      if (field === "name") continue;
      // In a merge patch null takes away.
      const clears = value === null || (field === "box" && (value as { label?: null }).label === null);
      if (!clears && !(field === "box" && Object.keys(value as object).length === 0)) {
        const patched = await subject.client.send({ method: "PATCH", path: kept.path, body: { [field]: value } });
        assert.equal(patched.status, 422, `${label}: ${patched.text}`);
        assert.deepEqual(faultsOf(patched), faults.toSorted(), label);
      }
      const put = await subject.client.send({
        method: "PUT",
        path: kept.path,
        body: { nullable: null, [field]: value },
      });
      assert.equal(put.status, 422, `${label}: ${put.text}`);
      assert.deepEqual(faultsOf(put), faults.toSorted(), label);
    }
    const after = await subject.client.send({ method: "GET", path: kept.path });
    assert.deepEqual(after.json, kept.json);
    assert.equal(after.headers["etag"], kept.tag);
  });

  for (const [field, value, detail] of [
    ["timezone", "Oslo", "timezone must be an IANA time zone such as Europe/Oslo"],
    ["country", "no", "country must be an ISO 3166-1 code of a country such as NO"],
    ["at", "soon", "at must be an instant such as 2026-01-31T12:00:00Z"],
    ["link", "x", "link must be an absolute http or https address"],
    ["phone", "12", "phone must be a phone number such as +4712345678"],
    ["hour", "24:00", "hour must be a time of day such as 09:30"],
    ["blob", "?", "blob must be base 64 with padding"],
    ["code", "a1", "code must match ^[a-z]+$"],
    ["weight", 0, "weight must be at least 0.1"],
    ["dose", 6, "dose must be at most 5"],
    ["list", ["a", "b", "c"], "list must have at most 2 items"],
    ["name", "", "name must have at least 1 character"],
    ["count", "5", "count must be a whole number"],
    ["price", { amount: "1.234", currency: "EUR" }, "price.amount has more digits after the point than its currency"],
    ["price", { amount: "a", currency: "EUR" }, "price.amount must be a decimal number such as 12.50"],
  ] as const) {
    test(`R7.2 it says: ${detail}`, async () => {
      const body = aSample({ [field]: value });
      const reply = await subject.client.send({ method: "POST", path: "/samples", body });
      assert.partialDeepStrictEqual(reply.json, { errors: [{ detail }] });
    });
  }

  test("R2.7 length counts code points", async () => {
    await add(subject, { list: ["\u{1f600}\u{1f600}\u{1f600}"] });
    const reply = await subject.client.send({
      method: "POST",
      path: "/samples",
      body: aSample({ list: ["\u{1f600}".repeat(4)] }),
    });
    assert.deepEqual(faultsOf(reply), ["#/list/0 too-long"]);
  });

  test("R2.8 a hostile pattern takes linear time", async () => {
    const before = process.threadCpuUsage();
    for (let i = 0; i < 5; i += 1) {
      const body = aSample({ hostile: `${"a".repeat(9_990 + i)}!` });
      const reply = await subject.client.send({ method: "POST", path: "/samples", body });
      assert.equal(reply.status, 422);
    }
    assertLittleWork(before, 2000);
  });

  const raw = (name: string, body: string, status: number, rest: Partial<Scenario> = {}): Scenario => ({
    name,
    send: () => ({ method: "POST", path: "/samples", headers: { "Content-Type": "application/json" }, body }),
    status,
    ...rest,
  });

  const readOnly = ["id", "state", "digits1", "token1", "uuid1", "number2", "made", "touched"];

  play(subject, [
    raw(
      "R2.6 an integer beyond 2^53 is refused, not rounded",
      `{"name":"big","nullable":null,"count":9007199254740993}`,
      422,
      {
        faults: ["#/count too-large"],
        lacks: ["9007199254740992"],
      },
    ),
    raw("R2.5 __proto__ is an unknown field", `{"name":"proto","nullable":null,"__proto__":{"size":"small"}}`, 422, {
      faults: ["#/__proto__ unknown-field"],
    }),
    raw(
      "R2.5 __proto__ in an embedded value is one too",
      `{"name":"proto","nullable":null,"box":{"width":1,"__proto__":{}}}`,
      422,
      {
        faults: ["#/box/__proto__ unknown-field"],
      },
    ),
    raw(
      "R2.5 __proto__ in free JSON is a member like any other",
      `{"name":"proto2","nullable":null,"any":{"__proto__":{"a":1}}}`,
      201,
      {
        then: (reply) => assert.match(reply.text, /"any":\{"__proto__":\{"a":1\}\}/),
      },
    ),
    raw("R2.2 what is required of the record is required of a body", `{}`, 422, {
      faults: ["#/name required", "#/nullable required"],
    }),
    raw("R7.2 every fault at once", `{"name":"","nullable":5,"dose":9,"x":1}`, 422, {
      faults: ["#/name too-short", "#/nullable wrong-type", "#/dose too-large", "#/x unknown-field"],
    }),
    ...readOnly.map(
      (field): Scenario => ({
        name: `R2.4 ${field} is the service's to give`,
        send: () => ({ method: "POST", path: "/samples", body: aSample({ [field]: "x" }) }),
        status: 422,
        faults: [`#/${field} read-only`],
        has: { detail: `${field} is set by the service` },
      }),
    ),
  ]);

  test("R2.2 defaults of every kind, null and absent", async () => {
    const { json } = await add(subject);
    assert.match(String(json["id"]), /^smp_[0-9a-z]{26}$/, "R2.1");
    assert.equal(json["state"], "noted");
    assert.equal(json["word1"], "hello");
    assert.equal(json["number1"], 7);
    assert.equal(json["flag1"], false);
    assert.deepEqual(json["list1"], ["a", "b"]);
    assert.equal(json["null1"], null);
    assert.equal(json["nullable"], null);
    assert.equal(json["both"], null, "`| null` is given as null");
    assert.match(String(json["digits1"]), /^[0-9]{6}$/);
    assert.match(String(json["token1"]), /^[A-Za-z0-9_-]{24}$/);
    assert.match(String(json["uuid1"]), /^[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.match(String(json["made"]), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.equal(json["touched"], json["made"]);
    for (const absent of ["body", "box", "map", "list", "any", "count", "pin"]) assert(!(absent in json), absent);
    const next = await add(subject);
    assert.equal(next.json["number2"], Number(json["number2"]) + 1);
    for (const random of ["digits1", "token1", "uuid1", "id"]) assert.notEqual(next.json[random], json[random], random);
  });

  test("R2.4 a record as it was read can be sent back by PATCH and PUT, and nothing changes", async () => {
    const made = await add(subject, { box: { width: 2 }, at: "2026-01-01T01:00:00+01:00" });
    for (const method of ["PATCH", "PUT"]) {
      const reply = await subject.client.send({ method, path: made.path, body: made.json });
      assert.equal(reply.status, 200, reply.text);
      assert.deepEqual(reply.json, made.json);
      assert.equal(reply.headers["etag"], made.tag);
    }
  });

  test("R5.9 a write of a field that nobody sees is a change, whether it had that value or not", async () => {
    const made = await add(subject, { pin: "1234" });
    let tag = made.tag;
    for (const method of ["PATCH", "PUT"]) {
      for (const pin of ["1234", "4321"]) {
        const reply = await subject.client.send({ method, path: made.path, body: { ...made.json, pin } });
        assert.equal(reply.status, 200, reply.text);
        assert.notEqual(reply.headers["etag"], tag);
        tag = reply.headers["etag"] ?? "";
        made.json["touched"] = (reply.json as Record<string, unknown>)["touched"];
        assert.deepEqual(reply.json, made.json);
      }
    }
  });

  test("R2.4 R3.1 another value of what the service sets is refused by PATCH and PUT", async () => {
    const made = await add(subject);
    for (const field of [...readOnly, "name"]) {
      for (const value of ["x", null, 5, { a: 1 }]) {
        for (const [method, body] of [
          ["PATCH", {}],
          ["PUT", { nullable: null }],
        ] as const) {
          const reply = await subject.client.send({ method, path: made.path, body: { ...body, [field]: value } });
          assert.equal(reply.status, 422, `${method} ${field} ${reply.text}`);
          assert.deepEqual(faultsOf(reply), [`#/${field} read-only`]);
        }
      }
    }
    const sealed = await subject.client.send({ method: "PATCH", path: made.path, body: { state: "sealed" } });
    assert.equal(sealed.status, 422);
    assert.deepEqual((await subject.client.send({ method: "GET", path: made.path })).json, made.json);
  });

  test("R2.5 PATCH and PUT know no __proto__ either", async () => {
    const made = await add(subject);
    for (const method of ["PATCH", "PUT"]) {
      const reply = await subject.client.send({
        method,
        path: made.path,
        headers: { "Content-Type": "application/json" },
        body: `{"nullable":null,"__proto__":{"size":"small"}}`,
      });
      assert.equal(reply.status, 422, reply.text);
      assert.deepEqual(faultsOf(reply), ["#/__proto__ unknown-field"]);
    }
  });

  test("R2.4 write-only fields are taken and never come back", async () => {
    const made = await add(subject, { pin: "s3cr3t" });
    const replies = [
      await subject.client.send({ method: "GET", path: made.path }),
      await subject.client.send({ method: "GET", path: "/samples" }),
      await subject.client.send({ method: "PATCH", path: made.path, body: { pin: "s3cr3t2" } }),
      await subject.client.send({ method: "PUT", path: made.path, body: { nullable: null, pin: "s3cr3t3" } }),
      await subject.client.send({ method: "GET", path: "/samples?pin=s3cr3t" }),
      await subject.client.send({ method: "GET", path: "/samples?sort=pin" }),
    ];
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200, 200, 200, 400, 400],
    );
    for (const reply of replies) assert.doesNotMatch(reply.text, /s3cr3t|"pin":/);
    assert(!("pin" in made.json));
  });

  test("R4.8 PATCH clears what may be absent, and nothing else", async () => {
    const made = await add(subject, {
      body: "b",
      box: { width: 1, label: "l" },
      map: { a: 1, b: 2 },
      both: "x",
      nullable: "y",
    });
    const patch = async (body: unknown, status: number) => {
      const reply = await subject.client.send({ method: "PATCH", path: made.path, body });
      assert.equal(reply.status, status, reply.text);
      return reply;
    };
    const cleared = (
      await patch(
        { body: null, box: { label: null }, map: { a: null, c: 3 }, nullable: null, both: null, at: null },
        200,
      )
    ).json as Record<string, unknown>;
    assert(!("body" in cleared));
    assert.deepEqual(cleared["box"], { width: 1, depth: 4 });
    assert.deepEqual(cleared["map"], { b: 2, c: 3 });
    assert.equal(cleared["nullable"], null);
    assert.equal(cleared["both"], null);
    assert.deepEqual(faultsOf(await patch({ word1: null }, 422)), ["#/word1 required"]);
    assert.deepEqual(faultsOf(await patch({ box: { width: null } }, 422)), ["#/box/width required"]);
    assert.deepEqual(faultsOf(await patch({ unheard: null }, 422)), ["#/unheard unknown-field"]);
    assert(!("box" in ((await patch({ box: null }, 200)).json as object)));
  });

  test("R4.7 PUT takes away what it leaves out, and defaults stand in where there are any", async () => {
    const made = await add(subject, {
      body: "b",
      word1: "other",
      number1: 8,
      flag1: true,
      list1: ["c"],
      null1: "n",
      both: "x",
    });
    const reply = await subject.client.send({ method: "PUT", path: made.path, body: { nullable: "z" } });
    assert.equal(reply.status, 200, reply.text);
    const json = reply.json as Record<string, unknown>;
    assert(!("body" in json));
    assert.equal(json["both"], null);
    assert.equal(json["nullable"], "z");
    assert.equal(json["name"], made.json["name"]);
    assert.deepEqual(
      [json["word1"], json["number1"], json["flag1"], json["list1"], json["null1"]],
      ["hello", 7, false, ["a", "b"], null],
    );
    for (const field of ["digits1", "token1", "uuid1", "number2", "made", "id"])
      assert.equal(json[field], made.json[field], field);
    assert.deepEqual(faultsOf(await subject.client.send({ method: "PUT", path: made.path, body: {} })), [
      "#/nullable required",
    ]);
  });

  test("`now on change` moves with changes and with moves, and with nothing else", async () => {
    const made = await add(subject);
    subject.running.pass(5000);
    const same = await subject.client.send({ method: "PATCH", path: made.path, body: {} });
    assert.deepEqual(same.json, made.json);
    const changed = await subject.client.send({ method: "PATCH", path: made.path, body: { size: "small" } });
    const { touched, made: first } = changed.json as { touched: string; made: string };
    assert(touched > first, changed.text);
    subject.running.pass(5000);
    const sealed = await subject.client.send({ method: "POST", path: `${made.path}/seal` });
    assert((sealed.json as { touched: string }).touched > touched, sealed.text);
    assert.equal((sealed.json as { made: string }).made, first);
  });

  test("R2.1 ids are not guessable, sort by time, and those of other kinds are not found", async () => {
    const one = await add(subject);
    const two = await add(subject);
    assert(String(one.json["id"]) < String(two.json["id"]));
    for (const id of [
      "smp_1",
      `xxx_${String(one.json["id"]).slice(4)}`,
      String(one.json["id"]).toUpperCase(),
      "%00",
      "..",
      "smp_%2F",
    ]) {
      const reply = await subject.client.send({ method: "GET", path: `/samples/${id}` });
      assert([404, 400].includes(reply.status), `${id}: ${reply.status}`);
    }
  });
});
