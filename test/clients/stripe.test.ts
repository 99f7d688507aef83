/** The unchanged `stripe` works with examples/card-payments.md: each operation, forms, pages, idempotency and errors. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import Stripe from "stripe";
import { type Running, run } from "../serve/running.ts";
import { createReceiver } from "../serve/receiver.ts";
import { stores } from "../serve/scenario.ts";

const text = readFileSync(new URL("../../examples/card-payments.md", import.meta.url), "utf8");
const card = (token = "tok_visa"): Stripe.PaymentMethodCreateParams => ({ type: "card", card: { token } });

/** The class, status, code and parameter of the error with which a call fails. */
async function failure(call: Promise<unknown>): Promise<readonly unknown[]> {
  const error: unknown = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof Stripe.errors.StripeError, String(error));
  const { type, statusCode, code, param } = error;
  return [type, statusCode, code, param].filter((one) => one !== undefined);
}

function clientOf(running: Running, key: string): Stripe {
  return new Stripe(key, {
    host: "127.0.0.1",
    port: running.port,
    protocol: "http",
    maxNetworkRetries: 0,
    telemetry: false,
  });
}

for (const store of stores) {
  test(`Stripe works unchanged (${store})`, async (t) => {
    await using running = await run(text, { store });
    const key = await running.key("shop", "merchant");
    const shop = clientOf(running, key);
    const other = clientOf(running, await running.key("other", "merchant"));
    const payWith = async (token?: string): Promise<string> => (await shop.paymentMethods.create(card(token))).id;

    await t.test("customers", async () => {
      const ann = await shop.customers.create({ email: "ann@example.com", name: "Ann", metadata: { order: "6" } });
      assert.match(ann.id, /^cus_[A-Za-z0-9]{14}$/);
      assert.deepEqual(
        [ann.object, ann.email, ann.metadata, ann.livemode],
        ["customer", "ann@example.com", { order: "6" }, false],
      );
      assert.ok(Math.abs(ann.created - Date.now() / 1000) < 60);
      assert.deepEqual(await shop.customers.retrieve(ann.id), ann);
      const changed = await shop.customers.update(ann.id, {
        name: "",
        description: "Friend",
        metadata: { color: "red" },
      });
      assert.deepEqual(
        [changed.name, changed.description, changed.metadata],
        [null, "Friend", { order: "6", color: "red" }],
      );
      const without = await shop.customers.update(ann.id, { metadata: { order: "" } });
      assert.deepEqual(without.metadata, { color: "red" });
      assert.deepEqual((await shop.customers.update(ann.id, { metadata: "" })).metadata, {});
      assert.deepEqual(await failure(other.customers.retrieve(ann.id)), [
        "StripeInvalidRequestError",
        404,
        "resource_missing",
      ]);
      assert.deepEqual(await failure(shop.customers.create({ email: "nobody" })), [
        "StripeInvalidRequestError",
        400,
        "email_invalid",
        "email",
      ]);
      const { id, object, deleted } = await shop.customers.del(ann.id);
      assert.deepEqual([id, object, deleted], [ann.id, "customer", true]);
      assert.deepEqual(await failure(shop.customers.retrieve(ann.id)), [
        "StripeInvalidRequestError",
        404,
        "resource_missing",
      ]);
    });

    await t.test("lists and their pages", async () => {
      const names = ["a", "b", "c", "d", "e", "f", "g"];
      for (const name of names) await shop.customers.create({ name, email: `${name}@example.com` });
      const page = await shop.customers.list({ limit: 3 });
      assert.deepEqual([page.object, page.has_more, page.url], ["list", true, "/v1/customers"]);
      assert.deepEqual(
        page.data.map(({ name }) => name),
        ["g", "f", "e"],
      );
      const all = await shop.customers.list({ limit: 3 }).autoPagingToArray({ limit: 100 });
      assert.deepEqual(
        all.map(({ name }) => name),
        names.toReversed(),
      );
      const back = await shop.customers
        .list({ limit: 2, ending_before: all.at(-1)?.id ?? "" })
        .autoPagingToArray({ limit: 100 });
      assert.deepEqual(
        back.map(({ name }) => name),
        names.slice(1),
      );
      assert.deepEqual(
        (await shop.customers.list({ email: "c@example.com" })).data.map(({ name }) => name),
        ["c"],
      );
      assert.equal(
        (await shop.customers.list({ created: { gte: Math.floor(Date.now() / 1000) + 60 } })).data.length,
        0,
      );
      assert.equal(
        (await shop.customers.list({ created: { gte: Math.floor(Date.now() / 1000) - 600 } })).data.length,
        7,
      );
      assert.equal((await other.customers.list()).data.length, 0);
    });

    await t.test("payment methods", async () => {
      const bob = await shop.customers.create({ name: "Bob" });
      const method = await shop.paymentMethods.create({ ...card(), metadata: { a: "1" } });
      assert.deepEqual(
        [method.object, method.type, method.card?.brand, method.customer],
        ["payment_method", "card", "visa", null],
      );
      assert.equal((await shop.paymentMethods.attach(method.id, { customer: bob.id })).customer, bob.id);
      assert.deepEqual(
        (await shop.paymentMethods.list({ customer: bob.id })).data.map(({ id }) => id),
        [method.id],
      );
      const own = await shop.customers.listPaymentMethods(bob.id);
      assert.deepEqual(
        [own.url, own.data.map(({ id }) => id)],
        [`/v1/customers/${bob.id}/payment_methods`, [method.id]],
      );
      assert.equal((await shop.paymentMethods.detach(method.id)).customer, null);
      assert.equal((await shop.paymentMethods.retrieve(method.id)).customer, null);
      assert.deepEqual(
        (await failure(shop.paymentMethods.attach(method.id, { customer: bob.id })))[0],
        "StripeInvalidRequestError",
      );
      assert.deepEqual(await failure(shop.paymentMethods.create({ type: "card", card: { token: "4242" } })), [
        "StripeInvalidRequestError",
        400,
        "parameter_invalid",
        "card[token]",
      ]);
    });

    await t.test("payments: created, confirmed, captured, canceled", async () => {
      const intent = await shop.paymentIntents.create({ amount: 2000, currency: "usd" });
      assert.deepEqual(
        [intent.status, intent.amount, intent.amount_received, intent.capture_method],
        ["requires_payment_method", 2000, 0, "automatic_async"],
      );
      assert.deepEqual((await failure(shop.paymentIntents.confirm(intent.id))).slice(0, 3), [
        "StripeInvalidRequestError",
        400,
        "payment_intent_unexpected_state",
      ]);
      const with_card = await shop.paymentIntents.update(intent.id, { payment_method: await payWith(), amount: 2100 });
      assert.deepEqual([with_card.status, with_card.amount], ["requires_confirmation", 2100]);
      const paid = await shop.paymentIntents.confirm(intent.id);
      assert.deepEqual([paid.status, paid.amount_received], ["succeeded", 2100]);
      assert.deepEqual(await shop.paymentIntents.retrieve(intent.id), paid);
      assert.deepEqual((await failure(shop.paymentIntents.cancel(intent.id))).slice(0, 3), [
        "StripeInvalidRequestError",
        400,
        "payment_intent_unexpected_state",
      ]);
      const held = await shop.paymentIntents.create({
        amount: 900,
        currency: "eur",
        payment_method: await payWith("tok_mastercard"),
        capture_method: "manual",
        confirm: true,
      });
      assert.deepEqual([held.status, held.amount_capturable, held.amount_received], ["requires_capture", 900, 0]);
      assert.deepEqual(
        (await failure(shop.paymentIntents.capture(held.id, { amount_to_capture: 901 })))[0],
        "StripeInvalidRequestError",
      );
      const captured = await shop.paymentIntents.capture(held.id, { amount_to_capture: 500 });
      assert.deepEqual([captured.status, captured.amount_capturable, captured.amount_received], ["succeeded", 0, 500]);
      const wanted = await shop.paymentIntents.create({ amount: 10, currency: "usd", payment_method: await payWith() });
      const confirmed = await Promise.all(
        Array.from({ length: 4 }, () => shop.paymentIntents.confirm(wanted.id).catch(({ statusCode }) => statusCode)),
      );
      assert.deepEqual(
        confirmed.filter((one) => typeof one === "number"),
        [400, 400, 400],
      );
      const given_up = await shop.paymentIntents.create({ amount: 100, currency: "nok" });
      assert.equal(
        (await shop.paymentIntents.cancel(given_up.id, { cancellation_reason: "abandoned" })).status,
        "canceled",
      );
      const at_once = await shop.paymentIntents.create({
        amount: 150,
        currency: "usd",
        payment_method: await payWith(),
        confirm: true,
      });
      assert.deepEqual([at_once.status, at_once.amount_received], ["succeeded", 150]);
    });

    await t.test("payments of a customer, and their charges", async () => {
      const eve = await shop.customers.create({ name: "Eve" });
      const pay = async (amount: number) =>
        shop.paymentIntents.create({
          amount,
          currency: "usd",
          customer: eve.id,
          payment_method: await payWith(),
          confirm: true,
        });
      const intents = [await pay(100), await pay(200)];
      await shop.paymentIntents.create({ amount: 300, currency: "usd", customer: eve.id });
      assert.deepEqual(
        (await shop.paymentIntents.list({ customer: eve.id })).data.map(({ amount }) => amount),
        [300, 200, 100],
      );
      const charges = await shop.charges.list({ customer: eve.id });
      assert.deepEqual(
        charges.data.map(({ amount, captured, payment_intent }) => [amount, captured, payment_intent]),
        [
          [200, true, intents[1]?.id],
          [100, true, intents[0]?.id],
        ],
      );
      const [charge] = (await shop.charges.list({ payment_intent: intents[0]?.id ?? "" })).data;
      assert.deepEqual(await shop.charges.retrieve(charge?.id ?? ""), charge);
      assert.equal((await shop.paymentIntents.retrieve(intents[0]?.id ?? "")).latest_charge, charge?.id);
    });

    await t.test("records in place of ids", async () => {
      const fay = await shop.customers.create({ name: "Fay" });
      const params = { amount: 100, currency: "usd", customer: fay.id, payment_method: await payWith(), confirm: true };
      const intent = await shop.paymentIntents.create({ ...params, expand: ["customer", "latest_charge"] });
      const charge = intent.latest_charge as Stripe.Charge;
      assert.deepEqual(intent.customer, fay);
      assert.deepEqual([charge.object, charge.amount, charge.payment_intent], ["charge", 100, intent.id]);
      const read = await shop.paymentIntents.retrieve(intent.id, { expand: ["latest_charge.customer"] });
      assert.deepEqual([read.customer, (read.latest_charge as Stripe.Charge).customer], [fay.id, fay]);
      const list = await shop.charges.list({ customer: fay.id, expand: ["data.customer", "data.payment_intent"] });
      assert.deepEqual(
        list.data.map(({ customer, payment_intent }) => [customer, (payment_intent as Stripe.PaymentIntent).id]),
        [[fay, intent.id]],
      );
      const refund = await shop.refunds.create({ charge: charge.id, expand: ["charge.customer"] });
      assert.deepEqual((refund.charge as Stripe.Charge).customer, fay);
      const open = await shop.paymentIntents.create({
        amount: 1,
        currency: "usd",
        expand: ["customer", "latest_charge"],
      });
      assert.deepEqual([open.customer, open.latest_charge], [null, null]);
      assert.deepEqual((await failure(shop.paymentIntents.retrieve(intent.id, { expand: ["nothing"] }))).slice(0, 2), [
        "StripeInvalidRequestError",
        400,
      ]);
    });

    await t.test("balance", async () => {
      const saver = clientOf(running, await running.key("saver", "merchant"));
      const empty = await saver.balance.retrieve();
      assert.deepEqual([empty.object, empty.available, empty.livemode], ["balance", [], false]);
      const pay = async (amount: number, currency: string, more?: Partial<Stripe.PaymentIntentCreateParams>) => {
        const { id } = await saver.paymentMethods.create(card());
        return saver.paymentIntents.create({ amount, currency, payment_method: id, confirm: true, ...more });
      };
      await pay(500, "eur");
      await pay(900, "usd", { capture_method: "manual" });
      const { id } = await pay(300, "usd");
      await pay(50, "usd");
      await saver.refunds.create({ payment_intent: id, amount: 100 });
      assert.deepEqual((await saver.balance.retrieve()).available, [
        { currency: "eur", amount: 500 },
        { currency: "usd", amount: 250 },
      ]);
    });

    await t.test("declined cards", async () => {
      const error = await shop.paymentIntents
        .create({ amount: 100, currency: "usd", payment_method: await payWith("tok_chargeDeclined"), confirm: true })
        .catch((thrown: unknown) => thrown);
      assert.ok(error instanceof Stripe.errors.StripeCardError);
      assert.deepEqual([error.statusCode, error.code, error.decline_code], [402, "card_declined", "generic_decline"]);
      const intent = await shop.paymentIntents.create({
        amount: 100,
        currency: "usd",
        payment_method: await payWith("tok_chargeDeclined"),
      });
      assert.deepEqual(await failure(shop.paymentIntents.confirm(intent.id)), [
        "StripeCardError",
        402,
        "card_declined",
      ]);
      assert.equal(
        (await shop.paymentIntents.confirm(intent.id, { payment_method: await payWith() })).status,
        "succeeded",
      );
    });

    await t.test("refunds", async () => {
      const intent = await shop.paymentIntents.create({
        amount: 1000,
        currency: "usd",
        payment_method: await payWith(),
        confirm: true,
      });
      const part = await shop.refunds.create({
        payment_intent: intent.id,
        amount: 300,
        reason: "requested_by_customer",
      });
      assert.deepEqual(
        [part.object, part.status, part.amount, part.payment_intent],
        ["refund", "succeeded", 300, intent.id],
      );
      const charge = await shop.charges.retrieve(part.charge as string);
      assert.deepEqual([charge.amount_refunded, charge.refunded], [300, false]);
      assert.deepEqual(
        (await failure(shop.refunds.create({ charge: charge.id, amount: 701 })))[0],
        "StripeInvalidRequestError",
      );
      const all = await Promise.allSettled(
        Array.from({ length: 6 }, () => shop.refunds.create({ charge: charge.id, amount: 200 })),
      );
      assert.equal(all.filter(({ status }) => status === "fulfilled").length, 3);
      const rest = await shop.refunds.create({ payment_intent: intent.id });
      assert.equal(rest.amount, 100);
      const refunded = await shop.charges.retrieve(charge.id);
      assert.deepEqual([refunded.amount_refunded, refunded.refunded], [1000, true]);
      assert.equal((await shop.refunds.list({ payment_intent: intent.id })).data.length, 5);
      assert.deepEqual(await shop.refunds.retrieve(part.id), part);
    });

    await t.test("products and prices", async () => {
      const product = await shop.products.create({ name: "Tea", metadata: { shelf: "4" } });
      assert.deepEqual([product.object, product.active, product.metadata], ["product", true, { shelf: "4" }]);
      assert.equal((await shop.products.update(product.id, { active: false })).active, false);
      assert.equal((await shop.products.retrieve(product.id)).active, false);
      assert.deepEqual(
        (await shop.products.list({ active: false })).data.map(({ name }) => name),
        ["Tea"],
      );
      const price = await shop.prices.create({
        product: product.id,
        currency: "usd",
        unit_amount: 500,
        recurring: { interval: "month" },
      });
      assert.deepEqual([price.type, price.unit_amount, price.recurring?.interval], ["recurring", 500, "month"]);
      const once = await shop.prices.create({ product: product.id, currency: "usd", unit_amount: 900 });
      assert.deepEqual([once.type, once.recurring ?? null], ["one_time", null]);
      assert.deepEqual(await shop.prices.retrieve(price.id), price);
      assert.deepEqual(
        (await shop.prices.list({ product: product.id })).data.map(({ id }) => id),
        [once.id, price.id],
      );
      const empty = await shop.products.create({ name: "Air" });
      assert.equal((await shop.products.del(empty.id)).deleted, true);
    });

    await t.test("webhooks", async () => {
      await using receiver = await createReceiver();
      const { id: webhook, secret } = (await shop.rawRequest("POST", "/v1/webhook_endpoints", {
        url: receiver.url,
      })) as unknown as {
        id: string;
        secret: string;
      };
      const { id } = await shop.paymentIntents.create({
        amount: 700,
        currency: "usd",
        payment_method: await payWith(),
        confirm: true,
      });
      const [received] = await receiver.until(1);
      const event = shop.webhooks.constructEvent(
        received?.body ?? "",
        received?.headers["stripe-signature"] ?? "",
        secret,
      );
      assert.ok(event.type === "payment_intent.succeeded");
      assert.deepEqual(event.data.object, await shop.paymentIntents.retrieve(id));
      assert.ok(Math.abs(event.created - Date.now() / 1000) < 60);
      assert.deepEqual(Object.entries(await shop.events.retrieve(event.id)), Object.entries(event));
      assert.deepEqual(await failure(other.events.retrieve(event.id)), [
        "StripeInvalidRequestError",
        404,
        "resource_missing",
      ]);
      const { data } = (await shop.rawRequest("GET", `/v1/webhook_endpoints/${webhook}/deliveries`)) as unknown as {
        data: readonly object[];
      };
      assert.equal(data.length, 1);
      assert.throws(
        () =>
          shop.webhooks.constructEvent(
            received?.body ?? "",
            received?.headers["stripe-signature"] ?? "",
            "whsec_other",
          ),
        Stripe.errors.StripeSignatureVerificationError,
      );
      const gone = await fetch(`${running.url}/v1/webhook_endpoints/${webhook}`, {
        method: "DELETE",
        headers: { Authorization: `Bearer ${key}` },
      });
      assert.equal(gone.status, 204);
    });

    await t.test("idempotency keys", async () => {
      const once = { idempotencyKey: "order-1" };
      const [first, again] = [
        await shop.customers.create({ name: "Ida" }, once),
        await shop.customers.create({ name: "Ida" }, once),
      ];
      assert.equal(again.id, first.id);
      assert.deepEqual(await failure(shop.customers.create({ name: "Eda" }, once)), ["StripeIdempotencyError", 400]);
    });

    await t.test("errors by class", async () => {
      assert.deepEqual(await failure(clientOf(running, "sk_wrong").customers.list()), [
        "StripeAuthenticationError",
        401,
      ]);
      assert.deepEqual(await failure(shop.paymentIntents.create({ amount: -1, currency: "usd" })), [
        "StripeInvalidRequestError",
        400,
        "parameter_invalid_integer",
        "amount",
      ]);
      assert.deepEqual(await failure(shop.paymentIntents.create({ currency: "usd" } as never)), [
        "StripeInvalidRequestError",
        400,
        "parameter_missing",
        "amount",
      ]);
      assert.deepEqual(
        await failure(shop.paymentIntents.create({ amount: 100, currency: "usd", customer: "cus_00000000000000" })),
        ["StripeInvalidRequestError", 400, "resource_missing", "customer"],
      );
    });
  });

  test(`Stripe learns of rate limits (${store})`, async () => {
    await using running = await run(text.replace("all: 6000/min", "all: 2/min"), { store });
    const shop = clientOf(running, await running.key("shop", "merchant"));
    await shop.customers.list();
    await shop.customers.list();
    assert.deepEqual(await failure(shop.customers.list()), ["StripeRateLimitError", 429, "rate_limit"]);
  });
}
