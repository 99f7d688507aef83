/** `request.rawBody`: functions get the body of their request as it was received, so that they can verify a signature over it. */
import assert from "node:assert/strict";
import { createHmac, generateKeyPairSync, sign, timingSafeEqual, verify } from "node:crypto";
import { describe, test } from "node:test";
import type { FunctionContext, ServiceFunctions } from "../../src/runtime/functions/functions.ts";
import { documentOf } from "../enforced/document.ts";
import { filesText } from "../export/files-document.ts";
import { createClient } from "./client.ts";
import { run } from "./running.ts";
import { stores } from "./scenario.ts";

const text = documentOf({
  resources: { Thing: { id: "id(thi)", name: "string(1..40)" } },
  endpoints: {
    endpoints: {
      addThing: "POST /things",
      getThing: "GET /things/{id}",
      changeThing: "PATCH /things/{id}",
      renameThing: { at: "POST /things/{id}/name", does: "handler", takes: { name: "string(1..40)" } },
      takePlain: {
        at: "POST /plain",
        does: "handler",
        takes: { "count?": "integer", "note?": "string" },
        gives: { raw: "string" },
      },
      callBack: {
        at: "POST /call-back",
        does: "handler",
        wire: {
          header: { "X-Signature": "string(1..200)", "X-Key?": "string(1..20)" },
          body: { media: ["application/json", "application/octet-stream", "text/plain"] },
          answers: { 204: "none", 401: "none" },
        },
      },
      look: { at: "GET /look", does: "handler", gives: { raw: "string" } },
    },
  },
});

const secret = "correct horse";
const keys = generateKeyPairSync("ed25519");

const hexOf = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString("hex");
const seen: string[] = [];
const received: Buffer[] = [];

interface WireInput {
  readonly header: Readonly<Record<string, string>>;
}

function callBack({ input, request }: FunctionContext): unknown {
  const { header } = input as unknown as WireInput;
  const body = request.rawBody ?? new Uint8Array();
  const sent = Buffer.from(header["X-Signature"] ?? "", "base64");
  const expected = createHmac("sha256", secret).update(body).digest();
  const isValid =
    header["X-Key"] === "ed25519"
      ? verify(null, body, keys.publicKey, sent)
      : sent.length === expected.length && timingSafeEqual(sent, expected);
  received.push(Buffer.from(body));
  return { status: isValid ? 204 : 401 };
}

const functions: ServiceFunctions = {
  callBack,
  renameThing: async ({ input, record, records, request }) => {
    // A function that waits for something else continues in another transaction, with the same body.
    await new Promise((resolve) => setTimeout(resolve, 5));
    seen.push(`renameThing ${hexOf(request.rawBody)}`);
    await records.system["Thing"]?.update(record?.["id"] as string, input);
  },
  takePlain: ({ request }) => ({ raw: hexOf(request.rawBody) }),
  look: ({ log, request }) => {
    log("look", { request, copy: { ...request } });
    return { raw: `${hexOf(request.rawBody)}/${String(request.rawBody?.length)}` };
  },
  before: {
    addThing: ({ request }) => void seen.push(`before ${hexOf(request.rawBody)}`),
    changeThing: ({ request }) => void seen.push(`before ${request.rawBody?.length}`),
  },
  after: {
    addThing: ({ request }) => void seen.push(`after ${hexOf(request.rawBody)}`),
  },
  on: {},
};

const hmacOf = (body: Buffer | string): string => createHmac("sha256", secret).update(body).digest("base64");

