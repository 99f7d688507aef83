/** What requests ask for in responses: records in place of ids (`expand`) with their permissions, and some members (`fields`). */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Reply } from "./client.ts";
import { ledger } from "./ledger.ts";
import { by, faultsOf, served } from "./scenario.ts";

const withFields = ledger.replace(
  "expand: { name: expand, depth: 3 }",
  "expand: { name: expand, depth: 3 }\nfields: fields",
);

type Json = Readonly<Record<string, unknown>>;

served("expand", ledger, (subject) => {
  const keys: Record<string, Readonly<Record<string, string>>> = {};
  const ids: Record<string, string> = {};
  const send = (who: string, method: string, path: string, body?: object, headers: object = {}): Promise<Reply> =>
    subject.client.send({
      method,
      path,
      headers: { ...keys[who], ...headers },
      ...(body === undefined ? {} : { body }),
    });
  const get = async (who: string, path: string): Promise<Json> => {
    const reply = await send(who, "GET", path);
    assert.equal(reply.status, 200, reply.text);
    return reply.json as Json;
  };
  const add = async (who: string, path: string, body: object): Promise<string> => {
    const reply = await send(who, "POST", path, body);
    assert.equal(reply.status, 201, reply.text);
    return (reply.json as { id: string }).id;
  };
  before(async () => {
    for (const user of ["clerk", "ann", "bob"])
      keys[user] = by(await subject.running.key(user, user === "clerk" ? "clerk" : "customer"));
    ids["team"] = await add("clerk", "/teams", { name: "Red", budget: 7 });
    ids["ann"] = await add("ann", "/customers", { name: "Ann" });
    await send("clerk", "PATCH", `/customers/${ids["ann"]}`, { team: ids["team"] });
    ids["bob"] = await add("bob", "/customers", { name: "Bob" });
    ids["first"] = await add("clerk", "/charges", { amount: 10, customer: ids["ann"] });
    ids["second"] = await add("clerk", "/charges", { amount: 20, customer: ids["bob"], note: "tea" });
    ids["refund"] = await add("clerk", "/refunds", { charge: ids["first"], other: ids["second"] });
  });

  test("a reference is the id, or the record if a request asks for it", async () => {
    const plain = await get("clerk", `/charges/${ids["first"]}`);
    assert.equal(plain["customer"], ids["ann"]);
    const { customer, ...rest } = await get("clerk", `/charges/${ids["first"]}?expand=customer`);
    assert.deepEqual({ ...rest, customer: (customer as Json)["id"] }, plain);
    assert.deepEqual(customer, await get("clerk", `/customers/${ids["ann"]}`));
  });

  test("a path goes through expanded records; its levels and several paths are one query each", async () => {
    const found = await get("clerk", `/charges/${ids["first"]}?expand=customer.team,customer.latest`);
    const customer = found["customer"] as Json;
    assert.deepEqual(customer["team"], await get("clerk", `/teams/${ids["team"]}`));
    // There is no latest charge.
    assert.equal(customer["latest"], undefined);
    const repeated = await get("clerk", `/charges/${ids["first"]}?expand=customer&expand=customer.team`);
    assert.deepEqual(repeated["customer"], customer);
  });

  test("a record that the caller may not see stays an id; a hidden field stays hidden", async () => {
    const { items } = await get("ann", "/charges?expand=customer");
    assert.deepEqual(
      (items as readonly Json[]).map(({ customer }) => (typeof customer === "string" ? customer : (customer as Json))),
      [ids["bob"], await get("ann", `/customers/${ids["ann"]}`)],
    );
    const own = await get("ann", `/charges/${ids["first"]}?expand=customer.team`);
    // Only clerks may read teams.
    assert.equal((own["customer"] as Json)["team"], ids["team"]);
    await send("clerk", "PATCH", `/charges/${ids["first"]}`, { note: "x" });
    assert.deepEqual(Object.keys(own["customer"] as Json), ["id", "name", "owner", "team"]);
  });

  test("views: a member that is expandable, renamed, and inside a view that always contains its record", async () => {
    const plain = await get("clerk", `/refunds/${ids["refund"]}`);
    assert.deepEqual(plain, {
      id: ids["refund"],
      charge: ids["first"],
      other: { id: ids["second"], amount: 20, customer: ids["bob"] },
    });
    const full = await get(
      "clerk",
      `/refunds/${ids["refund"]}?expand[]=charge.customer&expand[1]=other.customer.latest_charge`,
    );
    assert.deepEqual(full, {
      id: ids["refund"],
      charge: {
        id: ids["first"],
        amount: 10,
        customer: { id: ids["ann"], name: "Ann", team: { name: "Red", budget: 7 } },
      },
      other: {
        id: ids["second"],
        amount: 20,
        customer: { id: ids["bob"], name: "Bob", team: null },
      },
    });
    const page = await get("clerk", `/refunds?expand[]=data.charge`);
    assert.deepEqual(page["data"], [{ ...plain, charge: { id: ids["first"], amount: 10, customer: ids["ann"] } }]);
  });

  test("members on request: a record that the caller may see, and a list of those records", async () => {
    const path = `/charges/${ids["second"]}/short`;
    const plain = { id: ids["second"], customer: ids["bob"] };
    assert.deepEqual(await get("clerk", path), plain);
    assert.deepEqual(await get("clerk", `${path}?expand=payer`), {
      ...plain,
      payer: { id: ids["bob"], name: "Bob", team: null },
    });
    assert.deepEqual(await get("ann", `${path}?expand=payer`), plain);
    const { payers } = await get("ann", `/charges/${ids["first"]}/short?expand=payers.charges`);
    const [ann] = payers as readonly { readonly name: string; readonly charges: readonly Json[] }[];
    assert.deepEqual([ann?.name, ann?.charges.map(({ amount }) => amount)], ["Ann", [10]]);
    assert.deepEqual(await get("ann", `${path}?expand=payers`), { ...plain, payers: [] });
    const { charge } = await get("clerk", `/refunds/${ids["refund"]}?expand[]=charge.customer.charges`);
    const { customer } = charge as { readonly customer: { readonly charges: readonly Json[] } };
    assert.deepEqual(customer.charges, [{ id: ids["first"], amount: 10, customer: ids["ann"] }]);
  });

  test("writes answer with what the request asks for, in the query or in the body", async () => {
    const created = await send("clerk", "POST", "/charges?expand=customer", { amount: 5, customer: ids["bob"] });
    assert.equal(created.status, 201);
    const charge = created.json as Json;
    assert.equal((charge["customer"] as Json)["name"], "Bob");
    const path = `/charges/${charge["id"] as string}`;
    const changed = await send("clerk", "PATCH", `${path}?expand=customer`, { note: "new" });
    assert.deepEqual([changed.status, (changed.json as Json)["note"]], [200, "new"]);
    assert.equal(((changed.json as Json)["customer"] as Json)["name"], "Bob");
    const moved = await send("clerk", "POST", `${path}/refund?expand=customer.team`);
    assert.deepEqual([moved.status, (moved.json as Json)["state"]], [200, "refunded"]);
    assert.equal(((moved.json as Json)["customer"] as Json)["name"], "Bob");
    const inBody = await send("clerk", "POST", "/refunds", {
      charge: charge["id"],
      expand: ["charge", "charge.customer"],
    });
    assert.equal(inBody.status, 201, inBody.text);
    assert.equal((((inBody.json as Json)["charge"] as Json)["customer"] as Json)["name"], "Bob");
  });

  test("an idempotency key belongs to what the request asks for", async () => {
    const header = { "Idempotency-Key": "k1" };
    const body = { charge: ids["first"], expand: ["charge"] };
    const first = await send("clerk", "POST", "/refunds", body, header);
    assert.equal((await send("clerk", "POST", "/refunds", body, header)).text, first.text);
    assert.equal((await send("clerk", "POST", "/refunds", { charge: ids["first"] }, header)).status, 422);
  });

  test("tags differ by what a response contains, and the tag of an expanded one is good for an edit", async () => {
    const path = `/charges/${ids["second"]}`;
    const [plain, full] = [await send("clerk", "GET", path), await send("clerk", "GET", `${path}?expand=customer`)];
    const tag = full.headers["etag"] as string;
    assert.notEqual(tag, plain.headers["etag"]);
    const again = await send("clerk", "GET", `${path}?expand=customer`, undefined, { "If-None-Match": tag });
    assert.equal(again.status, 304);
    const edit = await send("clerk", "PATCH", path, { note: "y" }, { "If-Match": tag });
    assert.equal(edit.status, 200, edit.text);
    assert.equal((await send("clerk", "PATCH", path, { note: "z" }, { "If-Match": tag })).status, 412);
  });

  test("the next page expands, too", async () => {
    const first = await send("clerk", "GET", "/charges?limit=1&expand=customer");
    const [, next = ""] = /<[^>]*(\/charges[^>]*)>/.exec(String(first.headers["link"])) ?? [];
    const { items } = await get("clerk", next);
    assert.equal(typeof (items as readonly Json[])[0]?.["customer"], "object");
  });

  for (const [path, expected] of [
    ["/charges?expand=amount", ["expand unknown-field"]],
    ["/charges?expand=customer.name", ["expand unknown-field"]],
    ["/charges?expand=constructor", ["expand unknown-field"]],
    ["/charges?expand=", ["expand unknown-field"]],
    ["/charges?expand=customer.latest.customer.latest", ["expand too-many"]],
    ["/charges?expand[]=customer", ["expand[] unknown-parameter"]],
    [`/charges?expand=${"customer,".repeat(20)}customer`, ["expand too-many"]],
    ["/refunds?expand[]=charge", ["expand[] unknown-field"]],
    ["/refunds?expand[]=data.other", ["expand[] unknown-field"]],
    ["/refunds?expand=data.charge", ["expand unknown-parameter"]],
    ["/customers?expand=email", ["expand unknown-field"]],
    ["/teams/x?expand=name", ["expand unknown-parameter"]],
  ] as const) {
    test(`${path} is rejected`, async () => {
      const reply = await send("clerk", "GET", path);
      assert.equal(reply.status, 400, reply.text);
      assert.deepEqual(faultsOf(reply), expected);
    });
  }

  test("a wrong path in a body has its pointer, and nothing is written", async () => {
    const count = (): Promise<number> => get("clerk", "/refunds?limit=100").then(({ data }) => (data as Json[]).length);
    const before = await count();
    const reply = await send("clerk", "POST", "/refunds", { charge: ids["first"], expand: ["charge", "none"] });
    assert.equal(reply.status, 422, reply.text);
    assert.deepEqual(faultsOf(reply), ["#/expand/1 unknown-field"]);
    const notList = await send("clerk", "POST", "/refunds", { charge: ids["first"], expand: { a: 1 } });
    assert.deepEqual([notList.status, ...faultsOf(notList)], [422, "#/expand wrong-type"]);
    assert.equal(await count(), before);
  });
});

