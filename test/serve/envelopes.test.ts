/** Events in the envelope that the document declares: the stripe library reads what the service sends (R6.2, R6.14). */
import assert from "node:assert/strict";
import { test } from "node:test";
import Stripe from "stripe";
import { asyncapi } from "../../src/export/asyncapi/asyncapi.ts";
import type { JsonObject } from "../../src/base/json.ts";
import { openapi } from "../../src/export/openapi/openapi.ts";
import { createReceiver } from "./receiver.ts";
import { documentText, serve, stores } from "./scenario.ts";

const views = `views:
  PaidOrder: { of: Order, object: string := 'order', fields: [id, margin], mine: boolean := caller.id == 'shop' }
  Other: { of: Order, fields: [id] }
`;

const envelope = `envelope:
  id: "{id}"
  object: event
  api_version: "{version}"
  created: "{seconds}"
  data: { object: "{data}" }
  livemode: false
  pending_webhooks: 1
  request: { id: "{request}", idempotency_key: null }
  type: "{type}"
`;

function stripeText(): string {
  const text = documentText("orders");
  const edits: readonly (readonly [string | RegExp, string])[] = [
    [/^envelope: .*\n/m, envelope],
    ["signed: standard-webhooks", "signed: stripe"],
    [/order\.paid: .*$/m, "order.paid: { when: Order -> paid, carries: PaidOrder }"],
    [/(## Resources and their fields\n+```yaml\n)/, `$1${views}`],
  ];
  return edits.reduce((before, [from, to]) => {
    const after = before.replace(from, to);
    assert.notEqual(after, before, String(from));
    return after;
  }, text);
}

for (const store of stores)
  test(`a receiver reads events with the stripe library, ${store}`, async () => {
    await using subject = await serve(stripeText(), { store });
    const { running, client } = subject;
    const stripe = new Stripe("sk_test_none");
    const seen: JsonObject[] = [];
    for (const [user, role] of [
      ["shop", "shop"],
      ["clerk", "clerk"],
    ] as const) {
      await using receiver = await createReceiver();
      const authorization = `Bearer ${await running.key(user, role)}`;
      const maker = `Bearer ${await running.key("shop", "shop")}`;
      const post = async (path: string, body: object | undefined, by: string): Promise<JsonObject> => {
        const reply = await client.send({
          method: "POST",
          path,
          headers: { authorization: by },
          ...(body && { body }),
        });
        assert.ok(reply.status < 300, reply.text);
        return reply.json as JsonObject;
      };
      const { id: hook, secret } = await post(
        "/webhooks",
        { url: receiver.url, events: ["order.paid"] },
        authorization,
      );
      const { id } = await post("/orders", { email: "a@shop.example", margin: 7 }, maker);
      await post(`/orders/${id as string}/pay`, undefined, maker);
      const [one] = await receiver.until(1);
      assert.ok(one !== undefined);
      const signature = one.headers["stripe-signature"] ?? "";
      const event = stripe.webhooks.constructEvent(one.body, signature, secret as string) as unknown as JsonObject;
      assert.equal(one.headers["content-type"], "application/json");
      assert.deepEqual(Object.keys(event), ["id", "object", "api_version", "created", "data", "livemode", "pending_webhooks", "request", "type"]); // biome-ignore format: short
      assert.partialDeepStrictEqual(event, { object: "event", livemode: false, type: "order.paid", api_version: null });
      assert.ok(Math.abs((event["created"] as number) - running.now() / 1000) < 60);
      const { object } = event["data"] as { readonly object: JsonObject };
      assert.equal(object["id"], id);
      seen.push(object);
      const page = await client.send({ method: "GET", path: "/events?type=order.paid&limit=100", headers: { authorization, accept: "application/json" } }); // biome-ignore format: short
      const { items } = page.json as unknown as { readonly items: readonly JsonObject[] };
      assert.deepEqual(items.at(-1), event, "the stream sends the same");
      await client.send({ method: "DELETE", path: `/webhooks/${hook as string}`, headers: { authorization } });
    }
    const [forShop, forClerk] = seen;
    assert.deepEqual(Object.keys(forShop ?? {}), ["id", "object", "mine"], "a hidden field stays hidden in a view");
    assert.equal(forShop?.["mine"], true);
    assert.partialDeepStrictEqual(forClerk, { object: "order", margin: 7, mine: false });

    const described = JSON.stringify(openapi(running.plan, "http://service"));
    assert.match(described, /"created":\{"type":"integer"/);
    assert.match(described, /"object":\{"\$ref":"#\/components\/schemas\/PaidOrder"\}/);
    assert.match(described, /"livemode":\{"const":false\}/);
    const channels = JSON.stringify(asyncapi(running.plan, "http://service"));
    assert.match(channels, /"OrderPaidWebhook":/);
    assert.match(channels, /Stripe-Signature/);
  });
