/** Webhooks signed by the schemes of providers: the providers' own libraries verify what the service sends (R6.5, R6.6). */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { verify as verifyGitHub } from "@octokit/webhooks-methods";
import { Webhook } from "standardwebhooks";
import Stripe from "stripe";
import { moduleOf } from "../export/client-of.ts";
import { createReceiver, type Received } from "./receiver.ts";
import { documentText, serve } from "./scenario.ts";

/** Whether a receiver accepts a webhook, by the library or the published algorithm of the provider. */
type Verify = (received: Received, secret: string) => Promise<boolean> | boolean;

const stripe = new Stripe("sk_test_none");

function accepts(verify: () => unknown): boolean {
  try {
    verify();
    return true;
  } catch {
    return false;
  }
}

function hmac(secret: string, text: string, encoding: "hex" | "base64"): string {
  return createHmac("sha256", secret).update(text).digest(encoding);
}

interface Row {
  readonly signed: string;
  readonly verify: Verify;
  /** The header fields that begin with `x-`, `webhook-` or `stripe-`. */
  readonly fields: readonly string[];
  /** Whether the field has a signature by the old secret and the new one during a rotation. */
  readonly several: boolean;
}

const rows: readonly Row[] = [
  {
    signed: "standard-webhooks",
    verify: ({ body, headers }, secret) => accepts(() => new Webhook(secret).verify(body, headers)),
    fields: ["webhook-id", "webhook-signature", "webhook-timestamp"],
    several: true,
  },
  {
    signed: "stripe",
    verify: ({ body, headers }, secret) =>
      accepts(() => stripe.webhooks.constructEvent(body, headers["stripe-signature"] ?? "", secret)),
    fields: ["stripe-signature"],
    several: true,
  },
  {
    signed: "github",
    verify: ({ body, headers }, secret) => verifyGitHub(secret, body, headers["x-hub-signature-256"] ?? ""),
    fields: ["x-github-delivery", "x-github-event", "x-hub-signature-256"],
    several: false,
  },
  {
    // https://docs.slack.dev/authentication/verifying-requests-from-slack
    signed: "slack",
    verify: ({ body, headers }, secret) => {
      const time = headers["x-slack-request-timestamp"] ?? "";
      if (Math.abs(Date.now() / 1000 - Number(time)) > 60 * 5) return false;
      return headers["x-slack-signature"] === `v0=${hmac(secret, `v0:${time}:${body}`, "hex")}`;
    },
    fields: ["x-slack-request-timestamp", "x-slack-signature"],
    several: false,
  },
  {
    signed: '{ headers: { X-Shop-Hmac: "{base64}", X-Shop-Topic: "{type}" } }',
    verify: ({ body, headers }, secret) => headers["x-shop-hmac"] === hmac(secret, body, "base64"),
    fields: ["x-shop-hmac", "x-shop-topic"],
    several: false,
  },
  {
    signed: '{ over: "{id};{seconds};{body}", headers: { X-Sum: "a={id};b={hex};t={seconds}" }, key: base64 }',
    verify: ({ body, headers }, secret) => {
      const [id = "", sum = "", time = ""] = (headers["x-sum"] ?? "").split(";").map((part) => part.slice(2));
      const key = Buffer.from(secret.slice("whsec_".length), "base64");
      return sum === createHmac("sha256", key).update(`${id};${time};${body}`).digest("hex");
    },
    fields: ["x-sum"],
    several: false,
  },
];

interface Endpoint {
  readonly id: string;
  readonly secret: string;
}

const byFirstDot = (type: string): string => type.slice(0, type.indexOf("."));

for (const { fields, several, signed, verify } of rows) {
  test(`a receiver verifies what is signed by ${signed}`, async () => {
    const text = documentText("orders").replace("signed: standard-webhooks", `signed: ${signed}`);
    await using subject = await serve(text, { store: "memory" });
    await using receiver = await createReceiver();
    const headers = { authorization: `Bearer ${await subject.running.key("clerk", "clerk", "shop")}` };
    const post = async (path: string, body: object): Promise<Endpoint> => {
      const reply = await subject.client.send({ method: "POST", path, headers, body });
      assert.ok(reply.status < 300, reply.text);
      return reply.json as unknown as Endpoint;
    };
    const endpoint = await post("/webhooks", { url: receiver.url });
    const order = { email: "a@shop.example", margin: 7, note: "ø" };
    await post("/orders", order);
    const [first] = await receiver.until(1);
    assert.ok(first !== undefined);
    const sent = Object.keys(first.headers).filter((name) => /^(?:x|webhook|stripe)-/.test(name));
    assert.deepEqual(sent.toSorted(), fields);
    const { secret } = endpoint;
    assert.equal(await verify(first, secret), true);
    assert.equal(await verify({ ...first, body: first.body.replace("a@", "b@") }, secret), false, "another body");
    assert.equal(await verify(first, `whsec_${Buffer.from("another secret").toString("base64")}`), false);
    const { type } = JSON.parse(first.body) as { readonly type: string };
    assert.equal(first.headers["x-shop-topic"] ?? type, type);
    assert.equal(first.headers["x-github-event"] ?? byFirstDot(type), byFirstDot(type));

    const exported = await moduleOf(subject.running.plan);
    assert.partialDeepStrictEqual(await exported.verifyWebhook(first.body, first.headers, [secret]), { type });
    await assert.rejects(exported.verifyWebhook(`${first.body} `, first.headers, secret), { name: "WebhookError" });
    if (signed !== "github" && !signed.includes("X-Shop")) {
      const late = { now: Date.now() + 301_000 };
      await assert.rejects(exported.verifyWebhook(first.body, first.headers, secret, late), { name: "WebhookError" });
    }

    const rotated = await post(`/webhooks/${endpoint.id}/rotate-secret`, {});
    await post("/orders", order);
    const [, second] = await receiver.until(2);
    assert.ok(second !== undefined);
    assert.equal(await verify(second, rotated.secret), true, "the new secret");
    assert.equal(await verify(second, secret), several, "the old secret");
  });
}
