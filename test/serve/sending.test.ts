/** Events between two steps of a delivery: other writes, other processes, a stop (R6.4, R6.8, R6.10). */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { setTimeout as pass } from "node:timers/promises";
import { createIds } from "../../src/base/id.ts";
import { createDeliveries } from "../../src/webhooks/engine.ts";
import type { Deliveries } from "../../src/webhooks/engine.ts";
import type { Posted } from "../../src/webhooks/post.ts";
import type { WebhookPlan } from "../../src/plan/events/types.ts";
import { createService } from "../../src/runtime/service.ts";
import { openMemoryStore } from "../../src/store/memory/open.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import type { Row, Store } from "../../src/store/port/store.ts";
import { withMembers } from "../with-members.ts";
import { planOf } from "./running.ts";
import { documentText } from "./scenario.ts";

const plan = planOf(documentText("orders"));
const nothing = (resource: string) => ({ resource, members: [] });
const taken: Posted = { status: 204, reply: "" };

interface Bench extends AsyncDisposable {
  readonly store: Store;
  /** Bodies that were sent, in order. */
  readonly sent: string[];
  /** What the receiver answers, when it does. */
  answer: () => Promise<Posted>;
  /** Deliveries as one process makes them; `around` puts something between it and the store. */
  process(around?: (store: Store) => Store): Deliveries;
  endpoint(columns?: Row): Promise<void>;
  /** An order of this name is placed, and paid so often. */
  placed(id: string, more?: readonly string[]): Promise<void>;
  states(): Promise<readonly string[]>;
  pass(milliseconds: number): void;
}

async function createBench(kind: "memory" | "sqlite"): Promise<Bench> {
  let shift = 0;
  const clock = { now: () => Date.now() + shift };
  const store =
    kind === "memory"
      ? await openMemoryStore({ tables: plan.tables, clock: clock.now })
      : await openSqliteStore({ file: ":memory:", tables: plan.tables, clock: clock.now });
  const sent: string[] = [];
  const bench: Bench = {
    store,
    sent,
    answer: () => Promise.resolve(taken),
    process(around = (same) => same) {
      const service = createService({
        plan,
        store,
        clock,
        random: randomBytes,
        environment: {},
        cursorSecret: "a test",
        baseUrl: () => "http://orders.example",
        report: (failure) => assert.fail(String(failure)),
      });
      return createDeliveries(
        {
          plan,
          store: around(store),
          clock,
          random: () => 0.5,
          newId: createIds(clock, randomBytes),
          renderer: service.renderer,
          rolesHeld: (_, { roles }) => ({ roles, scoped: false }),
          transition: (tx, transition) => service.transition(tx, transition),
          secret: () => "whsec_YQ==",
          post: {
            send: (_, __, body) => {
              sent.push(body);
              return bench.answer();
            },
            close: () => {},
          },
          report: (failure) => assert.fail(String(failure)),
        },
        plan.events.webhook as WebhookPlan,
      );
    },
    endpoint: async (columns = {}) => {
      const now = new Date(clock.now()).toISOString();
      const row = { id: "whk_1", state: "enabled", owner: "c", url: "https://shop.example/", roles: ["clerk"], oldSecrets: [], secretNumber: 1, createdAt: now }; // biome-ignore format: one record
      await store.transaction(async (tx) => {
        await tx.insert("Webhook", { ...row, ...columns }, 1, nothing("Webhook"), {});
        await tx.record({
          at: clock.now(),
          resource: "Webhook",
          record: "whk_1",
          to: "enabled",
          by: "c",
          cause: "test",
        });
      });
    },
    placed: (id, more = []) =>
      store.transaction(async (tx) => {
        const data: Row = { _seq: 1, _rev: 1, id, state: "placed", shop: "s", email: "a@shop.example", margin: 1, createdAt: "2026-01-01T00:00:00Z" }; // biome-ignore format: one record
        for (const event of ["order.placed", ...more])
          await tx.record({ at: clock.now(), resource: "Order", record: id, by: "s", cause: "test", event, data });
      }),
    states: async () => {
      const members = [{ name: "state", source: { kind: "column" as const, column: "state" }, type: "text" as const, absent: "null" as const }]; // biome-ignore format: one member
      const list = store.list({ resource: "WebhookDelivery", system: true, view: { resource: "WebhookDelivery", members }, sort: [], filters: [], from: "start" }); // biome-ignore format: one query
      const { text } = await list({ limit: 1000, filters: [] }, {});
      return (JSON.parse(`[${text}]`) as { state: string }[]).map(({ state }) => state);
    },
    pass: (milliseconds) => {
      shift += milliseconds;
    },
    [Symbol.asyncDispose]: () => store.close(),
  };
  return bench;
}

