/** Errors in a custom shape, even those of the HTTP parser, and with the statuses and messages of an existing API. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { documentOf } from "../enforced/document.ts";
import type { Reply } from "./client.ts";
import { served } from "./scenario.ts";
import { aTool, once, people, toolLibrary } from "./tool-library.ts";

interface Expected {
  readonly notFound: unknown;
  /** Two members missing, one too many. */
  readonly faults: unknown;
  readonly parameter: unknown;
  readonly unread: unknown;
}

const body = "The body is not a JSON value";
const unknown = "This operation has no parameter `a`";
const missing = "name is required";
const extra = "a/b is not a field of this request";

function of(message: string, code: Readonly<Record<string, string>>): unknown {
  return { success: false, data: null, errors: [message], codes: [code] };
}

const shapes: readonly (readonly [string, Expected])[] = [
  [
    '{ error: { code: "{code}", text: "{message}", number: "{status}" } }',
    {
      notFound: { error: { code: "not-found", text: "This path does not exist", number: 404 } },
      faults: { error: { code: "invalid-request", text: "2 values are invalid: name, a/b", number: 422 } },
      parameter: { error: { code: "invalid-request", text: unknown, number: 400 } },
      unread: { error: { code: "invalid-request", text: body, number: 400 } },
    },
  ],
  [
    '{ errors: { "{field}": ["{message}"] } }',
    {
      notFound: { errors: { body: ["This path does not exist"] } },
      faults: { errors: { name: [missing], "a/b": [extra] } },
      parameter: { errors: { a: [unknown] } },
      unread: { errors: { body: [body] } },
    },
  ],
  [
    '[{ at: "{pointer}", why: "{message}", fixed: yes }]',
    {
      notFound: [{ at: "", why: "This path does not exist", fixed: "yes" }],
      faults: [
        { at: "#/name", why: missing, fixed: "yes" },
        { at: "#/a~1b", why: extra, fixed: "yes" },
      ],
      parameter: [{ at: "", why: unknown, fixed: "yes" }],
      unread: [{ at: "#", why: body, fixed: "yes" }],
    },
  ],
  [
    '{ success: false, data: null, errors: ["{message}"], codes: [{ of: "{fault}", in: "{resource}" }] }',
    {
      notFound: of("This path does not exist", { of: "not-found", in: "body" }),
      faults: {
        success: false,
        data: null,
        errors: [missing, extra],
        codes: [
          { of: "required", in: "tool" },
          { of: "unknown-field", in: "tool" },
        ],
      },
      parameter: of(unknown, { of: "unknown-parameter", in: "tool" }),
      unread: of(body, { of: "bad-json", in: "tool" }),
    },
  ],
  [
    '{ message: "{code}: {message} ({status})", field: "{field}" }',
    {
      notFound: { message: "not-found: This path does not exist (404)", field: "body" },
      faults: { message: "invalid-request: 2 values are invalid: name, a/b (422)", field: "name" },
      parameter: { message: `invalid-request: ${unknown} (400)`, field: "a" },
      unread: { message: `invalid-request: ${body} (400)`, field: "body" },
    },
  ],
];

const named = documentOf({
  resources: {
    Thing: { id: "id(thi)", size: "integer(0..9)", parts: "Part[](1..9)", "of?": "Thing" },
    types: { Part: { price: "decimal", "label?": "string(1..3)" } },
  },
  errors: {
    body: { error: { code: "{fault}", param: "{parameter}" } },
    codes: {
      required: "parameter_missing",
      "reference-not-found": "resource_missing",
      "not-found": "missing",
      "unknown-parameter": "parameter_unknown",
    },
  },
});

served("names of violations, and parameters as a form names them", named, (subject) => {
  test("the first violation has the name that the document gives it", async () => {
    for (const [path, body, code, param] of [
      ["/things", { parts: [{ price: 1 }] }, "parameter_missing", "size"],
      ["/things", { size: 1, parts: [{ price: 1 }, {}] }, "parameter_missing", "parts[1][price]"],
      ["/things", { size: 1, parts: [{ price: 1, label: "long" }] }, "too-long", "parts[0][label]"],
      ["/things", { size: 1, parts: [{ price: 1 }], of: "thi_00000000000000000000000000" }, "resource_missing", "of"],
      ["/things?a=1", { size: 1 }, "parameter_unknown", "a"],
      ["/nothing", {}, "missing", "body"],
    ] as const) {
      const reply = await subject.client.send({ method: "POST", path, body });
      assert.deepEqual(reply.json, { error: { code, param } }, JSON.stringify(body));
    }
  });
});