served("fields", withFields, (subject) => {
  let key: Readonly<Record<string, string>> = {};
  let customerKey: Readonly<Record<string, string>> = {};
  const ids: Record<string, string> = {};
  const send = (method: string, path: string, body?: object, headers = key): Promise<Reply> =>
    subject.client.send({ method, path, headers, ...(body === undefined ? {} : { body }) });
  const add = async (path: string, body: object): Promise<string> =>
    ((await send("POST", path, body)).json as { id: string }).id;
  before(async () => {
    key = by(await subject.running.key("clerk", "clerk"));
    customerKey = by(await subject.running.key("ann", "customer"));
    ids["team"] = await add("/teams", { name: "Red", budget: 7 });
    ids["customer"] = await add("/customers", { name: "Ann", email: "ann@example.org" });
    await send("PATCH", `/customers/${ids["customer"]}`, { team: ids["team"] });
    ids["charge"] = await add("/charges", { amount: 10, customer: ids["customer"] });
    ids["refund"] = await add("/refunds", { charge: ids["charge"] });
  });

  const rows: readonly (readonly [path: () => string, body: () => unknown])[] = [
    [() => `/charges/${ids["charge"]}?fields=amount`, () => ({ amount: 10 })],
    [() => `/charges/${ids["charge"]}?fields=customer,id`, () => ({ id: ids["charge"], customer: ids["customer"] })],
    [() => `/charges/${ids["charge"]}?fields=amount&fields=note`, () => ({ amount: 10 })],
    [() => `/charges?fields=amount`, () => ({ items: [{ amount: 10 }], next: null })],
    [
      () => `/charges/${ids["charge"]}?expand=customer.team&fields=amount,customer.name,customer.team.budget`,
      () => ({ amount: 10, customer: { name: "Ann", team: { budget: 7 } } }),
    ],
    [
      () => `/charges/${ids["charge"]}?expand=customer&fields=customer,customer.name`,
      () => ({
        customer: { id: ids["customer"], name: "Ann", owner: "clerk", email: "ann@example.org", team: ids["team"] },
      }),
    ],
    [() => `/refunds/${ids["refund"]}?expand[]=charge&fields=charge.amount`, () => ({ charge: { amount: 10 } })],
  ];
  for (const [index, [path, body]] of rows.entries())
    test(`a response has only what the request names (${index + 1})`, async () => {
      const reply = await send("GET", path());
      assert.deepEqual([reply.status, reply.json], [200, body()], reply.text);
    });

  test("writes have only what the request names, and another tag than the whole record", async () => {
    const made = await send("POST", "/charges?fields=amount", { amount: 3, customer: ids["customer"] });
    assert.deepEqual([made.status, made.json], [201, { amount: 3 }]);
    const path = String(made.headers["location"]);
    const whole = await send("GET", path);
    const part = await send("GET", `${path}?fields=amount`);
    assert.notEqual(part.headers["etag"], whole.headers["etag"]);
    const moved = await send("POST", `${path}/refund?fields=state`);
    assert.deepEqual([moved.status, moved.json], [200, { state: "refunded" }]);
  });

  test("names of no member, hidden ones and those below a value are unknown", async () => {
    for (const [path, headers] of [
      [`/charges/${ids["charge"]}?fields=none`, key],
      [`/charges/${ids["charge"]}?fields=amount,`, key],
      [`/charges/${ids["charge"]}?fields=customer.name`, key],
      [`/charges/${ids["charge"]}?fields=__proto__`, key],
      [`/customers?fields=email`, customerKey],
    ] as const) {
      const reply = await send("GET", path, undefined, headers);
      assert.deepEqual([reply.status, ...faultsOf(reply)], [400, "fields unknown-field"], path);
    }
    const many = await send("GET", `/charges?fields=${"amount,".repeat(100)}amount`);
    assert.deepEqual([many.status, ...faultsOf(many)], [400, "fields too-many"]);
  });
});
