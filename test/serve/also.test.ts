/** Writes of several records in one request (`also`), and events that move the records which they select. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import fc from "fast-check";
import type { Reply } from "./client.ts";
import { by, documentText, faultsOf, served } from "./scenario.ts";

type Json = Readonly<Record<string, unknown>>;

served("further writes", documentText("market"), (subject) => {
  const keys: Record<string, Readonly<Record<string, string>>> = {};
  before(async () => {
    for (const user of ["ann", "bob", "cid", "dot"]) keys[user] = by(await subject.running.key(user, "customer"));
    keys["clerk"] = by(await subject.running.key("clerk", "clerk"));
  });
  const send = (who: string, method: string, path: string, body?: object, headers: object = {}): Promise<Reply> =>
    subject.client.send({
      method,
      path,
      headers: { ...keys[who], ...headers },
      ...(body === undefined ? {} : { body }),
    });
  const add = async (who: string, path: string, body: object): Promise<string> => {
    const reply = await send(who, "POST", path, body);
    assert.equal(reply.status, 201, reply.text);
    return (reply.json as { id: string }).id;
  };
  const get = async (path: string): Promise<Json> => (await send("clerk", "GET", path)).json as Json;
  const list = async (path: string): Promise<readonly Json[]> =>
    ((await get(`${path}${path.includes("?") ? "&" : "?"}limit=1000`)) as { items: readonly Json[] }).items;
  /** As texts, in any order. */
  const sorted = (all: readonly unknown[]): readonly string[] =>
    all.map((one) => JSON.stringify(one)).toSorted((a, b) => (a < b ? -1 : 1));
  const codeOf = (reply: Reply): unknown => [reply.status, (reply.json as Json)["code"]];
  const accounts = async (): Promise<readonly [string, string]> => [
    await add("clerk", "/accounts", { balance: 100 }),
    await add("clerk", "/accounts", {}),
  ];

  test("a transfer makes two postings and changes two accounts, in one transaction", async () => {
    const [from, to] = await accounts();
    const transfer = await add("ann", "/transfers", { from, to, amount: 30 });
    assert.deepEqual(
      sorted(
        (await list(`/postings?transfer=${transfer}`)).map(({ account, amount, label }) => [account, amount, label]),
      ),
      sorted([
        [from, -30, "posting -30"],
        [to, 30, "posting 30"],
      ]),
    );
    const [payer, payee] = [await get(`/accounts/${from}`), await get(`/accounts/${to}`)];
    assert.deepEqual([payer["balance"], payer["movements"], payee["balance"]], [70, 1, 30]);
  });

  test("a rule of a record that is written rejects the whole request, which writes nothing", async () => {
    const [from, to] = await accounts();
    const before = (await list("/postings")).length;
    assert.deepEqual(codeOf(await send("ann", "POST", "/transfers", { from, to, amount: 101 })), [409, "not-enough"]);
    assert.deepEqual(codeOf(await send("ann", "POST", "/transfers", { from, to: from, amount: 1 })), [
      422,
      "same-account",
    ]);
    assert.equal((await list("/postings")).length, before);
    assert.equal((await get(`/accounts/${from}`))["balance"], 100);
  });

  test("a changed record has a new tag; a request that is repeated with its key writes once", async () => {
    const [from, to] = await accounts();
    const tag = (await send("ann", "GET", `/accounts/${from}`)).headers["etag"];
    const once = { "Idempotency-Key": "transfer-1" };
    const first = await send("ann", "POST", "/transfers", { from, to, amount: 10 }, once);
    const again = await send("ann", "POST", "/transfers", { from, to, amount: 10 }, once);
    assert.equal(first.text, again.text);
    const after = await send("ann", "GET", `/accounts/${from}`);
    assert.equal((after.json as Json)["balance"], 90);
    assert.notEqual(after.headers["etag"], tag);
  });

  test("a correction knows the record before, as `old`", async () => {
    const [from, to] = await accounts();
    const transfer = await add("ann", "/transfers", { from, to, amount: 30 });
    assert.equal((await send("clerk", "PATCH", `/transfers/${transfer}`, { amount: 50 })).status, 200);
    assert.deepEqual(
      [(await get(`/accounts/${from}`))["balance"], (await get(`/accounts/${to}`))["balance"]],
      [50, 50],
    );
    const amounts = (await list(`/postings?transfer=${transfer}`)).map(({ amount }) => amount as number);
    assert.deepEqual(
      amounts.toSorted((a, b) => a - b),
      [-50, 50],
    );
    const over = await send("clerk", "PATCH", `/transfers/${transfer}`, { amount: 500 });
    assert.deepEqual(codeOf(over), [409, "not-enough"]);
    assert.equal((await get(`/accounts/${from}`))["balance"], 50);
  });

  test("of concurrent transfers each sees the balance that the one before left: none is lost, none goes below zero", async () => {
    const all = [
      await add("clerk", "/accounts", { balance: 40 }),
      await add("clerk", "/accounts", { balance: 40 }),
      await add("clerk", "/accounts", { balance: 40 }),
    ];
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, index) => {
        const [from, to] = [all[index % 3], all[(index + 1 + (index % 2)) % 3]];
        return send("ann", "POST", "/transfers", { from, to, amount: 1 + ((index * 7) % 19) });
      }),
    );
    const outcomes = new Set(replies.map(({ status }) => status));
    assert(outcomes.isSubsetOf(new Set([201, 409])), [...outcomes].join());
    assert(outcomes.has(201));
    const balances = await Promise.all(all.map(async (id) => (await get(`/accounts/${id}`))["balance"] as number));
    assert.equal(
      balances.reduce((a, b) => a + b),
      120,
    );
    assert(balances.every((balance) => balance >= 0));
    for (const [index, id] of all.entries()) {
      const amounts = (await list(`/postings?account=${id}`)).map(({ amount }) => amount as number);
      assert.equal(40 + amounts.reduce((a, b) => a + b, 0), balances[index]);
    }
  });

  test("an order makes a part for each vendor, and the answer is the order after all writes", async () => {
    const [oak, elm] = [
      await add("clerk", "/vendors", { name: "oak" }),
      await add("clerk", "/vendors", { name: "elm" }),
    ];
    const lines = [
      { vendor: oak, price: 5, quantity: 2 },
      { vendor: elm, price: 7 },
      { vendor: oak, price: 1 },
    ];
    const reply = await send("ann", "POST", "/orders", { note: "soon", lines });
    assert.equal(reply.status, 201, reply.text);
    const { id, total } = reply.json as { id: string; total: number };
    assert.equal(total, 18);
    const parts = await list(`/parts?order=${id}`);
    assert.deepEqual(
      sorted(parts.map(({ vendor, price, copies, state }) => [vendor, price, copies, state])),
      sorted([
        [oak, 11, 1, "open"],
        [elm, 7, 1, "open"],
      ]),
    );
    assert.equal((await get(`/vendors/${oak}`))["parts"], 2);
    const more = await add("ann", "/orders", { lines: lines.slice(0, 1), extra: elm });
    assert.equal((await list(`/parts?order=${more}`)).length, 2);
    const none = await send("ann", "POST", "/orders", { lines: [{ vendor: "ven_none", price: 1 }] });
    assert.equal(none.status, 422, none.text);
  });

  test("an event moves all records that it selects: a payout gathers the open parts of a vendor", async () => {
    const vendor = await add("clerk", "/vendors", { name: "ash" });
    const orders = [3, 4, 5].map((price) => add("ann", "/orders", { lines: [{ vendor, price }] }));
    const [cancelled] = await Promise.all(orders);
    assert.equal((await send("ann", "POST", `/orders/${cancelled}/cancel`)).status, 200);
    assert.equal((await get(`/vendors/${vendor}`))["parts"], 2);
    const payout = await add("clerk", "/payouts", { vendor });
    const parts = await list(`/parts?vendor=${vendor}`);
    assert.deepEqual(sorted(parts.map(({ state }) => state)), sorted(["paid", "paid", "void"]));
    assert.deepEqual(parts.filter((part) => part["payout"] === payout).length, 2);
    const next = await add("clerk", "/payouts", { vendor });
    assert.equal((await list(`/parts?payout=${next}`)).length, 0);
  });

  test("a batch and its readings; a deletion knows the record as it was", async () => {
    const batch = await add("ann", "/batches", { device: "d1", values: [4, 0, 6] });
    assert.deepEqual(sorted((await list(`/readings?batch=${batch}`)).map(({ value }) => value)), sorted([4, 6]));
    const [account] = await accounts();
    const order = await add("clerk", "/orders", {
      note: "d1",
      lines: [{ vendor: await add("clerk", "/vendors", { name: "yew" }), price: 9 }],
    });
    const mine = (await get(`/accounts/${account}`))["balance"] as number;
    assert.equal((await send("clerk", "DELETE", `/orders/${order}`)).status, 204);
    assert.equal((await get(`/accounts/${account}`))["balance"], mine + 9);
    assert.equal((await list(`/readings?batch=${batch}`)).length, 0);
    const other = await add("ann", "/batches", { device: "d2", values: [1] });
    assert.equal((await send("clerk", "DELETE", "/readings")).status, 204);
    assert.equal((await list(`/readings?batch=${other}`)).length, 0);
  });

  test("the next of a waiting list moves up when a place is free: by priority, then the oldest", async () => {
    const course = await add("clerk", "/courses", { places: 1 });
    const seat = async (who: string, priority = 0) => add(who, "/seats", { course, priority });
    const first = await seat("ann");
    const [second, third, urgent] = [await seat("bob"), await seat("cid"), await seat("dot", 5)];
    const states = async () =>
      Promise.all([first, second, third, urgent].map(async (id) => (await get(`/seats/${id}`))["state"]));
    assert.deepEqual(await states(), ["taken", "waiting", "waiting", "waiting"]);
    assert.equal((await send("ann", "POST", `/seats/${first}/leave`)).status, 200);
    assert.deepEqual(await states(), ["left", "waiting", "waiting", "taken"]);
    assert.equal((await send("dot", "POST", `/seats/${urgent}/leave`)).status, 200);
    assert.deepEqual(await states(), ["left", "taken", "waiting", "left"]);
    assert.equal((await get(`/courses/${course}`))["taken"], 1);
    assert.equal((await send("clerk", "POST", `/courses/${course}/close`)).status, 200);
    assert.deepEqual(await states(), ["left", "taken", "left", "left"]);
  });

  test("of several places that become free at once, each goes to another one who waits", async () => {
    const course = await add("clerk", "/courses", { places: 5 });
    const seats: string[] = [];
    for (let index = 0; index < 12; index += 1) seats.push(await add("ann", "/seats", { course }));
    const left = await Promise.all(seats.slice(0, 5).map((id) => send("ann", "POST", `/seats/${id}/leave`)));
    assert.deepEqual(
      left.map(({ status }) => status),
      [200, 200, 200, 200, 200],
    );
    const states = await Promise.all(seats.map(async (id) => (await get(`/seats/${id}`))["state"]));
    assert.equal(states.filter((state) => state === "taken").length, 5, states.join());
    assert.equal((await get(`/courses/${course}`))["taken"], 5);
  });

  test("a PUT to an unused unique key creates the record, and then replaces it", async () => {
    const put = (body: object, slug = "sale"): Promise<Reply> => send("ann", "PUT", `/tags/${slug}`, body);
    const first = await put({ color: "red", uses: 3 });
    assert.equal(first.status, 201, first.text);
    const made = first.json as Json;
    assert.deepEqual([made["slug"], made["color"], made["uses"]], ["sale", "red", 3]);
    const second = await put({ slug: "sale", color: "blue" });
    assert.equal(second.status, 200, second.text);
    assert.partialDeepStrictEqual(second.json, { id: made["id"], slug: "sale", color: "blue", uses: 0 });
    for (const slug of ["sale", "new"]) {
      const other = await put({ slug: "other", color: "blue" }, slug);
      assert.deepEqual([other.status, faultsOf(other)], [422, ["#/slug read-only"]], other.text);
    }
    assert.equal((await send("ann", "GET", "/tags/new")).status, 404);
    const stale = await send("ann", "PUT", "/tags/none", { color: "red" }, { "If-Match": '"1"' });
    assert.equal(stale.status, 412);
  });

  test("of concurrent PUTs to one unused key, one creates and the others replace", async () => {
    for (let round = 0; round < 5; round += 1) {
      const replies = await Promise.all(
        Array.from({ length: 8 }, (_, uses) =>
          send("ann", "PUT", `/tags/race-${round}`, { color: "red", uses: uses + 1 }),
        ),
      );
      const statuses = replies.map(({ status }) => status).toSorted((a, b) => b - a);
      assert.deepEqual(statuses, [201, 200, 200, 200, 200, 200, 200, 200], replies.map(({ text }) => text).join());
    }
    assert.equal((await list("/tags")).filter(({ slug }) => String(slug as string).startsWith("race-")).length, 5);
  });

  test("numbers are counted for each parent, without gaps, also by further writes", async () => {
    const [first, second] = [
      await add("clerk", "/courses", { places: 0 }),
      await add("clerk", "/courses", { places: 0 }),
    ];
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        send("ann", "POST", "/seats", {
          course: index % 3 === 0 ? second : first,
          ...(index % 4 === 0 ? { wrong: 1 } : {}),
        }),
      ),
    );
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([201, 422]));
    const places = async (course: string): Promise<readonly unknown[]> =>
      (await list(`/seats?course=${course}&sort=place`)).map(({ place }) => place);
    assert.deepEqual(await places(first), [1, 2, 3, 4, 5, 6]);
    assert.deepEqual(await places(second), [1, 2, 3]);
    const [from, to] = await accounts();
    await add("ann", "/transfers", { from, to, amount: 100 });
    // Undone after its postings were counted.
    assert.deepEqual(codeOf(await send("ann", "POST", "/transfers", { from, to, amount: 1 })), [409, "not-enough"]);
    const transfer = await add("ann", "/transfers", { from: to, to: from, amount: 1 });
    for (const account of [from, to]) {
      const numbers = (await list(`/postings?account=${account}`)).map(({ number }) => number as number);
      assert.deepEqual(
        numbers.toSorted((a, b) => a - b),
        [1, 2],
      );
    }
    assert.deepEqual(
      (await list(`/postings?transfer=${transfer}`)).map(({ part }) => part as number).toSorted((a, b) => a - b),
      [1, 2],
    );
  });

  test("however money is moved at once, the sum stays, and each account is the sum of its postings", async () => {
    const payments = fc.array(fc.record({ from: fc.nat(2), to: fc.nat(2), amount: fc.integer({ min: 1, max: 60 }) }), {
      minLength: 4,
      maxLength: 16,
    });
    await fc.assert(
      fc.asyncProperty(payments, async (all) => {
        const ids = await Promise.all([50, 50, 0].map((balance) => add("clerk", "/accounts", { balance })));
        const pay = ({ amount, from, to }: (typeof all)[number]) =>
          send("bob", "POST", "/transfers", { from: ids[from], to: ids[to], amount });
        const replies = await Promise.all(all.map(pay));
        for (const [index, { status }] of replies.entries())
          assert(
            all[index]?.from === all[index]?.to ? status === 422 : status === 201 || status === 409,
            String(status),
          );
        const balances = await Promise.all(ids.map(async (id) => (await get(`/accounts/${id}`))["balance"] as number));
        assert.equal(
          balances.reduce((a, b) => a + b),
          100,
        );
        for (const [index, id] of ids.entries()) {
          const amounts = (await list(`/postings?account=${id}`)).map(({ amount }) => amount as number);
          assert.equal((index < 2 ? 50 : 0) + amounts.reduce((a, b) => a + b, 0), balances[index]);
          assert((balances[index] ?? -1) >= 0);
        }
      }),
      { numRuns: 12 },
    );
  });
});
