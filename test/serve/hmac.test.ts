/** Signed requests: a signature is valid for one request, once, and for a short time. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createSignatureVerifier, signatureField } from "../../src/runtime/auth/hmac.ts";
import { memoryRates } from "../store/memory-rates.ts";
import type { Reply } from "./client.ts";
import { documentText, served, serve } from "./scenario.ts";

const secret = "the bell's secret";

interface Signing {
  readonly method?: string;
  readonly path?: string;
  readonly body?: string;
  readonly secret?: string;
  /** Seconds from now. */
  readonly at?: number;
}

function fieldFor({
  method = "POST",
  path = "/notes",
  body = '{"text":"ding"}',
  secret: by = secret,
  at = 0,
}: Signing): string {
  return signatureField(by, Math.floor(Date.now() / 1000) + at, { method, target: path, body: Buffer.from(body) });
}

test("R5.6 a signature counts once up to the last moment at which it is good", () => {
  const verifier = createSignatureVerifier(secret);
  const request = { method: "POST", target: "/notes", body: Buffer.from("{}") };
  const seconds = 1_800_000_000;
  const field = signatureField(secret, seconds, request);
  assert.equal(verifier.verify(field, request, (seconds - 300) * 1000)?.again, false);
  assert.equal(verifier.verify(field, request, (seconds + 300) * 1000)?.again, true);
  assert.equal(verifier.verify(field, request, (seconds + 300) * 1000 + 1), undefined);
});

served(
  "signatures",
  documentText("gate"),
  (subject) => {
    const ask = (
      signature: string,
      { method = "POST", path = "/notes", body = '{"text":"ding"}' }: Signing = {},
    ): Promise<Reply> =>
      subject.client.send({
        method,
        path,
        headers: { "Bell-Signature": signature, ...(body === "" ? {} : { "Content-Type": "application/json" }) },
        ...(body === "" ? {} : { body }),
      });
    /** Failures are forgotten after each. */
    const send = async (signature: string, signing: Signing = {}): Promise<Reply> => {
      const reply = await ask(signature, signing);
      if (reply.status === 401) subject.running.pass(61_000);
      return reply;
    };

    test("R5.2 a signed request is its credential's, with its roles", async () => {
      const reply = await send(fieldFor({}));
      assert.equal(reply.status, 201, reply.text);
      const { id, by } = reply.json as { id: string; by: string };
      assert.equal(by, "bell");
      const pin = { method: "POST", path: `/notes/${id}/pin`, body: "" };
      assert.equal((await send(fieldFor(pin), pin)).status, 200);
      const clear = { method: "DELETE", path: `/notes/${id}`, body: "" };
      assert.equal((await send(fieldFor(clear), clear)).status, 403);
    });

    test("R5.6 a signature counts once", async () => {
      const body = JSON.stringify({ text: `replay ${Math.random()}` });
      const signature = fieldFor({ body });
      assert.equal((await send(signature, { body })).status, 201);
      for (let i = 0; i < 3; i += 1) assert.equal((await send(signature, { body })).status, 401);
      assert.equal((await send(` ${signature} `, { body })).status, 401);
    });

    test("R5.6 of many at once with one signature one counts", async () => {
      const body = JSON.stringify({ text: `rush ${Math.random()}` });
      const signature = fieldFor({ body });
      const replies = await Promise.all(Array.from({ length: 20 }, () => ask(signature, { body })));
      assert.equal(replies.filter(({ status }) => status === 201).length, 1);
      // The failures of the others count.
      subject.running.pass(61_000);
    });

    const signed: Signing = { body: '{"text":"x"}' };
    const wrong: readonly (readonly [name: string, signature: () => string, sent: Signing])[] = [
      ["another body", () => fieldFor(signed), { body: '{"text":"y"}' }],
      ["the same body with a blank more", () => fieldFor(signed), { body: '{"text":"x" }' }],
      ["another path", () => fieldFor({ ...signed, path: "/notes/x" }), signed],
      ["a query that was not signed", () => fieldFor(signed), { ...signed, path: "/notes?x=1" }],
      ["another method", () => fieldFor({ ...signed, method: "PUT" }), signed],
      ["another secret", () => fieldFor({ ...signed, secret: "another" }), signed],
      ["an empty secret", () => fieldFor({ ...signed, secret: "" }), signed],
      ["a day old", () => fieldFor({ ...signed, at: -86_400 }), signed],
      ["ahead of time", () => fieldFor({ ...signed, at: 86_400 }), signed],
      [
        "another time than was signed",
        () => fieldFor(signed).replace(/t=\d+/, (t) => `t=${Number(t.slice(2)) + 1}`),
        signed,
      ],
      ["upper-case hex", () => fieldFor(signed).replace(/v1=.*/, (hex) => `v1=${hex.slice(3).toUpperCase()}`), signed],
      ["no time", () => fieldFor(signed).replace(/^t=\d+,/, ""), signed],
      ["no signature", () => `t=${Math.floor(Date.now() / 1000)},v1=`, signed],
      ["nonsense", () => "nonsense", signed],
    ];
    for (const [name, signature, sent] of wrong) {
      test(`R5.6 is refused: ${name}`, async () => {
        const reply = await send(signature(), sent);
        assert.equal(reply.status, 401, reply.text);
        assert.match(
          reply.headers["www-authenticate"] ?? "",
          /Signature realm="gate", header="Bell-Signature", error="invalid_token"/,
        );
      });
    }
  },
  { environment: { BELL_SECRET: secret } },
);

test("R5.6 a signature within five minutes either way counts, one beyond does not", async () => {
  for (const [at, status] of [
    [-290, 201],
    [290, 201],
    [-310, 401],
    [310, 401],
  ] as const) {
    await using subject = await serve(documentText("gate"), { store: "memory", environment: { BELL_SECRET: secret } });
    const headers = { "Bell-Signature": fieldFor({ at }), "Content-Type": "application/json" };
    const reply = await subject.client.send({ method: "POST", path: "/notes", headers, body: '{"text":"ding"}' });
    assert.equal(reply.status, status, `${at} s`);
  }
});

test("without its secret no signature is good, not even one made with nothing", async () => {
  await using subject = await serve(documentText("gate"), { store: "memory", environment: {} });
  for (const by of ["", "undefined"]) {
    const headers = { "Bell-Signature": fieldFor({ secret: by }), "Content-Type": "application/json" };
    const reply = await subject.client.send({ method: "POST", path: "/notes", headers, body: '{"text":"ding"}' });
    assert.equal(reply.status, 401);
  }
});

test("R5.6 a signature counts once, whichever of several processes it is sent to", async () => {
  const rates = memoryRates();
  const environment = { BELL_SECRET: secret };
  await using one = await serve(documentText("gate"), { store: "memory", environment, rates });
  await using other = await serve(documentText("gate"), { store: "memory", environment, rates });
  const signature = fieldFor({});
  const sent = { method: "POST", path: "/notes", headers: { "Bell-Signature": signature }, body: { text: "ding" } };
  assert.equal((await one.client.send(sent)).status, 201);
  assert.equal((await other.client.send(sent)).status, 401);
});
