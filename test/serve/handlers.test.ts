/** Operations of handlers: the function's arguments, rights and result, and the response if it breaks the contract. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ServiceFunctions } from "../../src/runtime/functions/functions.ts";
import { StoreError } from "../../src/store/port/error.ts";
import type { Store } from "../../src/store/port/store.ts";
import { withMembers } from "../with-members.ts";
import { documentText, serve, served, stores } from "./scenario.ts";

const kiosk = documentText("kiosk");

type Values = Record<string, never> & { readonly id: string };

/** As an owner of the service would write them, without the types of a document. */
const functions: ServiceFunctions = {
  async buy({ input, record, records, fail, caller }) {
    const { id, stock, price } = record as unknown as { id: string; stock: number; price: { amount: string } };
    const count = input["count"] as number;
    if (stock < count)
      fail("too-few", {
        detail: `There are ${stock}`,
        errors: [{ pointer: "#/count", detail: `count is over ${stock}` }],
      });
    await records.system["Drink"]?.update(id, { stock: stock - count });
    const paid = { ...price, amount: (Number(price.amount) * count).toFixed(2) };
    const order = await records.system["Order"]?.create({ drink: id, count, paid, by: caller.id });
    const { items } = (await records["Order"]?.list({ where: { by: caller.id } })) ?? { items: [] };
    return { order, left: stock - count, hint: null, all: items.map((one) => (one as Values).id) };
  },
  async quote({ input, records, fail }) {
    const drink = (await records["Drink"]?.get(input["drink"] as string)) ?? fail("not-found");
    const { amount, currency } = drink["price"] as { amount: string; currency: string };
    return { total: { amount: (Number(amount) * (input["count"] as number)).toFixed(2), currency } };
  },
  refill: ({ record, input, records }) => records["Drink"]?.update((record as Values).id, { stock: input["to"] }),
  async audit({ params, records }) {
    const { items } = (await records["Drink"]?.list()) ?? { items: [] };
    return { year: Number(params["year"]), drinks: items.length };
  },
  async closeAll({ records }) {
    const { items = [] } = (await records["Drink"]?.list({ where: { stock: 0 } })) ?? {};
    for (const one of items) await records["Drink"]?.move["sell"]?.((one as Values).id);
  },
  newest: async ({ records }) => await records["Drink"]?.find({ stock: { gt: 0 } }),
};

