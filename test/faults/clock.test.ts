/** A clock that jumps back or forward, by hours and by years: nothing fails, nothing runs twice, and the order stays the same. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { serve, stores } from "../serve/scenario.ts";

const workshop = readFileSync(join(import.meta.dirname, "workshop.md"), "utf8");
const hour = 3_600_000;
const year = 365 * 24 * hour;

for (const store of stores) {
  describe(`the clock (${store})`, () => {
    for (const [what, leap] of [
      ["an hour", hour],
      ["ten years", 10 * year],
    ] as const) {
      test(`set back by ${what} and forward again: timers, sessions, keys of requests, order`, async () => {
        await using subject = await serve(workshop, { store });
        const { client, running } = subject;
        const send = (method: string, path: string, headers: Record<string, string>, body?: object) =>
          client.send({ method, path, headers, ...(body === undefined ? {} : { body }) });
        const owner = { name: "ann", password: "correct horse battery" };
        const registered = await send("POST", "/owners", {}, owner);
        const by = { Authorization: `Bearer ${(registered.json as { token: string }).token}` };
        const add = (label: string) => send("POST", "/jobs", { ...by, "Idempotency-Key": label }, { label });
        const first = await add("first");
        const { id } = first.json as { id: string };
        assert.equal((await send("POST", `/jobs/${id}/begin`, by)).status, 200);

        running.pass(-leap);
        assert.equal(await running.tick(), 0, "it is not due");
        const second = await add("second");
        assert.equal(second.status, 201, "a session from the future is good");
        assert.equal((await add("first")).text, first.text, "the first answer again");
        const labels = async (): Promise<readonly string[]> => {
          const { items } = (await send("GET", "/jobs", by)).json as { items: { label: string }[] };
          return items.map(({ label }) => label);
        };
        assert.deepEqual(await labels(), ["second", "first"], "newest first, whatever the clock said");
        const ids = [first, second].map(({ json }) => (json as { id: string }).id);
        assert.deepEqual(ids.toSorted(), ids, "ids go on upwards");

        running.pass(leap + 1_000);
        assert.equal(await running.tick(), 1, "late by nothing");
        assert.equal(await running.tick(), 0, "once");
        running.pass(leap);
        assert.equal(await running.tick(), 0, "nor later");
        const after = await send("GET", `/jobs/${id}`, by);
        if (leap < 30 * 24 * hour) assert.equal((after.json as { state: string }).state, "done");
        else assert.equal(after.status, 401, "the session is over");
        assert.equal((await send("POST", "/sessions", {}, owner)).status, 200);
        const { journal } = running.store;
        const moves = await journal.moves("Job", id, 0, 9);
        assert.deepEqual(moves.map(({ to }) => to), ["brought", "begun", "done"]); // biome-ignore format: short
        assert.deepEqual(running.failures, []);
      });
    }

    test("a quota's window that began in the future keeps nobody waiting for more than itself", async () => {
      const text = workshop.replace("1000/day per user", "2/h per user");
      assert.notEqual(text, workshop);
      await using subject = await serve(text, { store });
      const { client, running } = subject;
      const registered = await client.send({
        method: "POST",
        path: "/owners",
        body: { name: "ann", password: "correct horse battery" },
      });
      const headers = { Authorization: `Bearer ${(registered.json as { token: string }).token}` };
      const add = async (label: string): Promise<number> =>
        (await client.send({ method: "POST", path: "/jobs", headers, body: { label } })).status;
      assert.deepEqual([await add("a"), await add("b"), await add("c")], [201, 201, 403]);
      running.pass(2 * hour);
      assert.equal(await add("d"), 201);
      running.pass(-2 * hour);
      assert.ok([201, 403].includes(await add("e")));
      running.pass(3 * hour + 1);
      assert.equal(await add("f"), 201);
      assert.deepEqual(running.failures, []);
    });
  });
}
