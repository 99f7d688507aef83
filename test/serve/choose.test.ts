/** `choose`: two requests never get the same record, and a rejected request gets none (language, section 6). */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Reply } from "./client.ts";
import { crew, relay } from "./relay.ts";
import { by, served } from "./scenario.ts";

const lockers = readFileSync(new URL("../../examples/parcel-lockers.md", import.meta.url), "utf8");

served("choose", lockers, (subject) => {
  test("of 50 parcels for 10 free lockers 10 get one, each another", async () => {
    const operator = by(await subject.running.key("ole", "operator"));
    const courier = by(await subject.running.key("cora", "courier"));
    const post = (who: { Authorization: string }, path: string, body: object, more: Record<string, string> = {}) =>
      subject.client.send({
        method: "POST",
        path,
        headers: { ...who, "Idempotency-Key": `k${Math.random()}`, ...more },
        body,
      });
    const site = (
      await post(operator, "/sites", { name: "S", address: { street: "a 1", postcode: "0150", country: "NO" } })
    ).json as { id: string };
    const made = await Promise.all(
      Array.from({ length: 13 }, (_, door) =>
        post(operator, "/lockers", { site: site.id, door: door + 1, size: door < 10 ? "small" : "large" }),
      ),
    );
    assert(made.every(({ status }) => status === 201));
    const parcel = (tracking: number) => ({
      site: site.id,
      size: "small",
      trackingNumber: `tracking-${tracking}`,
      recipientEmail: "r@example.org",
      weightKg: 1,
    });
    const refused = await post(courier, "/parcels", { ...parcel(0), weightKg: 25, labels: ["x"] });
    assert.deepEqual([refused.status, (refused.json as { code: string }).code], [422, "label-too-heavy"]);
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, index) => post(courier, "/parcels", parcel(index))),
    );
    const winners = replies.filter(({ status }) => status === 201);
    assert.equal(winners.length, 10);
    const taken = new Set(winners.map(({ json }) => (json as { locker: string }).locker));
    assert.equal(taken.size, 10);
    for (const { status, json, headers } of replies.filter(({ status }) => status !== 201)) {
      assert.deepEqual([status, (json as { code: string }).code], [409, "no-free-locker"]);
      assert.equal(headers["retry-after"], "600");
    }
    const { json } = await subject.client.send({ method: "GET", path: "/lockers?limit=50", headers: operator });
    const held = (json as { items: { id: string; size: string; state: string }[] }).items;
    for (const { id, size, state } of held) {
      assert.equal(taken.has(id), size === "small");
      assert.equal(state, size === "small" ? "held" : "free");
    }
    const first = (winners[0] as Reply).json as { id: string; locker: string };
    assert.equal(
      (
        await subject.client.send({
          method: "POST",
          path: `/parcels/${first.id}/cancel`,
          headers: { ...courier, "Idempotency-Key": "c" },
        })
      ).status,
      200,
    );
    const again = await post(courier, "/parcels", parcel(100));
    assert.equal(again.status, 201, "a cancelled parcel's locker is free again");
    assert.equal((again.json as { locker: string }).locker, first.locker);
  });
});

served("choose what nothing takes", relay, (subject) => {
  const { send, add } = crew(subject);

  test("the first match is the oldest, and one that is sealed is none", async () => {
    const hall = await add("chief", "/halls", { name: "h" });
    const slots = [await add("chief", "/slots", { hall }), await add("chief", "/slots", { hall })];
    const book = async (title: string) =>
      (await send("cleo", "POST", "/bookings", { hall, title })).json as { slot?: string; code?: string };
    assert.equal((await book("one")).slot, slots[0]);
    await send("chief", "POST", `/slots/${slots[0]}/seal`);
    assert.equal((await book("two")).slot, slots[1]);
    await send("chief", "POST", `/slots/${slots[1]}/seal`);
    assert.equal((await book("three")).code, "no-free-slot");
    const chosen = await send("cleo", "POST", "/bookings", { hall, title: "four", slot: slots[0] });
    assert.equal(chosen.status, 422, "what is chosen is not the caller's to say");
  });
});