served(
  "handlers",
  kiosk,
  (subject) => {
    const ask = async (who: string | undefined, line: string, body?: unknown, headers: Record<string, string> = {}) => {
      const [method = "", path = ""] = line.split(" ");
      const key = who === undefined ? undefined : await subject.running.key(who, ...(who === "olga" ? ["owner"] : []));
      const authorization: Record<string, string> = key === undefined ? {} : { Authorization: `Bearer ${key}` };
      return subject.client.send({
        method,
        path,
        headers: { ...authorization, ...headers },
        ...(body === undefined ? {} : { body }),
      });
    };
    let count = 0;
    const drink = async (values: object = {}): Promise<string> => {
      count += 1;
      const price = { amount: "2.50", currency: "EUR" };
      const made = await ask("olga", "POST /drinks", { name: `drink ${count}`, price, stock: 5, ...values });
      assert.equal(made.status, 201, made.text);
      return (made.json as Values).id;
    };

    test("it reads and writes records in its operation's transaction, and gives what the document says", async () => {
      const id = await drink();
      const bought = await ask("ann", `POST /drinks/${id}/buy`, { count: 2 });
      assert.equal(bought.status, 200, bought.text);
      const given = bought.json as { order: { by: string; paid: object; count: number }; left: number; all: object[] };
      assert.deepEqual(
        [given.order.by, given.order.paid, given.order.count],
        ["ann", { amount: "5.00", currency: "EUR" }, 2],
      );
      assert.deepEqual([given.left, Object.hasOwn(given, "hint"), given.all], [3, false, [given.order]]);
      assert.equal(((await ask(undefined, `GET /drinks/${id}`)).json as { stock: number }).stock, 3);
      const second = await ask("bob", `POST /drinks/${id}/buy`);
      assert.equal((second.json as { all: object[] }).all.length, 1, "bob does not see the orders of others");
    });

    test("an error of the document undoes everything, and is answered as such", async () => {
      const id = await drink({ stock: 1 });
      const refused = await ask("ann", `POST /drinks/${id}/buy`, { count: 2 });
      assert.deepEqual([refused.status, (refused.json as { code: string }).code], [409, "too-few"]);
      assert.equal((refused.json as { detail: string }).detail, "There are 1");
      assert.deepEqual((refused.json as { errors: unknown }).errors, [
        { pointer: "#/count", code: "too-few", detail: "count is over 1" },
      ]);
    });

    test("input is judged before it is run, and so are permissions and preconditions", async () => {
      const id = await drink();
      assert.equal((await ask("ann", `POST /drinks/${id}/buy`, { count: 10 })).status, 422);
      assert.equal((await ask("ann", `POST /drinks/${id}/buy`, { cuont: 1 })).status, 422);
      assert.equal((await ask(undefined, `POST /drinks/${id}/buy`, { count: 1 })).status, 401);
      assert.equal((await ask("ann", `POST /drinks/${id}/refill`, { to: 3 })).status, 403);
      assert.equal((await ask("ann", "POST /drinks/dri_00000000000000000000000000/buy", { count: 1 })).status, 404);
      assert.equal((await ask("ann", `POST /drinks/${id}/buy`, { count: 1 }, { "If-Match": '"no"' })).status, 412);
    });

    test("without a record, with one that it names, and reading alone", async () => {
      const id = await drink();
      const quoted = await ask(undefined, "POST /quote", { drink: id, count: 3 });
      assert.deepEqual(quoted.json, { total: { amount: "7.50", currency: "EUR" } });
      const unknown = { drink: "dri_00000000000000000000000000", count: 3 };
      assert.equal((await ask(undefined, "POST /quote", unknown)).status, 422, "a reference has to exist");
      const newest = await ask("ann", "POST /drinks/newest");
      assert.deepEqual([newest.status, (newest.json as Values).id], [200, id]);
      const audit = await ask("olga", "GET /audit/2026");
      assert.deepEqual([audit.status, (audit.json as { year: number }).year], [200, 2026]);
    });

    test("updates and moves go by the rules of their operations", async () => {
      const id = await drink({ stock: 0 });
      assert.equal((await ask("olga", `POST /drinks/${id}/refill`, { to: 7 })).status, 200);
      assert.equal((await ask("olga", `POST /drinks/${id}/refill`, { to: 101 })).status, 422);
      const empty = await drink({ stock: 0 });
      assert.equal((await ask("olga", "POST /drinks/close")).status, 204);
      assert.equal(((await ask(undefined, `GET /drinks/${empty}`)).json as { state: string }).state, "gone");
      assert.equal(((await ask(undefined, `GET /drinks/${id}`)).json as { state: string }).state, "offered");
    });

    test("a repeated request is given the first answer, and runs nothing", async () => {
      const id = await drink();
      const again = { "Idempotency-Key": `key-${id}` };
      const first = await ask("ann", `POST /drinks/${id}/buy`, { count: 1 }, again);
      const second = await ask("ann", `POST /drinks/${id}/buy`, { count: 1 }, again);
      assert.deepEqual([second.text, second.headers["idempotent-replayed"]], [first.text, "true"]);
      assert.equal(((await ask(undefined, `GET /drinks/${id}`)).json as { stock: number }).stock, 4);
    });
  },
  { functions },
);

