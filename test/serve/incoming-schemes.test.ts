/** Requests signed by the schemes of providers, by their own libraries where there is one (R5.6). */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { sign as signGitHub } from "@octokit/webhooks-methods";
import { Webhook } from "standardwebhooks";
import Stripe from "stripe";
import { documentText, serve } from "./scenario.ts";

type Headers = Readonly<Record<string, string>>;

interface Row {
  readonly scheme: string;
  readonly sign: (secret: string, body: string, at: Date) => Headers | Promise<Headers>;
  readonly isTimed: boolean;
}

const stripe = new Stripe("sk_test_none");

function seconds(at: Date): number {
  return Math.floor(at.getTime() / 1000);
}

const rows: readonly Row[] = [
  {
    scheme: "stripe",
    sign: (secret, payload, at) => {
      const field = stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp: seconds(at) });
      return { "Stripe-Signature": field.replace(",", `,v0=${"0".repeat(64)},`) };
    },
    isTimed: true,
  },
  {
    scheme: "github",
    sign: async (secret, body) => ({
      "X-Hub-Signature-256": await signGitHub(secret, body),
      "X-GitHub-Delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958",
      "X-GitHub-Event": "push",
    }),
    isTimed: false,
  },
  {
    scheme: "standard-webhooks",
    sign: (secret, body, at) => ({
      "webhook-id": "msg_1",
      "webhook-timestamp": String(seconds(at)),
      "webhook-signature": `v1a,xx ${new Webhook(secret).sign("msg_1", at, body)}`,
    }),
    isTimed: true,
  },
  {
    scheme: "slack",
    sign: (secret, body, at) => ({
      "X-Slack-Request-Timestamp": String(seconds(at)),
      "X-Slack-Signature": `v0=${createHmac("sha256", secret)
        .update(`v0:${seconds(at)}:${body}`)
        .digest("hex")}`,
    }),
    isTimed: true,
  },
  {
    scheme: '{ headers: { X-Shop-Hmac: "{base64}" } }',
    sign: (secret, body) => ({ "X-Shop-Hmac": createHmac("sha256", secret).update(body).digest("base64") }),
    isTimed: false,
  },
];

const [current, former, other] = ["current", "former", "other"].map(
  (name) => `whsec_${Buffer.from(`the ${name} secret of a provider`).toString("base64")}`,
) as [string, string, string];
const environment = { BELL_SECRET: current, OLD_SECRET: former, TICKET_SECRET: "a ticket's secret of enough length" };

for (const { scheme, sign, isTimed } of rows)
  test(`a request that is signed by ${scheme}`, async () => {
    const bell = `{ kind: hmac-sha256, scheme: ${scheme}, tolerance: 2m, secret: [env BELL_SECRET, env OLD_SECRET], roles: [porter] }`;
    const text = documentText("gate").replace(/bell: \{.*$/m, `bell: ${bell}`);
    await using subject = await serve(text, { store: "memory", environment });
    let count = 0;
    const send = async (secret: string, late = 0, change: (headers: Headers) => Headers = (same) => same) => {
      count += 1;
      const body = `{ "text":  "ding ${count}" }`;
      const headers = change(await sign(secret, body, new Date(subject.running.now() - late * 1000)));
      const reply = await subject.client.send({ method: "POST", path: "/notes", headers: { ...headers, "Content-Type": "application/json" }, body }); // biome-ignore format: short
      if (reply.status === 401) subject.running.pass(61_000);
      return reply;
    };
    const made = await send(current);
    assert.equal(made.status, 201, made.text);
    assert.partialDeepStrictEqual(made.json, { by: "bell", roles: ["porter"] });
    assert.equal((await send(former)).status, 201, "the former secret");
    assert.equal((await send(other)).status, 401, "another secret");
    assert.equal((await send(current, 110)).status, 201);
    assert.equal((await send(current, 130)).status, isTimed ? 401 : 201, "too late");
    assert.equal((await send(current, -130)).status, isTimed ? 401 : 201, "too early");
    const field = Object.keys(await sign(current, "x", new Date())).find((name) => /signature|hmac/i.test(name)) ?? "";
    const changed = (edit: (value: string) => string) => (headers: Headers) => ({
      ...headers,
      [field]: edit(headers[field] ?? ""),
    });
    assert.equal(
      (
        await send(
          current,
          0,
          changed((value) => value.slice(0, -1)),
        )
      ).status,
      401,
      "cut",
    );
    assert.equal((await send(current, 0, changed((value) => value.replace(/v1=|v1,|v0=|sha256=/g, "v9=")))).status, scheme.startsWith("{") ? 201 : 401); // biome-ignore format: short
    if (scheme === "slack" || scheme === "standard-webhooks") {
      const without = ({ "X-Slack-Request-Timestamp": _, "webhook-timestamp": __, ...rest }: Headers): Headers => rest;
      assert.equal((await send(current, 0, without)).status, 401, "without its time");
    }
  });

test("an incoming event with an id counts once, also if its provider signs it again later", async () => {
  const text = documentText("depot").replace(/gate: \{ kind: hmac-sha256.*$/m, "gate: { kind: hmac-sha256, scheme: standard-webhooks, secret: env GATE_SECRET }"); // biome-ignore format: short
  await using subject = await serve(text, {
    store: "memory",
    environment: { GATE_SECRET: current, METER_SECRET: other },
  });
  const { running, client } = subject;
  const Authorization = `Bearer ${await running.keyOf("key", "cleo", "clerk")}`;
  const send = async (path: string, body: object, headers: Headers = { Authorization }) => {
    const reply = await client.send({ method: "POST", path: `/depot${path}`, headers: { ...headers, "Content-Type": "application/json" }, body: JSON.stringify(body) }); // biome-ignore format: short
    return { status: reply.status, id: (reply.json as { readonly id?: string } | undefined)?.id };
  };
  const { id: van } = await send("/vans", { name: "van" });
  const arrives = async (id: string): Promise<number> => {
    const at = new Date(running.now());
    const body = { van };
    const headers = {
      "webhook-id": id,
      "webhook-timestamp": String(seconds(at)),
      "webhook-signature": new Webhook(current).sign(id, at, JSON.stringify(body)),
    };
    return (await send("/hooks/arrivals", body, headers)).status;
  };
  const moves = async (): Promise<number> => (await running.store.journal.moves("Van", van ?? "", 0, 9)).length;
  assert.deepEqual([await arrives("msg_1"), await moves()], [202, 2]);
  running.pass(3 * 3_600_000);
  const before = await running.store.journal.last();
  assert.equal(await arrives("msg_1"), 202, "the same response");
  assert.equal(await running.store.journal.last(), before, "and no effect");
  assert.equal(await arrives("msg_2"), 202);
  assert.equal(await running.store.journal.last(), before + 1);
});
