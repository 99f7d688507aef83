/** Records in place of ids for callers of an older version: paths and records have the names of that version. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { documentOf } from "../../enforced/document.ts";
import { faultsOf } from "../scenario.ts";
import { newest, servedVersions } from "./of-versions.ts";

const shop = documentOf({
  resources: {
    Buyer: { id: "id(buy)", name: "string(1..40)", "parent?": "Buyer, expand" },
    Order: { id: "id(ord)", buyer: "Buyer, expand" },
    Note: { id: "id(not)", order: "Order", "made?": "date" },
    views: {
      OrderOut: { of: "Order", fields: ["id"], buyer: "BuyerOut, expand" },
      BuyerOut: { of: "Buyer", fields: ["id", "name"], "above?": "BuyerOut := parent, expand" },
      NoteOut: { of: "Note", fields: ["id"], for: "OrderOut := order, expand" },
    },
  },
  endpoints: {
    expand: "expand, depth 3",
    fields: "fields",
    endpoints: {
      addBuyer: "POST /buyers",
      getBuyer: "GET /buyers/{id}",
      addOrder: "POST /orders",
      getOrder: "GET /orders/{id}",
      listOrders: "GET /orders",
      addNote: { at: "POST /notes", gives: "NoteOut" },
      getNote: { at: "GET /notes/{id}", gives: "NoteOut" },
    },
  },
  versioning: {
    scheme: "dated",
    sent: "header Version",
    absent: "newest",
    versions: {
      [newest]: ["rename Customer -> Buyer", "rename Buyer.label -> name", "rename Order.customer -> buyer"],
      "2026-01-01": "first",
    },
  },
});

servedVersions("expand in an older version", shop, (send) => {
  test("R9.3 paths and records have the older names", async () => {
    const add = async (call: `POST /${string}`, body: object): Promise<string> => {
      const reply = await send(call, { body, version: newest });
      assert.equal(reply.status, 201, reply.text);
      return (reply.json as { id: string }).id;
    };
    const parent = await add("POST /buyers", { name: "Ann" });
    const buyer = await add("POST /buyers", { name: "Bob", parent });
    const order = await add("POST /orders", { buyer });
    const note = await add("POST /notes", { order });
    const above = { id: parent, label: "Ann" };

    const full = { id: order, customer: { id: buyer, label: "Bob", parent: above } };
    assert.deepEqual((await send(`GET /orders/${order}?expand=customer.parent`)).json, full);
    assert.deepEqual((await send("GET /orders?expand=customer")).json, {
      items: [{ id: order, customer: { ...full.customer, parent } }],
      next: null,
    });
    assert.deepEqual((await send(`GET /orders/${order}`)).json, { id: order, customer: buyer });
    const made = await send("POST /orders?expand=customer", { body: { customer: buyer } });
    assert.equal((made.json as { customer: { label: string } }).customer.label, "Bob");

    assert.deepEqual((await send(`GET /notes/${note}?expand=for.customer.above`)).json, {
      id: note,
      for: { id: order, customer: { id: buyer, label: "Bob", above } },
    });
    assert.deepEqual((await send(`GET /orders/${order}?fields=customer`)).json, { customer: buyer });
    assert.deepEqual((await send(`GET /orders?expand=customer&fields=customer.label`)).json, {
      items: [{ customer: { label: "Bob" } }, { customer: { label: "Bob" } }],
      next: null,
    });
    assert.deepEqual(faultsOf(await send(`GET /orders/${order}?fields=buyer`)), ["fields unknown-field"]);

    for (const path of [
      `/orders/${order}?expand=buyer`,
      `/orders/${order}?expand=customer.none`,
      `/notes/${note}?expand=for.buyer`,
    ] as const)
      assert.deepEqual(faultsOf(await send(`GET ${path}`)), ["expand unknown-field"]);
  });
});
