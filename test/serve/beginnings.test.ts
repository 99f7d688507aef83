/** A creation that `by` names makes a transition: the new record begins in the target state (R3.8). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { crudOf, documentOf } from "../enforced/document.ts";
import { served } from "./scenario.ts";

const text = documentOf({
  resources: {
    Order: {
      id: "id(ord)",
      amount: "integer(0..1000)",
      held: "boolean = false, create-only",
      paid: "integer = 0, read-only",
      "note?": "string(1..20), unique",
    },
    Receipt: { id: "id(rec)", order: "Order, filter", of: "integer" },
    Sum: { id: "id(sum)", paid: "integer = 0, read-only" },
  },
  states: {
    Order: {
      states: ["open", "held", "paid"],
      start: "open",
      final: "none",
      moves: {
        "open -> held": [{ by: "addOrder", if: "held && input.amount > 0" }],
        "open -> paid": [
          {
            by: "addOrder",
            if: "!held && amount >= 100",
            set: { paid: "amount" },
            also: { create: "Receipt", with: { order: "id", of: "this.paid" } },
          },
          { by: "payOrder", if: "amount > 0", else: "nothing-to-pay", set: { paid: "amount" } },
        ],
        "held | paid -> open": "by openOrder",
      },
    },
    Sum: {
      states: ["empty", "full"],
      start: "empty",
      final: "full",
      moves: {
        "empty -> full": {
          by: "addSum",
          if: "Order.exists(o, o.state == 'paid')",
          else: "nothing-to-pay",
          set: { paid: "Order.filter(o, o.state == 'paid').map(o, o.paid).sum()" },
        },
      },
    },
  },
  endpoints: {
    endpoints: {
      ...crudOf("Order"),
      payOrder: "POST /orders/{id}/pay",
      openOrder: "POST /orders/{id}/open",
      orderHistory: "GET /orders/{id}/history",
      listReceipts: "GET /receipts",
      addSum: { at: "POST /sums", takes: "none" },
    },
  },
  events: { out: { "order.opened": "Order -> open", "order.held": "Order -> held" }, delivery: "none" },
  errors: { errors: { "nothing-to-pay": "409 There is nothing to pay" } },
});

served("beginnings", text, (subject) => {
  const add = async (path: string, body: object) => {
    const { status, json } = await subject.client.send({ method: "POST", path, body });
    return { status, ...(json as { id: string; state: string; paid: number; code: string }) };
  };
  const get = async (path: string) =>
    (await subject.client.send({ method: "GET", path })).json as { items: readonly Record<string, unknown>[] };

  test("R3.8 the first transition whose guard is true gives the new record its state, what it sets and its further writes", async () => {
    for (const [body, state, paid, receipts] of [
      [{ amount: 99 }, "open", 0, 0],
      [{ amount: 100 }, "paid", 100, 1],
      [{ amount: 100, held: true }, "held", 0, 0],
      [{ amount: 0, held: true }, "open", 0, 0],
    ] as const) {
      const made = await add("/orders", body);
      assert.deepEqual([made.status, made.state, made.paid], [201, state, paid], JSON.stringify(body));
      const { items } = await get(`/receipts?order=${made.id}`);
      assert.deepEqual(
        items.map(({ of }) => of),
        receipts === 1 ? [paid] : [],
      );
      const history = await get(`/orders/${made.id}/history`);
      assert.deepEqual(
        history.items.map(({ from, to }) => [from ?? null, to]),
        [[null, state]],
      );
    }
  });

  test("R3.8 a rejected creation leaves nothing; other transitions from the state go on as declared", async () => {
    assert.equal((await add("/orders", { amount: 200, note: "one" })).status, 201);
    const count = (await get("/receipts")).items.length;
    assert.equal((await add("/orders", { amount: 200, note: "one" })).status, 409);
    assert.equal((await add("/orders", { amount: 2000 })).status, 422);
    assert.equal((await get("/receipts")).items.length, count);
    const { id } = await add("/orders", { amount: 5 });
    const conflict = await subject.client.send({ method: "POST", path: `/orders/${id}/open` });
    assert.deepEqual((conflict.json as { moves: string[] }).moves, ["payOrder"]);
    assert.equal((await subject.client.send({ method: "POST", path: `/orders/${id}/pay` })).status, 200);
  });

  test("R3.8 with `else`, the creation is rejected if no guard is true", async () => {
    const orders = (await get("/orders")).items;
    assert(orders.some(({ state }) => state === "paid"));
    const made = await add("/sums", {});
    assert.deepEqual([made.status, made.state], [201, "full"]);
    for (const { id } of orders) await subject.client.send({ method: "POST", path: `/orders/${String(id)}/open` });
    const refused = await add("/sums", {});
    assert.deepEqual([refused.status, refused.code], [409, "nothing-to-pay"]);
  });
});
