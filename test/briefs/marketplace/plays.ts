/** A marketplace: what the brief promises. */
import { createHmac } from "node:crypto";
import type { Plays, Step } from "../../docs/play.ts";

const secret = "whsec_c2VjcmV0IG9mIHRoZSBwcm92aWRlcg==";
const products: readonly Step[] = [
  ["vera POST /products", { name: "Cup", priceCents: 250, stock: 3 }, "201 as $cup"],
  ["vera POST /products", { name: "Jug", priceCents: 900, stock: 1 }, "201 as $jug"],
  ["vic POST /products", { name: "Hat", priceCents: 100, stock: 9 }, "201 as $hat"],
];
const order = (...lines: readonly (readonly [product: string, quantity: number])[]): object => ({
  lines: lines.map(([product, quantity]) => ({ product, quantity })),
});
const place = (caller: string, response: string, ...lines: readonly (readonly [string, number])[]): Step => [
  `${caller} POST /orders`,
  order(...lines),
  response,
];
const stock = (of: string, pieces: number): Step => [`vera GET /products/$${of}`, `200 stock=${pieces}`];
const pay = (response: string, caller = "provider"): Step => [
  `${caller} POST /hooks/payments`,
  { order: "$order" },
  response,
];

export const marketplace: Plays = {
  callers: { vera: ["vendor"], vic: ["vendor"], ann: ["customer"], bob: ["customer"] },
  environment: { PAYMENT_SECRET: secret },
  signed(caller, body, now) {
    if (caller === "nobody") return {};
    const seconds = String(Math.floor(now / 1000));
    const key = caller === "provider" ? Buffer.from(secret.slice("whsec_".length), "base64") : "another";
    const signature = createHmac("sha256", key).update(`msg_1.${seconds}.${body}`).digest("base64");
    return { "webhook-id": "msg_1", "webhook-timestamp": seconds, "webhook-signature": `v1,${signature}` };
  },
  promises: {
    "What is ordered is taken from the stock in the same step; if one line cannot be met, no stock changes.": [
      ...products,
      place("ann", "201 state=placed", ["$cup", 2]),
      stock("cup", 1),
      place("ann", "409 line-not-met", ["$cup", 1], ["$jug", 2]),
      stock("cup", 1),
      stock("jug", 1),
      place("ann", "409 line-not-met", ["$cup", 1], ["$cup", 1]),
      stock("cup", 1),
      ["ann GET /orders", "200 items.length=1"],
      ["at once", [place("ann", "", ["$cup", 1]), place("bob", "", ["$cup", 1])], "201 | 409 line-not-met"],
      stock("cup", 0),
      place("ann", "422 invalid-request", ["$jug", 0]),
      place("ann", "422 several-vendors", ["$jug", 1], ["$hat", 1]),
      stock("jug", 1),
    ],
    "Each line keeps the price at which it was ordered; the order has its total.": [
      ...products,
      place("ann", "201 totalCents=1400 as $order", ["$cup", 2], ["$jug", 1]),
      ["vera PATCH /products/$cup", { priceCents: 999 }, "200"],
      ["ann GET /orders/$order", "200 totalCents=1400"],
      ["ann GET /orders/$order/lines", "200 items.length=2 items.0.priceCents=900 items.1.priceCents=250"],
    ],
    "The payment provider reports a payment by a signed webhook; the vendor ships; the customer confirms the delivery":
      [
        ...products,
        place("ann", "201 as $order", ["$cup", 2]),
        pay("401 unauthenticated", "nobody"),
        pay("401 unauthenticated", "thief"),
        ["vera POST /orders/$order/ship", "409 state-conflict"],
        pay("202"),
        pay("202"),
        ["ann GET /orders/$order", "200 state=paid"],
        ["vic POST /orders/$order/ship", "404 not-found"],
        ["ann POST /orders/$order/ship", "403 forbidden"],
        ["ann POST /orders/$order/confirm-delivery", "409 state-conflict"],
        ["vera POST /orders/$order/ship", "200 state=shipped"],
        ["bob POST /orders/$order/confirm-delivery", "404 not-found"],
        ["ann POST /orders/$order/confirm-delivery", "200 state=delivered"],
        stock("cup", 1),
      ],
    "A placed order that is not paid within 30 minutes is cancelled, and a cancelled order gives its stock back.": [
      ...products,
      place("ann", "201 as $order", ["$cup", 2], ["$jug", 1]),
      place("ann", "201 as $other", ["$cup", 1]),
      ["pass 29m"],
      pay("202"),
      stock("cup", 0),
      ["pass 1m"],
      ["ann GET /orders/$order", "200 state=paid"],
      ["ann GET /orders/$other", "200 state=cancelled"],
      stock("cup", 1),
      stock("jug", 0),
      place("bob", "201 as $order", ["$cup", 1]),
      ["pass 30m"],
      stock("cup", 1),
      ["bob GET /orders/$order", "200 state=cancelled"],
    ],
    "A vendor sees only the orders of their own products. Customers see their own orders.": [
      ...products,
      place("ann", "201 as $order", ["$cup", 1]),
      ["vera GET /orders/$order", "200 customer=ann"],
      ["vera GET /orders", "200 items.length=1"],
      ["vic GET /orders/$order", "404 not-found"],
      ["vic GET /orders", "200 items.length=0"],
      ["vic GET /orders/$order/lines", "404 not-found"],
      ["bob GET /orders/$order", "404 not-found"],
      ["bob GET /orders", "200 items.length=0"],
      ["bob GET /orders/$order/lines", "404 not-found"],
      ["nobody GET /orders", "401 unauthenticated"],
    ],
    "Anyone may look at products that are on sale; a vendor may take one off sale.": [
      ...products,
      ["vic POST /products/$cup/take-off-sale", "403 forbidden"],
      ["vera POST /products/$cup/take-off-sale", "200 state=withdrawn"],
      ["nobody GET /products", "200 items.length=2"],
      ["nobody GET /products/$cup", "404 not-found"],
      ["vera GET /products/$cup", "200"],
      place("ann", "422 invalid-request", ["$cup", 1]),
      ["ann POST /products", { name: "a", priceCents: 1, stock: 1 }, "403 forbidden"],
    ],
    "A repeated request to place an order must not place a second one.": [
      ...products,
      place("ann", "201 as $order", ["$cup", 1]),
      ["ann again POST /orders", order(["$cup", 1]), "201 id=$order"],
      stock("cup", 2),
    ],
  },
};
