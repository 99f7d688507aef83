/** Ids of a stated length and alphabet: in responses, paths, references, filters, cursors and the order of lists. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { documentOf } from "../enforced/document.ts";
import { readDocument } from "../../src/document/read.ts";
import { readModel } from "../../src/language/read.ts";
import { faultsOf, served } from "./scenario.ts";

const text = documentOf({
  resources: {
    Customer: { id: "id(cus, 14), filter", name: "string(1..9), sort", "file?": "File, filter" },
    File: { id: "id(24, 0-9a-f)", note: "string(1..9)" },
    Key: { id: "id(key_x, 13, A-Z0-9_-)", note: "string(1..9)" },
  },
  endpoints: {
    lists: { kind: "cursor", size: 2, max: 5, names: { after: "starting_after" } },
    endpoints: {
      addCustomer: "POST /customers",
      getCustomer: "GET /customers/{id}",
      changeCustomer: "PATCH /customers/{id}",
      listCustomers: "GET /customers",
      addFile: "POST /files",
      getFile: "GET /files/{id}",
      listCustomersOfFile: "GET /files/{file}/customers",
      addKey: "POST /keys",
      getKey: "GET /keys/{id}",
    },
  },
});

served("ids of a stated form", text, (subject) => {
  const send = async (method: string, path: string, body?: object) => {
    const reply = await subject.client.send({ method, path, ...(body === undefined ? {} : { body }) });
    return { ...reply, json: reply.json as { id: string; items: { id: string }[]; next: string | null } };
  };

  test("they have the stated form, and name records", async () => {
    const found = new Set<string>();
    for (const [path, body, form] of [
      ["/customers", { name: "a" }, /^cus_[a-zA-Z0-9]{14}$/],
      ["/files", { note: "a" }, /^[0-9a-f]{24}$/],
      ["/keys", { note: "a" }, /^key_x_[A-Z0-9_-]{13}$/],
    ] as const)
      for (let count = 0; count < 20; count++) {
        const made = await send("POST", path, body);
        assert.match(made.json.id, form);
        assert.equal(made.headers["location"], `${path}/${made.json.id}`);
        found.add(made.json.id);
        assert.equal((await send("GET", `${path}/${made.json.id}`)).status, 200);
      }
    assert.equal(found.size, 60);
    for (const id of ["cus_", "cus_abc", "x", `cus_${"a".repeat(14)}`])
      assert.equal((await send("GET", `/customers/${id}`)).status, 404);
  });

  test("references, filters, cursors and the order of creation", async () => {
    const file = (await send("POST", "/files", { note: "b" })).json.id;
    const ids: string[] = [];
    for (const name of ["a", "b", "c", "d", "e"])
      ids.unshift((await send("POST", "/customers", { name, file })).json.id);
    const walk = async (path: string): Promise<readonly string[]> => {
      const { json } = await send("GET", path);
      const own = json.items.map(({ id }) => id);
      return json.next === null ? own : [...own, ...(await walk(`${path.split("&cursor")[0]}&cursor=${json.next}`))];
    };
    assert.deepEqual(await walk(`/customers?file=${file}`), ids);
    assert.deepEqual(await walk(`/files/${file}/customers?sort=name`), ids.toReversed());
    assert.deepEqual(await walk(`/customers?id=${ids[2]}`), [ids[2]]);
    assert.deepEqual(await walk(`/customers?file=${file}&limit=5&starting_after=${ids[2]}`), ids.slice(3));
    for (const wrong of ["abc", file.toUpperCase().replaceAll(/[0-9]/g, "A"), `${file}0`])
      assert.equal((await send("POST", "/customers", { name: "a", file: wrong })).status, 422, wrong);
    const missing = await send("POST", "/customers", { name: "a", file: "0".repeat(24) });
    assert.deepEqual(faultsOf(missing), ["#/file reference-not-found"]);
    const path = `/customers/${ids[0]}`;
    assert.equal((await send("PATCH", path, { id: ids[0], name: "z" })).status, 200);
    assert.deepEqual(faultsOf(await send("PATCH", path, { id: ids[1] })), ["#/id read-only"]);
  });
});

for (const [id, fault] of [
  ["id(cus, 10)", "too few"],
  ["id(cus, 15, 0-9a-f)", "too few"],
  ["id(0)", "length"],
  ["id(cus, 0)", "length"],
  ["id(cus, x)", "length"],
  ["id(cus, 61)", "too long"],
  ["id(cus, 30, a-z0-9!)", "characters"],
  ["id(cus, 30, aa)", "characters"],
  ["id(cus, 30, z-a)", "characters"],
  ["id(cus, 30, a)", "characters"],
  ["id(cus, 30, a-z, 2)", "length"],
  ["id(Cus, 30)", "prefix"],
  ["id(cus, 11)", undefined],
  ["id(16, 0-9a-f)", undefined],
  ["id(cus, 30, 0-9a-z_-)", undefined],
] as const)
  test(`${id} ${fault === undefined ? "is a form of ids" : "is none"}`, () => {
    const { document } = readDocument("things.md", documentOf({ resources: { Thing: { id, name: "string(1..9)" } } }));
    const found = readModel(document).diagnostics.map(({ message }) => message);
    if (fault === undefined) assert.deepEqual(found, []);
    else assert(found.length === 1 && found[0]?.includes(fault), found.join());
  });