for (const store of stores)
  void describe(`the body as it was received (${store})`, () => {
    test("of JSON, whatever its blanks and escapes; chunked, and empty", async () => {
      await using running = await run(text, { store, functions });
      using client = createClient(running.port, () => {});
      const bodies = ['{ "note" : "\\u00d8l",\r\n "count":1 }\n', '{"note":"Øl"}', "{}"];
      for (const body of bodies) {
        const headers = { "Content-Type": "application/json" };
        const reply = await client.send({ method: "POST", path: "/plain", headers, body });
        assert.equal(reply.status, 200, reply.text);
        assert.deepEqual(reply.json, { raw: Buffer.from(body).toString("hex") });
        const chunked = { ...headers, "Transfer-Encoding": "chunked" };
        const again = await client.send({ method: "POST", path: "/plain", headers: chunked, body });
        assert.deepEqual(again.json, { raw: Buffer.from(body).toString("hex") });
      }
      const none = await client.send({ method: "POST", path: "/plain" });
      assert.deepEqual(none.json, { raw: "" });
      const look = await client.send({ method: "GET", path: "/look" });
      assert.deepEqual(look.json, { raw: "/0" });
      assert.deepEqual(running.failures, []);
    });

    test("with a signature that the function verifies over exactly these bytes", async () => {
      await using running = await run(text, { store, functions });
      using client = createClient(running.port, () => {});
      // No UTF-8, no JSON, and each byte once.
      const bytes = Buffer.from([...Array(256).keys(), 0xff, 0xfe, 0x00, 0xc3]);
      const rows: readonly (readonly [media: string, body: Buffer | string])[] = [
        ["application/octet-stream", bytes],
        ["application/octet-stream", Buffer.alloc(300_000, 0xe9)],
        ["application/json", '{ "a" : 1.0, "a\\u0062": [ ] }'],
        ["text/plain", "  Öl \r\n"],
      ];
      for (const [media, body] of rows) {
        const post = (signature: string, more: Readonly<Record<string, string>> = {}, sent = body) =>
          client.send({
            method: "POST",
            path: "/call-back",
            headers: { "Content-Type": media, "X-Signature": signature, ...more },
            body: sent,
          });
        const good = await post(hmacOf(body));
        assert.equal(good.status, 204, `${media}: ${good.text}`);
        assert.deepEqual(received.at(-1), Buffer.from(body));
        assert.equal((await post(hmacOf(`${String(body)} `))).status, 401);
        const signature = sign(null, Buffer.from(body), keys.privateKey).toString("base64");
        assert.equal((await post(signature, { "X-Key": "ed25519" })).status, 204);
        assert.equal((await post(signature)).status, 401);
      }
      const notText = await client.send({
        method: "POST",
        path: "/call-back",
        headers: { "Content-Type": "text/plain", "X-Signature": hmacOf(bytes) },
        body: bytes,
      });
      assert.equal(notText.status, 400);
      assert.deepEqual(running.failures, []);
    });

    test("in functions before and after an operation, also after one waited", async () => {
      seen.length = 0;
      await using running = await run(text, { store, functions });
      using client = createClient(running.port, () => {});
      const body = '{"name" :"a"}';
      const headers = { "Content-Type": "application/json" };
      const made = await client.send({ method: "POST", path: "/things", headers, body });
      assert.equal(made.status, 201, made.text);
      const path = `${String(made.headers["location"])}/name`;
      const renamed = await client.send({ method: "POST", path, headers, body: '{"name": "b"}' });
      assert.equal((renamed.json as { name: string }).name, "b");
      const hex = (one: string): string => Buffer.from(one).toString("hex");
      assert.deepEqual(seen, [`before ${hex(body)}`, `after ${hex(body)}`, `renameThing ${hex('{"name": "b"}')}`]);
      assert.deepEqual(running.failures, []);
    });

    test("but not of a form with files, which goes to the store; and no log line contains the body", async () => {
      const photographed: ServiceFunctions = {
        before: { createThing: ({ request }) => void seen.push(hexOf(request.rawBody)) },
      };
      await using running = await run(filesText, { store, functions: photographed });
      using client = createClient(running.port, () => {});
      const form = new FormData();
      form.append("data", "a");
      form.append("photo", new Blob(["x"], { type: "text/plain" }), "x.txt");
      const written = new Response(form);
      const reply = await client.send({
        method: "POST",
        path: "/things",
        headers: { "Content-Type": written.headers.get("Content-Type") ?? "" },
        body: Buffer.from(await written.arrayBuffer()),
      });
      assert.equal(reply.status, 500);
      assert.match(String(running.failures[0]), /went to the store as they arrived/);
      const json = { method: "POST", path: "/things", body: { data: "a" } };
      assert.equal((await client.send(json)).status, 201);

      await using other = await run(text, { store, functions });
      using second = createClient(other.port, () => {});
      await second.send({ method: "GET", path: "/look" });
      assert.match(other.notices.join("\n"), /look .*"request":\{"id":"[^"]+"\},"copy":\{"id":"[^"]+"\}/);
    });
  });