const form = "application/x-www-form-urlencoded";

const dotted = documentOf({
  resources: {
    Thing: { id: "id(thi)", size: "integer(0..9)", parts: "Part[](1..9)" },
    types: {
      Part: { price: "integer", "label?": "string(1..3)" },
      Range: { "min?": "integer", "in?": "integer[](..3)" },
    },
  },
  endpoints: {
    requests: { media: ["application/json", form] },
    endpoints: {
      addThing: "POST /things",
      echo: {
        at: "GET /echo",
        query: { "size?": "Range", "words?": "string(1..3)[](1..3), brackets" },
        gives: { a: "1" },
      },
    },
  },
  authentication: { credentials: "none", allow: { "addThing, echo": "anyone" } },
  errors: { body: { faults: [{ path: "{path}", code: "{fault}" }], by: { "{path}": ["{fault}"] } } },
});

const paths: readonly (readonly [path: string, body: unknown, ...faults: readonly string[]])[] = [
  ["/things", { parts: [{ price: 1 }] }, "size required"],
  ["/things", { size: 1, parts: [{ price: 1 }, {}] }, "parts.1.price required"],
  ["/things", { size: 1, parts: [{ label: "long" }] }, "parts.0.price required", "parts.0.label too-long"],
  ["/things", { size: 1, parts: [{ price: 1 }], "a/b c": 1 }, "a/b c unknown-field"],
  ["/things", "{", "body bad-json"],
  ["/things", "size=1&parts[0][price]=1&parts[1][price]=x", "parts.1.price wrong-type"],
  ["/things", "size=1&parts[0][price]=1&parts[0][label]=long", "parts.0.label too-long"],
  ["/things?a[b]=1", { size: 1, parts: [{ price: 1 }] }, "a.b unknown-parameter"],
  ["/echo?size[min]=x", undefined, "size.min wrong-type"],
  ["/echo?size[in][]=1&size[in][]=x", undefined, "size.in.1 wrong-type"],
  ["/echo?words[]=a&words[]=long", undefined, "words.1 too-long"],
  ["/echo?more=1", undefined, "more unknown-parameter"],
  ["/nothing", undefined, "body not-found"],
];

served("paths of violations with dots", dotted, (subject) => {
  for (const [path, body, ...faults] of paths)
    test(`${path} ${JSON.stringify(body)}`, async () => {
      const isForm = typeof body === "string" && body !== "{";
      const headers = { "Content-Type": isForm ? form : "application/json" };
      const sent = body === undefined ? { method: "GET", path } : { method: "POST", path, headers, body };
      const { json, text } = await subject.client.send(sent);
      const pairs = faults.map((one) => [one.slice(0, one.lastIndexOf(" ")), one.slice(one.lastIndexOf(" ") + 1)]);
      const entries = pairs.map(([at, code]) => ({ path: at, code }));
      const by = Object.fromEntries(pairs.map(([at, code]) => [at, [code]]));
      assert.deepEqual(json, { faults: entries, by }, text);
    });
});

