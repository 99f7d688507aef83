/** What requests may contain (`requests`): media types, forms with brackets, unknown members, texts in place of numbers. */
import assert from "node:assert/strict";
import { documentText, play, type Scenario, served } from "./scenario.ts";

const form = "application/x-www-form-urlencoded";

served("requests", documentText("lenient-orders"), (subject) => {
  const sends = (type: string, body: string, more: Omit<Scenario, "name" | "send">, path = "/orders"): Scenario => ({
    name: `R4.5 POST ${path} of ${type}: ${body.slice(0, 100)}`,
    send: () => ({ method: "POST", path, headers: { "Content-Type": type }, body }),
    ...more,
  });
  const plain = { customer: "ann", amount: 5, due: null };
  const json = (members: object, more: Omit<Scenario, "name" | "send">, path?: string): Scenario =>
    sends("application/json", JSON.stringify({ ...plain, ...members }), more, path);
  const accepts = (accept: string, status: number, type?: string): Scenario => ({
    name: `R4.4 Accept: ${accept} is ${status} ${type ?? ""}`,
    send: { method: "GET", path: "/orders", headers: { Accept: accept } },
    status,
    ...(type === undefined ? { code: "not-acceptable" } : { headers: { "Content-Type": type, Vary: /Accept/ } }),
  });
  const vendor = "application/vnd.orders+json";

  play(subject, [
    // Media types of responses
    accepts("*/*", 200, vendor),
    accepts(vendor, 200, vendor),
    accepts("application/json", 200, "application/json"),
    accepts("application/vnd.github.v3+json", 200, "application/json"),
    accepts(`application/vnd.other+json;q=0.1, ${vendor};q=0.2`, 200, vendor),
    accepts("application/json, application/vnd.orders+json;q=0.9", 200, "application/json"),
    accepts(form, 406),
    accepts("text/html", 406),
    accepts("application/json;q=0, application/*+json;q=0", 406),
    // Media types of bodies
    ...["application/json", vendor, "application/vnd.api+json; charset=utf-8"].map((type) =>
      sends(type, JSON.stringify(plain), { status: 201, has: plain }),
    ),
    sends("application/xml", "<a/>", { status: 415, code: "unsupported-media" }),
    sends("text/plain+json", "{}", { status: 415, code: "unsupported-media" }),
    // Forms
    sends(form, "customer=ann&amount=5&due=", { status: 201, has: { customer: "ann", amount: 5, due: null } }),
    sends(form, "customer=a%26b+c&amount=5&gift=true&weight=2.5&due=2026-01-02", {
      status: 201,
      has: { customer: "a&b c", gift: true, weight: 2.5, due: "2026-01-02" },
    }),
    sends(form, "customer=1&amount=5&due=&items[0][sku]=2&items[0][quantity]=3&items[1][sku]=b", {
      status: 201,
      has: {
        customer: "1",
        items: [
          { sku: "2", quantity: 3 },
          { sku: "b", quantity: 1 },
        ],
      },
    }),
    sends(form, "customer=ann&amount=5&due=&tags[]=a&tags[]=b&metadata[order id]=7&metadata[0]=x", {
      status: 201,
      has: { tags: ["a", "b"], metadata: { "order id": "7", "0": "x" } },
    }),
    sends(form, "customer=ann&amount=5&due=&tags=a", { status: 201, has: { tags: ["a"] } }),
    sends(form, "customer=ann&amount=5&due=&tags=a&tags=b", { status: 201, has: { tags: ["a", "b"] } }),
    sends(form, "customer=ann&amount=5&due=&__proto__[x]=1&constructor=2&hasOwnProperty[y]=3", {
      status: 201,
      has: { customer: "ann" },
    }),
    sends(form, "customer=ann&customer=bob&amount=5&due=", { status: 422, faults: ["#/customer wrong-type"] }),
    sends(form, "customer=ann&amount=many&due=", { status: 422, faults: ["#/amount wrong-type"] }),
    sends(form, "customer=ann&amount=5&due=&items[0][quantity]=3", { status: 422, faults: ["#/items/0/sku required"] }),
    sends(form, "customer=ann&amount=5&due=&items[a][sku]=3", { status: 422, faults: ["#/items wrong-type"] }),
    sends(form, "customer[a]=1&customer=2", { status: 400, faults: ["#/customer bad-form"] }),
    sends(form, `customer${"[a]".repeat(11)}=1`, { status: 400, code: "invalid-request" }),
    sends(form, "customer=%zz", { status: 400, faults: ["#/customer bad-escape"] }),
    sends(form, "", { status: 422, faults: ["#/amount required", "#/customer required", "#/due required"] }),
    // Unknown members, at any depth, and members that only the service sets
    json(
      { color: "red", id: "ord_1", paid: 7, items: [{ sku: "a", from: "here" }] },
      {
        status: 201,
        has: { paid: 0, items: [{ sku: "a", quantity: 1 }] },
        lacks: ["red", "here", 'ord_1"'],
      },
    ),
    json({ metadata: { any: "thing" } }, { status: 201, has: { metadata: { any: "thing" } } }),
    json({ color: "red", customer: 7 }, { status: 422, faults: ["#/customer wrong-type"] }),
    json({ color: "red" }, { status: 422, faults: ["#/color unknown-field"] }, "/strict-orders"),
    sends(
      "application/json",
      JSON.stringify({ order: { customer: "ann", amount: "5", x: 1 }, y: 2 }),
      { status: 201, has: { amount: 5 } },
      "/pay",
    ),
    sends(
      "application/json",
      JSON.stringify({ order: { y: 2 }, more: 1 }),
      {
        status: 422,
        faults: ["#/more wrong-type", "#/order/amount required", "#/order/customer required"],
      },
      "/pay",
    ),
    sends(form, "order[customer]=ann&order[amount]=5&more[note]=x", { status: 201, has: { note: "x" } }, "/pay"),
    sends(form, "customer=ann&amount=5&due=&weight=&items=&tags=&metadata=&note=", {
      status: 201,
      then: ({ json: made }) =>
        assert.deepEqual(Object.keys(made as object), ["id", "customer", "amount", "gift", "due", "paid"]),
    }),
    sends(form, "customer=%zz", {
      status: 400,
      faults: ["#/customer bad-escape"],
      has: { detail: "`customer` contains an invalid percent escape" },
    }),
    // Texts in place of numbers and booleans
    json({ amount: "7", gift: "true", weight: "2.5" }, { status: 201, has: { amount: 7, gift: true, weight: 2.5 } }),
    json({ customer: "7" }, { status: 201, has: { customer: "7" } }),
    json({ items: [{ sku: "a", quantity: "3" }] }, { status: 201, has: { items: [{ sku: "a", quantity: 3 }] } }),
    ...["7a", "", " 7", "0x7", "1e400", "null", "[7]"].map((amount) =>
      json({ amount }, { status: 422, faults: [`#/amount ${amount === "1e400" ? "too-large" : "wrong-type"}`] }),
    ),
    json({ amount: "7" }, { status: 422, faults: ["#/amount wrong-type"] }, "/strict-orders"),
    // Unknown parameters
    {
      name: "R4.13 an unknown parameter is ignored",
      send: { method: "GET", path: "/orders?color=red&customer=nobody" },
      status: 200,
      has: { items: [] },
    },
    {
      name: "R4.13 an invalid parameter is not",
      send: { method: "GET", path: "/orders?limit=0" },
      status: 400,
      faults: ["limit out-of-range"],
    },
    {
      name: "R4.8 a PATCH in a form: an empty value clears an optional member",
      send: async () => {
        const made = await subject.client.send({
          method: "POST",
          path: "/orders",
          headers: { "Content-Type": form },
          body: "customer=ann&amount=5&due=&note=x&weight=3",
        });
        const { id } = made.json as { id: string };
        return {
          method: "PATCH",
          path: `/orders/${id}`,
          headers: { "Content-Type": form },
          body: "note=&amount=6&id=ord_2&paid=9",
        };
      },
      status: 200,
      has: { amount: 6, weight: 3, paid: 0 },
      then: ({ json: body }) => assert.ok(!Object.hasOwn(body as object, "note")),
    },
  ]);
});
