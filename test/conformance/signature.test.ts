/** Signatures are those of an independent library, and of the page on behaviour. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { requestSignature, webhookProblem } from "../../src/conformance/signature.ts";
import { fencesOf } from "../docs/fences.ts";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const other = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
const now = Date.parse("2026-01-01T00:00:00.500Z");
const seconds = Math.floor(now / 1000);
const body = '{"type":"parcel.collected"}';
const id = "evt_1";

function signed(by: string, at: number = seconds, text: string = body): string {
  return new Webhook(by).sign(id, new Date(at * 1000), text);
}

interface Example {
  readonly headers?: Readonly<Record<string, string>>;
  readonly without?: string;
  readonly body?: string;
  readonly secret?: string;
  readonly problem: string | undefined;
}

const wrong = "no signature is that of this secret and of the signed values";
const examples: Readonly<Record<string, Example>> = {
  "one signature": { problem: undefined },
  "a secret without its prefix": { secret: secret.slice("whsec_".length), problem: undefined },
  "signatures by two secrets, ours first": {
    headers: { "webhook-signature": `${signed(secret)} ${signed(other)}` },
    problem: undefined,
  },
  "signatures by two secrets, ours last": {
    headers: { "webhook-signature": `${signed(other)} v1a,AAAA ${signed(secret)}` },
    problem: undefined,
  },
  "another secret": { secret: other, problem: wrong },
  "another body": { body: `${body} `, problem: wrong },
  "another id": { headers: { "webhook-id": "evt_2" }, problem: wrong },
  "another time": { headers: { "webhook-timestamp": String(seconds - 1) }, problem: wrong },
  "a signature that is cut": { headers: { "webhook-signature": signed(secret).slice(0, -8) }, problem: wrong },
  "a signature of another version": {
    headers: { "webhook-signature": signed(secret).replace("v1,", "v2,") },
    problem: "webhook-signature has no signature like v1,{base64}",
  },
  "300 s ago": {
    headers: { "webhook-timestamp": String(seconds - 300), "webhook-signature": signed(secret, seconds - 300) },
    problem: undefined,
  },
  "301 s ago": {
    headers: { "webhook-timestamp": String(seconds - 301), "webhook-signature": signed(secret, seconds - 301) },
    problem: "webhook-timestamp is 301 s before the present",
  },
  "301 s ahead": {
    headers: { "webhook-timestamp": String(seconds + 301), "webhook-signature": signed(secret, seconds + 301) },
    problem: "webhook-timestamp is 301 s after the present",
  },
  milliseconds: {
    headers: { "webhook-timestamp": String(now) },
    problem: `webhook-timestamp is ${now}, which is no number of seconds`,
  },
  "no id": { without: "webhook-id", problem: "there is no webhook-id" },
  "no timestamp": { without: "webhook-timestamp", problem: "there is no webhook-timestamp" },
  "no signature": { without: "webhook-signature", problem: "there is no webhook-signature" },
  "a secret that is none": { secret: "whsec_*", problem: "the secret is not base64" },
};

for (const [name, example] of Object.entries(examples))
  test(`a webhook with ${name}`, () => {
    const headers: Record<string, string> = {
      "webhook-id": id,
      "webhook-timestamp": String(seconds),
      "webhook-signature": signed(secret),
      ...example.headers,
    };
    delete headers[example.without ?? ""];
    const problem = webhookProblem({ headers, body: example.body ?? body }, example.secret ?? secret, now);
    assert.equal(problem, example.problem);
  });

test("every webhook that the library signs is valid, as text and as bytes, and none with another byte", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 24, maxLength: 64 }),
      fc.string({ unit: "binary" }).filter((text) => text.isWellFormed()),
      (key, text) => {
        const by = `whsec_${Buffer.from(key).toString("base64")}`;
        const headers = {
          "webhook-id": id,
          "webhook-timestamp": String(seconds),
          "webhook-signature": signed(by, seconds, text),
        };
        assert.equal(webhookProblem({ headers, body: text }, by, now), undefined);
        assert.equal(webhookProblem({ headers, body: Buffer.from(text) }, by, now), undefined);
        assert.equal(webhookProblem({ headers, body: `${text}.` }, by, now), wrong);
      },
    ),
  );
});

test("a request is signed as the page on behaviour shows", () => {
  const [sample] = fencesOf("docs/reference/http.md", "text").filter(({ meta }) => meta["signature"] !== undefined);
  assert(sample !== undefined);
  const [head = "", text = ""] = sample.text.trimEnd().split("\n\n");
  const [, method = "", target = "", field = ""] = /^(\S+) (\S+)\n[\w-]+: (\S+)$/.exec(head) ?? [];
  const at = Number(/^t=(\d+)/.exec(field)?.[1]) * 1000 + 999;
  const key = (sample.meta["secret"] ?? "").replace("_", " ");
  assert.equal(requestSignature({ method, target, body: text }, key, at), field);
  assert.equal(requestSignature({ method, target, body: Buffer.from(text) }, key, at), field);
  assert.notEqual(requestSignature({ method, target: `${target}?`, body: text }, key, at), field);
});