const orderIn = (body: string): string => (JSON.parse(body) as { data: { id: string } }).data.id;

/** A store of which something is done after each reading of events. */
function afterEvents(then: () => Promise<void> | void): (store: Store) => Store {
  return (store) => ({
    ...store,
    journal: {
      at: (position) => store.journal.at(position),
      moves: (...asked) => store.journal.moves(...asked),
      last: () => store.journal.last(),
      first: () => store.journal.first(),
      trim: (before) => store.journal.trim(before),
      events: async (after, limit) => {
        const found = await store.journal.events(after, limit);
        await then();
        return found;
      },
    },
  });
}

/** A store of which something is done after each reading of a list of the resource. */
function afterLists(resource: string, then: () => Promise<void> | void): (store: Store) => Store {
  return (store) => ({
    ...store,
    list: (query) => {
      const list = store.list(query);
      if (query.resource !== resource) return list;
      return async (...asked) => {
        const found = await list(...asked);
        await then();
        return found;
      };
    },
  });
}

/** A store of which something is done after each transaction, once deliveries have been looked for: the first one claims them. */
function afterClaims(then: () => Promise<void>): (store: Store) => Store {
  let looked = false;
  const looking = afterLists("WebhookDelivery", () => {
    looked = true;
  });
  return (store) => ({
    ...looking(store),
    async transaction(work) {
      const value = await store.transaction(work);
      if (looked) await then();
      return value;
    },
  });
}

/** What its owner asks for: it is enabled again, and all since then is sent. */
async function recover({ store }: Bench, since: string): Promise<void> {
  await store.transaction(async (tx) => {
    const row = (await tx.get("Webhook", "id", "whk_1")) as Row;
    await tx.update("Webhook", row, { state: "enabled", recoverSince: since }, nothing("Webhook"), {});
  });
}

