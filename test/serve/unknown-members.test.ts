/**
 * Unknown names in a request: a member of a merge patch at any depth, even one set to null, and a parameter with invalid escapes.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../src/base/json.ts";
import { documentOf } from "../enforced/document.ts";
import { faultsOf, served } from "./scenario.ts";

const text = documentOf({
  resources: {
    Order: {
      id: "id(ord)",
      reference: "string(1..20), filter",
      "total?": "integer",
      shipTo: "Address",
      "billTo?": "Address",
      "lines?": "Line[]",
      "labels?": "map(string(1..9))",
      "places?": "map(Address)",
      "data?": "json",
      "pays?": { schema: { oneOf: [
        { type: "object", required: ["kind"], additionalProperties: false, properties: { kind: { const: "card" }, number: { type: "string" } } },
        { type: "object", required: ["kind"], additionalProperties: false, properties: { kind: { const: "bank" }, iban: { type: "string" } } },
      ] } },
    },
    types: { Address: { street: "string(1..40)", "floor?": "integer", "at?": "Point" }, Point: { x: "integer", "y?": "integer" }, Line: { sku: "string(1..9)", "count?": "integer" } },
  },
  endpoints: { endpoints: { createOrder: "POST /orders", getOrder: "GET /orders/{id}", changeOrder: "PATCH /orders/{id}", listOrders: "GET /orders" } },
}); // biome-ignore format: a table

const order = {
  reference: "a",
  shipTo: { street: "b", floor: 1, at: { x: 1, y: 2 } },
  lines: [{ sku: "c" }],
  labels: { a: "b" },
  places: { home: { street: "d" } },
  data: { a: { b: 1 } },
  pays: { kind: "card", number: "1" },
};

const patches: readonly (readonly [patch: Readonly<Record<string, Json>>, ...faults: string[]])[] = [
  [{ zzz: null }, "#/zzz unknown-field"],
  [{ zzz: { a: null } }, "#/zzz unknown-field"],
  [{ shipTo: { zzz: null } }, "#/shipTo/zzz unknown-field"],
  [{ shipTo: { zzz: 1 } }, "#/shipTo/zzz unknown-field"],
  [{ shipTo: { "a/b": null, c: null } }, "#/shipTo/a~1b unknown-field", "#/shipTo/c unknown-field"],
  [{ shipTo: { __proto__x: null, constructor: null } }, "#/shipTo/__proto__x unknown-field", "#/shipTo/constructor unknown-field"],
  [{ shipTo: { at: { zzz: null } } }, "#/shipTo/at/zzz unknown-field"],
  [{ shipTo: { zzz: null, street: null } }, "#/shipTo/street required", "#/shipTo/zzz unknown-field"],
  [{ billTo: { street: "e", zzz: null } }, "#/billTo/zzz unknown-field"],
  [{ billTo: { street: "e", at: { x: 1, zzz: null } } }, "#/billTo/at/zzz unknown-field"],
  [{ lines: [{ sku: "a", zzz: null }] }, "#/lines/0/zzz unknown-field"],
  [{ places: { home: { zzz: null } } }, "#/places/home/zzz unknown-field"],
  [{ places: { away: { street: "f", zzz: null } } }, "#/places/away/zzz unknown-field"],
  [{ pays: { zzz: null } }, "#/pays/zzz unknown-field"],
  // What is there to be taken away, whether it is there or not.
  [{ shipTo: { floor: null } }],
  [{ shipTo: { floor: null } }],
  [{ shipTo: { at: { y: null } } }],
  [{ shipTo: { at: null } }],
  [{ billTo: { street: "g", floor: null, at: null } }],
  [{ labels: { a: null, b: null } }],
  [{ places: { nowhere: null, home: { floor: null } } }],
  [{ data: { a: { b: null, c: null }, d: null } }],
  [{ pays: { kind: "bank", number: null, iban: "2" } }],
  [{ billTo: null }],
]; // biome-ignore format: a table

served("what is not there", text, (subject) => {
  test("R4.8 an unknown member of a merge patch is refused at any depth, also where it is null", async () => {
    const made = await subject.client.send({ method: "POST", path: "/orders", body: order });
    assert.equal(made.status, 201, made.text);
    const path = `/orders/${(made.json as { id: string }).id}`;
    for (const [body, ...faults] of patches) {
      const before = (await subject.client.send({ method: "GET", path })).text;
      const reply = await subject.client.send({ method: "PATCH", path, body });
      const found = reply.status === 200 ? [] : faultsOf(reply);
      assert.deepEqual([reply.status, ...found], [faults.length === 0 ? 200 : 422, ...faults], JSON.stringify(body));
      if (faults.length > 0) assert.equal((await subject.client.send({ method: "GET", path })).text, before);
    }
  });

  for (const [query, parameter] of [
    ["reference=%FF", "reference"],
    ["reference=a%00", "reference"],
    ["reference=%", "reference"],
    ["refe%72ence=%zz", "reference"],
    ["reference=a&reference=%FF", "reference"],
    ["limit=%FF", "limit"],
    ["%FF=1", "%FF"],
    ["a%00b=1", "a%00b"],
    ["%FF", "%FF"],
    [`${"%FF".repeat(100)}=1`, "%FF".repeat(100).slice(0, 100)],
  ] as const)
    test(`R4.13 of ?${query.slice(0, 40)} the parameter is named`, async () => {
      const reply = await subject.client.send({ method: "GET", path: `/orders?${query}` });
      assert.deepEqual([reply.status, ...faultsOf(reply)], [400, `${parameter} bad-escape`], reply.text);
      const [fault] = (reply.json as { errors: readonly { detail: string }[] }).errors;
      assert(fault?.detail.includes(parameter));
    });
});