for (const store of stores) {
  test(`what a handler does wrong is ours, undone and never told (${store})`, async () => {
    let other: () => void = () => {};
    const gone = Promise.withResolvers<string>();
    const bad: Record<string, ServiceFunctions[string]> = {
      throws: async ({ records, record }) => {
        await records["Drink"]?.update((record as Values).id, { stock: 9 });
        throw new Error("the till is locked");
      },
      answers: () => ({ total: 5 }),
      asks: async ({ records, record }) => {
        await records["Drink"]?.update((record as Values).id, { stock: 9 });
        await records["Drink"]?.update((record as Values).id, { stock: 900 });
      },
      hangs: ({ signal, records }) => {
        signal.addEventListener("abort", () => gone.resolve("told"));
        other();
        // What nobody else writes meanwhile.
        return records["Order"]?.list().then(() => new Promise(() => {}));
      },
      catches: async ({ records, record, input }) => {
        const { id } = record as Values;
        const caught = await records["Drink"]?.move["sell"]?.(id).catch((thrown: { code: string }) => thrown.code);
        await records["Drink"]?.update(id, { stock: input["to"], note: caught });
      },
    };
    const made: Record<string, ServiceFunctions[string]> = { ...functions };
    await using subject = await serve(kiosk, { store, functions: made });
    const { running, client } = subject;
    const key = { Authorization: `Bearer ${await running.key("olga", "owner")}` };
    const send = (method: string, path: string, body?: unknown) =>
      client.send({ method, path, headers: key, ...(body === undefined ? {} : { body }) });
    const price = { amount: "2.50", currency: "EUR" };
    const { id } = (await send("POST", "/drinks", { name: "tea", price, stock: 5 })).json as Values;
    const stock = async () => ((await send("GET", `/drinks/${id}`)).json as { stock: number }).stock;
    const cases: readonly (readonly [by: string, path: string, body: object, failure: RegExp])[] = [
      ["throws", `/drinks/${id}/refill`, { to: 9 }, /the till is locked/],
      [
        "asks",
        `/drinks/${id}/refill`,
        { to: 9 },
        /`refill` asked for what the document does not allow: #\/stock: stock must .*100.*\(in `changeDrink`\)/,
      ],
      [
        "answers",
        "/quote",
        { drink: id, count: 1 },
        /the handler `quote` gave what the document does not say: #\/total/,
      ],
    ];
    for (const [by, path, body, failure] of cases) {
      made[path === "/quote" ? "quote" : "refill"] = bad[by];
      await using broken = await serve(kiosk, { store, functions: { ...made } });
      const owner = { Authorization: `Bearer ${await broken.running.key("olga", "owner")}` };
      const tea = (
        await broken.client.send({
          method: "POST",
          path: "/drinks",
          headers: owner,
          body: { name: "tea", price, stock: 5 },
        })
      ).json as Values;
      const sent = JSON.parse(JSON.stringify({ path, body }).replaceAll(id, tea.id)) as { path: string; body: object };
      const reply = await broken.client.send({ method: "POST", headers: owner, ...sent });
      assert.equal(reply.status, 500, by);
      assert(!reply.text.includes("till") && !reply.text.includes("total"), reply.text);
      const [told] = (broken.running.failures as Error[]).splice(0);
      assert.match(String(told?.stack), failure);
      const seen = await broken.client.send({ method: "GET", path: `/drinks/${tea.id}` });
      assert.equal((seen.json as { stock: number }).stock, 5, `${by} left something behind`);
    }

    await using slow = await serve(kiosk, { store, functions: { ...functions, audit: bad["hangs"] } });
    const owner = { Authorization: `Bearer ${await slow.running.key("olga", "owner")}` };
    const began = new Promise<void>((resolve) => {
      other = resolve;
    });
    const hanging = slow.client.send({ method: "GET", path: "/audit/2026", headers: owner });
    await began;
    const body = { name: "tea", price, stock: 5 };
    const written = await slow.client.send({ method: "POST", path: "/drinks", headers: owner, body });
    assert.equal(written.status, 201, "others write meanwhile");
    const late = await hanging;
    assert.deepEqual([late.status, (late.json as { code: string }).code], [503, "timed-out"]);
    assert.equal(await gone.promise, "told");

    await using catching = await serve(kiosk, { store, functions: { ...functions, refill: bad["catches"] } });
    const third = { Authorization: `Bearer ${await catching.running.key("olga", "owner")}` };
    const cola = (await catching.client.send({ method: "POST", path: "/drinks", headers: third, body })).json as Values;
    const reply = await catching.client.send({
      method: "POST",
      path: `/drinks/${cola.id}/refill`,
      headers: third,
      body: { to: 2 },
    });
    assert.deepEqual(reply.json, { ...(reply.json as object), stock: 2, note: "still-there" });
    assert.equal(await stock(), 5);
  });
}

/**
 * Asks for a refill that waits for something else; once it waits, `transaction` takes the place of the store's. Gives the answer, and
 * what the handler was told.
 */
async function refillThatWaits(transaction: (store: Store) => Store["transaction"]) {
  const elsewhere = Promise.withResolvers<void>();
  let told: AbortSignal | undefined;
  let waits = false;
  const around = (store: Store): Store => ({
    ...store,
    transaction: async (work, isLate) => {
      try {
        return await (waits ? transaction(store)(work, isLate) : store.transaction(work, isLate));
      } catch (thrown) {
        waits = true;
        elsewhere.resolve();
        throw thrown;
      }
    },
  });
  const waiting: ServiceFunctions = {
    ...functions,
    refill: async ({ records, record, signal }) => {
      told = signal;
      await elsewhere.promise;
      // Nobody ever answers this.
      await records["Drink"]?.get((record as Values).id);
    },
  };
  await using subject = await serve(kiosk, { store: "memory", functions: waiting, around });
  const headers = { Authorization: `Bearer ${await subject.running.key("olga", "owner")}` };
  const body = { name: "tea", price: { amount: "2.50", currency: "EUR" }, stock: 5 };
  const made = await subject.client.send({ method: "POST", path: "/drinks", headers, body });
  const path = `/drinks/${(made.json as Values).id}/refill`;
  const asked = await subject.client.send({ method: "POST", path, headers, body: { to: 9 } });
  return { asked, told };
}

test("a handler whose store goes away while it waits is told that nobody waits for it", async () => {
  const { asked, told } = await refillThatWaits(() => () => {
    throw new StoreError("unreachable", "it is away");
  });
  assert.equal(asked.status, 503, asked.text);
  assert.equal(told?.aborted, true);
});

test("what fails as a handler that waited is done again is told as that, and not as others' doing", async () => {
  const failure = new Error("a mistake");
  const view = (): never => {
    throw failure;
  };
  const { asked, told } = await refillThatWaits(
    (store) => (work, isLate) => store.transaction((tx) => work(withMembers(tx, { view })), isLate),
  );
  assert.equal(asked.status, 500, asked.text);
  assert.equal(told?.reason, failure);
});