for (const kind of ["memory", "sqlite"] as const) {
  test(`R6.4 what happens while events are read is sent, too (${kind})`, async () => {
    await using bench = await createBench(kind);
    await bench.endpoint();
    let late: (() => Promise<void>) | undefined = () => bench.placed("ord_late");
    const deliveries = bench.process(
      afterEvents(async () => {
        const happens = late;
        late = undefined;
        await happens?.();
      }),
    );
    await bench.placed("ord_first");
    await deliveries.round();
    await deliveries.round();
    await deliveries.completed();
    assert.deepEqual(bench.sent.map(orderIn), ["ord_first", "ord_late"]);
  });

  test(`R6.4 what happens after an endpoint was made is sent to it, whatever the clock says (${kind})`, async () => {
    await using bench = await createBench(kind);
    await bench.placed("ord_before");
    await bench.endpoint();
    bench.pass(-3_600_000);
    await bench.placed("ord_after");
    const deliveries = bench.process();
    await deliveries.round();
    await deliveries.completed();
    assert.deepEqual(bench.sent.map(orderIn), ["ord_after"]);
  });

  test(`R6.4 an endpoint that is deleted while events are read is sent nothing, and nobody misses it (${kind})`, async () => {
    await using bench = await createBench(kind);
    await bench.endpoint();
    await bench.placed("ord_1");
    const deliveries = bench.process(
      afterLists("Webhook", () =>
        bench.store.transaction(async (tx) => {
          const row = await tx.get("Webhook", "id", "whk_1");
          if (row !== undefined) await tx.delete("Webhook", row);
        }),
      ),
    );
    await deliveries.round();
    assert.deepEqual(await bench.states(), []);
  });

  test(`R6.8 what came of an attempt whose lease was over changes nothing (${kind})`, async () => {
    await using bench = await createBench(kind);
    await bench.endpoint();
    await bench.placed("ord_1");
    const slow = Promise.withResolvers<Posted>();
    bench.answer = () => slow.promise;
    const one = bench.process();
    await one.round();
    assert.equal(bench.sent.length, 1);

    bench.pass(60_000);
    bench.answer = () => Promise.resolve(taken);
    const other = bench.process();
    await other.round();
    await other.completed();
    assert.deepEqual(await bench.states(), ["delivered"]);

    slow.resolve({ status: 410, reply: "" });
    await one.completed();
    assert.deepEqual(await bench.states(), ["delivered"]);
    const endpoint = await bench.store.transaction(async (tx) => tx.get("Webhook", "id", "whk_1"));
    assert.equal(endpoint?.["state"], "enabled");
  });

  test(`R6.4 while more happens than is looked through, attempts go on (${kind})`, async () => {
    await using bench = await createBench(kind);
    await bench.endpoint();
    await bench.placed("ord_0");
    let readings = 0;
    const deliveries = bench.process(
      afterEvents(async () => {
        readings += 1;
        if (bench.sent.length === 0 && readings < 50) await bench.placed(`ord_${readings}`);
      }),
    );
    await deliveries.round();
    assert.ok(readings < 10, `nothing was sent until all had been looked through, ${readings} times`);
    await deliveries.completed();
    await deliveries.round();
    await deliveries.completed();
    assert.equal(new Set(bench.sent.map(orderIn)).size, readings);
  });

  test(`R6.8 what was claimed so long ago that its lease is over is not begun (${kind})`, async () => {
    await using bench = await createBench(kind);
    await bench.endpoint();
    await bench.placed("ord_1");
    const claimed = Promise.withResolvers<void>();
    const observed = Promise.withResolvers<void>();
    const slow = bench.process(
      afterClaims(() => {
        claimed.resolve();
        return observed.promise;
      }),
    );
    const round = slow.round();
    await claimed.promise;
    bench.pass(60_000);
    const other = bench.process();
    await other.round();
    await other.completed();
    observed.resolve();
    await round;
    await slow.completed();
    assert.equal(bench.sent.length, 1);
    assert.deepEqual(await bench.states(), ["delivered"]);
  });

  test(`what is erased while events are read becomes no delivery (${kind})`, async () => {
    for (const asked of ["new", "again"] as const) {
      await using bench = await createBench(kind);
      const since = new Date(Date.now() - 1000).toISOString();
      await bench.endpoint();
      await bench.placed("ord_erased");
      await bench.placed("ord_kept");
      if (asked === "again") {
        // It has come to them already, and made nothing of them.
        await bench.store.transaction(async (tx) => tx.setOffset("webhooks", await bench.store.journal.last()));
        await recover(bench, since);
      }
      const deliveries = bench.process(
        afterEvents(() => bench.store.transaction(async (tx) => tx.forget("Order", "ord_erased"))),
      );
      await deliveries.round();
      await deliveries.completed();
      assert.deepEqual(bench.sent.map(orderIn), ["ord_kept"], asked);
    }
  });

  test(`of what is erased after it was claimed one attempt is made, and no other (${kind})`, async () => {
    await using bench = await createBench(kind);
    await bench.endpoint();
    await bench.placed("ord_1");
    bench.answer = () => Promise.resolve({ status: 500, reply: "" });
    let isErased = false;
    const erase = (): Promise<void> =>
      bench.store.transaction(async (tx) => {
        await tx.forget("Order", "ord_1");
        const row = await tx.first("WebhookDelivery", undefined, {});
        if (row?.["state"] !== "pending") return;
        const changes = { state: "failed", body: "", nextAttemptAt: null };
        await tx.update("WebhookDelivery", row, changes, nothing("WebhookDelivery"), {});
        isErased = true;
      });
    const deliveries = bench.process(afterClaims(async () => (isErased ? undefined : erase())));
    for (let round = 0; round < 3; round += 1) {
      await deliveries.round();
      await deliveries.completed();
      bench.pass(24 * 3_600_000);
    }
    assert.ok(isErased);
    assert.deepEqual(bench.sent.map(orderIn), ["ord_1"]);
    assert.deepEqual(await bench.states(), ["failed"]);
  });

  test(`R6.10 a recovery that a stop cuts short is gone on with (${kind})`, async () => {
    await using bench = await createBench(kind);
    const since = new Date(Date.now() - 1000).toISOString();
    await bench.endpoint({ state: "disabled", createdAt: since });
    // More than are read at once.
    for (let index = 0; index < 101; index += 1) await bench.placed(`ord_${index}`);
    let stopping: Promise<void> | undefined;
    let recovering = false;
    const first = bench.process(
      afterEvents(() => {
        if (recovering) stopping ??= first.stop(0);
      }),
    );
    await first.round();
    await recover(bench, since);
    recovering = true;
    bench.pass(2000);
    await first.round();
    await stopping;

    const second = bench.process();
    await second.round();
    await second.completed();
    assert.equal(new Set(bench.sent.map(orderIn)).size, 101);
  });

  test(`R6.10 of two processes that recover one endpoint each delivery is made once (${kind})`, async () => {
    await using bench = await createBench(kind);
    const since = new Date(Date.now() - 1000).toISOString();
    await bench.endpoint({ state: "disabled", createdAt: since });
    for (let index = 0; index < 7; index += 1) await bench.placed(`ord_${index}`);
    const second = bench.process();
    let both: Promise<void> | undefined;
    let recovering = false;
    const first = bench.process(
      afterEvents(() => {
        // The first has seen that there are none, and has not made any.
        if (recovering) both ??= second.round();
        return both;
      }),
    );
    await first.round();
    await second.round();
    await recover(bench, since);
    recovering = true;
    bench.pass(2000);
    await first.round();
    assert.ok(both !== undefined);
    for (const process of [first, second]) await process.completed();
    assert.equal(bench.sent.length, 7);
    assert.equal((await bench.states()).length, 7);
  });

  test(`R6.10 a recovery does not send what is being sent (${kind})`, async () => {
    await using bench = await createBench(kind);
    const since = new Date(Date.now() - 1000).toISOString();
    await bench.endpoint({ createdAt: since });
    await bench.placed("ord_1");
    const slow = Promise.withResolvers<Posted>();
    bench.answer = () => slow.promise;
    const [one, other] = [bench.process(), bench.process()];
    await one.round();
    assert.equal(bench.sent.length, 1);
    await recover(bench, since);
    bench.pass(2000);
    await other.round();
    await one.round();
    assert.equal(bench.sent.length, 1);
    slow.resolve(taken);
    for (const process of [one, other]) await process.completed();
    assert.deepEqual(await bench.states(), ["delivered"]);
    assert.equal(bench.sent.length, 1);
  });

  test(`R6.8 after a stop nothing is begun any more (${kind})`, async () => {
    await using bench = await createBench(kind);
    await bench.endpoint();
    await bench.placed("ord_1", ["order.paid"]);
    const { promise: stopped, resolve } = Promise.withResolvers<number>();
    const deliveries = bench.process(
      afterLists("WebhookDelivery", () => {
        // The first has been sent, and what comes next is being looked for.
        if (bench.sent.length === 1) void deliveries.stop(0).then(() => resolve(bench.sent.length));
      }),
    );
    await deliveries.round();
    const length = await stopped;
    for (let turns = 0; turns < 20; turns += 1) await pass(1);
    assert.equal(bench.sent.length, length);
  });

  test(`R6.4 who waits for one of which nothing is left to tell is let go (${kind})`, async () => {
    await using bench = await createBench(kind);
    await bench.endpoint();
    await bench.placed("ord_1", ["order.paid"]);
    // The first is to be sent once more after its data was erased: nothing is, and the second has waited for it.
    const deliveries = bench.process((store) => ({
      ...store,
      transaction: (work) =>
        store.transaction((tx) =>
          work(
            withMembers(tx, {
              insert: (resource, row, ...asked) =>
                tx.insert(resource, row["nextAttemptAt"] === null ? row : { ...row, body: "" }, ...asked),
            }),
          ),
        ),
    }));
    await deliveries.round();
    await deliveries.completed();
    await deliveries.round();
    await deliveries.completed();
    assert.deepEqual(await bench.states(), ["delivered", "failed"]);
  });

  test(`R6.8 an endpoint that takes all is sent more at a time, and one that does not eight (${kind})`, async () => {
    await using bench = await createBench(kind);
    await bench.endpoint();
    for (let order = 0; order < 60; order += 1) await bench.placed(`ord_${order}`);
    const waiting: ((posted: Posted) => void)[] = [];
    bench.answer = () => new Promise((resolve) => waiting.push(resolve));
    const deliveries = bench.process();
    const rounds = async (): Promise<number> => {
      for (let turn = 0; turn < 20; turn += 1) {
        await deliveries.round();
        await pass(1);
      }
      return waiting.length;
    };
    assert.equal(await rounds(), 8);
    for (const go of waiting.splice(0)) go(taken);
    assert.equal(await rounds(), 16, "each of the eight made room for one more");
    waiting.shift()?.({ status: 500, reply: "" });
    assert.equal(await rounds(), 15, "none begins while there are more than eight");
    for (const go of waiting.splice(0, 3)) go({ status: 500, reply: "" });
    assert.equal(await rounds(), 12);

    bench.answer = () => Promise.resolve(taken);
    for (const go of waiting.splice(0)) go(taken);
    await deliveries.completed();
    const states = await bench.states();
    assert.deepEqual([states.length, states.filter((state) => state === "delivered").length], [60, 56]);
  });

  test(`R6.4 who waits for one that is gone unsent is let go when more is said of the record (${kind})`, async () => {
    await using bench = await createBench(kind);
    await bench.endpoint();
    await bench.placed("ord_1", ["order.paid"]);
    bench.answer = () => Promise.resolve({ status: 500, reply: "" });
    const deliveries = bench.process();
    await deliveries.round();
    await deliveries.completed();
    await bench.store.transaction(async (tx) => {
      // As part 8 does it, whose time may be shorter than that of all attempts.
      const row = await tx.first("WebhookDelivery", undefined, {});
      if (row !== undefined) await tx.delete("WebhookDelivery", row);
    });

    bench.answer = () => Promise.resolve(taken);
    await bench.placed("ord_1");
    await deliveries.round();
    await deliveries.completed();
    assert.deepEqual(await bench.states(), ["delivered", "delivered"]);
  });
}