for (const [shape, expected] of shapes) {
  const text = toolLibrary.replace("body: problem+json", `body: ${shape}`);
  served(`body: ${shape}`, text, (subject) => {
    const who = people(subject);
    const post = (json: string): Promise<Reply> =>
      subject.client.send({
        method: "POST",
        path: "/tools",
        headers: { ...who.member, ...once(), "Content-Type": "application/json" },
        body: json,
      });

    test("an error without faults", async () => {
      const reply = await subject.client.send({ method: "GET", path: "/nothing" });
      assert.deepEqual([reply.status, reply.json], [404, expected.notFound]);
      assert.equal(reply.headers["content-type"], "application/json");
    });

    test("several faults", async () => {
      const { name: _, ...tool } = aTool({ "a/b": 1 });
      const reply = await post(JSON.stringify(tool));
      assert.deepEqual([reply.status, reply.json], [422, expected.faults]);
    });

    test("a fault of a parameter", async () => {
      const reply = await subject.client.send({ method: "GET", path: "/tools/tol_x?a=1", headers: who.member });
      assert.deepEqual([reply.status, reply.json], [400, expected.parameter]);
    });

    test("a body that cannot be read", async () => {
      const reply = await post("{");
      assert.deepEqual([reply.status, reply.json], [400, expected.unread]);
    });

    test("R7.1 what the parser refuses has the same form", async () => {
      const [reply] = await subject.client.raw("GET /livez HTTP/1.1\r\n\r\n");
      assert.equal(reply?.status, 400);
      assert.deepEqual(Object.keys(reply.json as object), Object.keys(expected.notFound as object));
    });

    test("a member called __proto__ is a field like any other", async () => {
      const reply = await post(JSON.stringify(aTool()).replace("{", '{"__proto__":1,'));
      assert.equal(reply.status, 422);
      if (shape.includes('"{field}":')) assert.match(reply.text, /"__proto__":\[/);
    });
  });
}

const kept = toolLibrary
  .replace("body: problem+json", 'body: { errors: { "{field}": ["{message}"] } }')
  .replace(
    "standard: all",
    `bodies:
  without field: { errors: { "{resource}": ["{message}"] } }
  unauthenticated: { errors: { token: ["{message}"] } }
  not-acceptable: {}
  not-found in removeTool: { status: error, message: "{message}" }
status: { invalid-request: 400, unauthenticated: 403, not-found: 410 }
codes: { stale: ConcurrencyError }
messages: { required: can't be blank, too-long: "{field} is {resource}: {message}", not-found: not found, unauthenticated: is missing }
standard: all`,
  )
  .replace(
    "addTool: POST /tools",
    'addTool: { at: POST /tools, takes: { tool: { name: "string(1..60)", kind: hand | power | garden, price: "number(0.5..)", stock: "integer(0..9)", note?: "string(0..400)" } } }',
  );

served("an API that exists", kept, (subject) => {
  const who = people(subject);
  const send = (method: string, path: string, body?: unknown): Promise<Reply> =>
    subject.client.send({
      method,
      path,
      headers: { ...who.member, ...once() },
      ...(body === undefined ? {} : { body }),
    });
  const get = async (path: string, headers = {}) => subject.client.send({ method: "GET", path, headers });

  test("faults are under their fields, whatever the body stands in; one status for all of them", async () => {
    const { name: _, ...tool } = aTool({ note: "x".repeat(401) });
    const reply = await send("POST", "/tools", { tool });
    assert.equal(reply.status, 400);
    assert.deepEqual(reply.json, {
      errors: { name: ["can't be blank"], note: ["note is tool: note must have at most 400 characters"] },
    });
    assert.deepEqual((await send("POST", "/tools", {})).json, { errors: { tool: ["can't be blank"] } });
    const unread = await send("POST", "/tools", "{");
    assert.equal(unread.status, 415);
  });

  test("what is about no field has another body, and some code or operation its own", async () => {
    const missing = await get("/tools/tol_1", who.member);
    assert.deepEqual([missing.status, missing.json], [410, { errors: { tool: ["not found"] } }]);
    const nobody = await subject.client.send({ method: "DELETE", path: "/tools/tol_1", headers: once() });
    assert.deepEqual([nobody.status, nobody.json], [403, { errors: { token: ["is missing"] } }]);
    assert.notEqual(nobody.headers["www-authenticate"], undefined);
    const gone = await send("DELETE", "/tools/tol_1");
    assert.deepEqual([gone.status, gone.json], [410, { status: "error", message: "not found" }]);
    const nothing = await get("/nothing");
    assert.deepEqual([nothing.status, nothing.json], [410, { errors: { body: ["not found"] } }]);
    const media = await get("/tools", { ...who.member, Accept: "text/plain" });
    assert.deepEqual([media.status, media.json], [406, {}]);
  });
});
