/** Effects of one change on other records; an error anywhere rolls back all of them (R1.8, R3.3). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { crew, relay } from "./relay.ts";
import { served } from "./scenario.ts";

served("effects", relay, (subject) => {
  const { send, get, add, job } = crew(subject);
  const start = (path: string, body: object = {}) => send("cleo", "POST", `${path}/start`, body);

  test("events move what their payload refers to, and those moves emit events in turn", async () => {
    const { path, slot, hall } = await job({ title: "first", badge: "b1" });
    assert.equal((await start(path)).status, 200);
    const taken = await get(`/slots/${slot}`);
    assert.deepEqual([taken["state"], taken["uses"], taken["lastTitle"], taken["badge"]], ["taken", 1, "first", "b1"]);
    const lively = await get(`/halls/${hall}`);
    assert.deepEqual([lively["state"], lively["busySlots"], lively["lastJob"]], ["lively", 1, "first"]);
    await send("cleo", "POST", `${path}/step`);
    await send("cleo", "POST", `${path}/finish`);
    const freed = await get(`/slots/${slot}`);
    assert.deepEqual([freed["state"], freed["badge"]], ["free", undefined]);
    const quiet = await get(`/halls/${hall}`);
    assert.deepEqual([quiet["state"], quiet["busySlots"]], ["quiet", 0]);
  });

  test("stored computed fields of what was moved are kept current", async () => {
    const hall = await add("chief", "/halls", { name: "loud" });
    // Both before anything starts: a slot that is made enters `free`, and that is an event too.
    const slots = [await add("chief", "/slots", { hall }), await add("chief", "/slots", { hall })];
    for (const [count, slot] of slots.entries()) {
      const reply = await start(`/jobs/${await add("cleo", "/jobs", { hall, slot, title: `j${count}` })}`);
      assert.equal(reply.status, 200, reply.text);
      assert.equal((await get(`/halls/${hall}`))["loud"], count > 0);
    }
  });

  test("R4.15 what was moved has a new tag, and what the answer tells of it is as it is then", async () => {
    const { path, slot } = await job();
    const before = await send("cleo", "GET", `/slots/${slot}`);
    const reply = await start(path);
    assert.deepEqual(reply.json, {
      state: "running",
      slotState: "taken",
      until: null,
      started: (await get(path))["startedAt"],
    });
    const after = await send("cleo", "GET", `/slots/${slot}`);
    assert.notEqual(after.headers["etag"], before.headers["etag"]);
  });

  test("an event that finds no move, or no record, is ignored", async () => {
    const { path, slot, hall } = await job();
    assert.equal((await send("chief", "POST", `/slots/${slot}/seal`)).status, 200);
    assert.equal((await start(path)).status, 200);
    assert.equal((await get(`/slots/${slot}`))["state"], "sealed");
    assert.equal((await get(`/halls/${hall}`))["busySlots"], 0);
    const bare = await add("cleo", "/jobs", { hall, title: "no slot" });
    assert.equal((await start(`/jobs/${bare}`)).status, 200);
  });

  test("only what enters a state emits its event", async () => {
    const { path, slot } = await job();
    assert.equal((await start(path, { now: true, steps: 1 })).status, 200);
    assert.equal((await get(`/slots/${slot}`))["state"], "free", "`rushed` is not `running`");
    await send("cleo", "POST", `${path}/step`);
    assert.equal((await get(`/slots/${slot}`))["state"], "taken", "rushed -> running enters");
    await send("cleo", "POST", `${path}/step`);
    assert.equal((await get(`/slots/${slot}`))["uses"], 1, "running -> running does not");
  });

  test("a rule of a record that would be moved refuses the whole request, and nothing is half done", async () => {
    const hall = await add("chief", "/halls", { name: "worn" });
    const slot = await add("chief", "/slots", { hall });
    for (let use = 1; use <= 3; use += 1) {
      const path = `/jobs/${await add("cleo", "/jobs", { hall, slot, title: `u${use}` })}`;
      assert.equal((await start(path)).status, 200);
      assert.equal((await send("cleo", "POST", `${path}/fail`)).status, 204);
    }
    const last = `/jobs/${await add("cleo", "/jobs", { hall, slot, title: "last" })}`;
    const before = [await get(last), await get(`/slots/${slot}`), await get(`/halls/${hall}`)];
    const key = { "Idempotency-Key": "worn" };
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const reply = await send("cleo", "POST", `${last}/start`, {}, key);
      assert.deepEqual([reply.status, (reply.json as { code: string }).code], [409, "worn-out"], reply.text);
      assert.deepEqual([await get(last), await get(`/slots/${slot}`), await get(`/halls/${hall}`)], before);
    }
  });

  test("so does a rule two moves away", async () => {
    const hall = await add("chief", "/halls", { name: "small", limit: 1 });
    const slots = [await add("chief", "/slots", { hall }), await add("chief", "/slots", { hall })];
    const [one, two] = [
      `/jobs/${await add("cleo", "/jobs", { hall, slot: slots[0], title: "in" })}`,
      `/jobs/${await add("cleo", "/jobs", { hall, slot: slots[1], title: "out" })}`,
    ];
    assert.equal((await start(one)).status, 200);
    const reply = await start(two);
    assert.deepEqual([reply.status, (reply.json as { code: string }).code], [409, "hall-full"], reply.text);
    assert.equal((await get(two))["state"], "waiting");
    assert.equal((await get(`/slots/${slots[1]}`))["state"], "free");
    assert.equal((await get(`/halls/${hall}`))["lastJob"], "in");
  });

  test("R2.11 so does a uniqueness of a record that would be moved", async () => {
    const one = await job({ badge: "same" });
    const two = await job({ badge: "same" });
    assert.equal((await start(one.path)).status, 200);
    const reply = await start(two.path);
    assert.deepEqual([reply.status, (reply.json as { code: string }).code], [409, "already-exists"], reply.text);
    assert.equal((await get(two.path))["state"], "waiting");
    assert.equal((await get(`/slots/${two.slot}`))["uses"], 0);
    assert.equal((await get(`/halls/${two.hall}`))["busySlots"], 0);
  });
});
