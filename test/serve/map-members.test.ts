/** Maps lose members: by null in a merge patch, by an empty text in a form, and in JSON where the document declares it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../src/base/json.ts";
import { documentOf } from "../enforced/document.ts";
import { served } from "./scenario.ts";

const form = "application/x-www-form-urlencoded";
const json = "application/json";

const text = documentOf({
  resources: {
    Customer: {
      id: "id(cus)",
      "name?": "string(..9)",
      metadata: "map(string(..20)) = {}",
      "labels?": "map(integer)",
      note: "string(..9) = a",
      "place?": "Place",
    },
    types: { Place: { street: "string(..9)", "door?": "integer", tags: "map(string(..9)) = {}" } },
  },
  endpoints: {
    requests: { media: [form] },
    endpoints: {
      addCustomer: "POST /customers",
      getCustomer: "GET /customers/{id}",
      changeCustomer: { at: "POST /customers/{id}", does: "update" },
      putCustomer: "PUT /customers/{id}",
      patchEmpty: { at: "PATCH /customers/{id}", requests: { empty: "removes" } },
      patchExact: { at: "PATCH /exact-customers/{id}", of: "Customer", requests: { empty: "kept" } },
    },
  },
});

const start = {
  name: "n",
  metadata: { a: "1", b: "2" },
  labels: { x: 1, y: 2 },
  place: { street: "s", tags: { t: "u" } },
};

type Row = readonly [
  method: string,
  collection: string,
  type: string,
  body: string,
  expected: Readonly<Record<string, Json>> | number,
];

/** Expected: the members that differ from `start`; undefined for those that are gone; or an error. */
const rows: readonly Row[] = [
  ["POST", "/customers", form, "metadata[a]=", { metadata: { b: "2" } }],
  ["POST", "/customers", form, "metadata[a]=&metadata[c]=3&metadata[none]=", { metadata: { b: "2", c: "3" } }],
  ["POST", "/customers", form, "metadata=", { metadata: {} }],
  ["POST", "/customers", form, "labels[x]=", { labels: { y: 2 } }],
  ["POST", "/customers", form, "labels=&name=", { labels: null, name: null }],
  ["POST", "/customers", form, "place[tags][t]=", { place: { street: "s", tags: {} } }],
  ["POST", "/customers", form, "place[tags]=&place[street]=z", { place: { street: "z", tags: {} } }],
  ["POST", "/customers", form, "note=", { note: "" }],
  ["POST", "/customers", form, "place[door]=", {}],
  ["POST", "/customers", json, '{"metadata":{"a":""}}', { metadata: { a: "", b: "2" } }],
  ["POST", "/customers", json, '{"metadata":{"a":null}}', { metadata: { b: "2" } }],
  ["POST", "/customers", json, '{"metadata":{}}', {}],
  ["POST", "/customers", json, '{"metadata":""}', 422],
  ["PUT", "/customers", form, "metadata[a]=&metadata[b]=2&note=a", { metadata: { b: "2" }, name: null, labels: null, place: null }],
  ["PUT", "/customers", form, "metadata=&note=a", { metadata: {}, name: null, labels: null, place: null }],
  ["PUT", "/customers", form, "note=&name=&labels=&place[street]=z&place[door]=", { metadata: {}, note: "", name: null, labels: null, place: { street: "z", tags: {} } }],
  ["PATCH", "/customers", json, '{"metadata":{"a":""}}', { metadata: { b: "2" } }],
  ["PATCH", "/customers", json, '{"metadata":"","name":""}', { metadata: {}, name: null }],
  ["PATCH", "/customers", json, '{"place":{"tags":""}}', { place: { street: "s", tags: {} } }],
  ["PATCH", "/customers", json, '{"labels":"","note":""}', { labels: null, note: "" }],
  ["PATCH", "/customers", json, '{"labels":{"x":"1"}}', 422],
  ["PATCH", "/exact-customers", json, '{"metadata":{"a":""}}', { metadata: { a: "", b: "2" } }],
  ["PATCH", "/exact-customers", json, '{"metadata":""}', 422],
]; // biome-ignore format: a table

served("maps lose members", text, (subject) => {
  const send = async (method: string, path: string, type: string, body: string) => {
    const reply = await subject.client.send({ method, path, headers: { "Content-Type": type }, body });
    return { ...reply, json: reply.json as Record<string, Json> };
  };
  for (const [method, collection, type, body, expected] of rows)
    test(`${method} ${collection} ${body} of ${type}`, async () => {
      const made = await send("POST", "/customers", json, JSON.stringify(start));
      assert.equal(made.status, 201, made.text);
      const id = made.json["id"] as string;
      const path = `/customers/${id}`;
      const reply = await send(method, `${collection}/${id}`, type, body);
      if (typeof expected === "number") return assert.equal(reply.status, expected, reply.text);
      assert.equal(reply.status, 200, reply.text);
      const members = Object.entries({ ...made.json, ...expected }).filter(([, value]) => value !== null);
      assert.deepEqual(reply.json, Object.fromEntries(members));
      const read = await subject.client.send({ method: "GET", path });
      assert.deepEqual(read.json, reply.json);
    });

  test("a creation leaves out members with an empty text", async () => {
    const made = await send("POST", "/customers", form, "metadata[a]=&metadata[b]=2&labels[x]=1");
    assert.deepEqual([made.json["metadata"], made.json["labels"]], [{ b: "2" }, { x: 1 }]);
    assert.deepEqual((await send("POST", "/customers", form, "metadata=")).json["metadata"], {});
  });
});
