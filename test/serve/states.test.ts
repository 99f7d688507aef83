/** States change only by declared transitions, and of concurrent transitions one wins (R3.1 to R3.6). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { crew, relay } from "./relay.ts";
import type { Runner } from "./relay.ts";
import { faultsOf, served } from "./scenario.ts";

served("states", relay, (subject) => {
  const { send, get, job } = crew(subject);

  test("R3.1 a record starts in the start state, and no body says otherwise", async () => {
    const { hall, path } = await job();
    assert.equal((await get(path))["state"], "waiting");
    for (const state of ["waiting", "running", "done", null, 5]) {
      const made = await send("cleo", "POST", "/jobs", { hall, title: "t", state });
      assert.deepEqual([made.status, faultsOf(made)], [422, ["#/state read-only"]]);
    }
    for (const [method, rest] of [
      ["PATCH", {}],
      ["PUT", { title: "job" }],
    ] as const) {
      for (const state of ["running", "done", "nonsense", null, ["waiting"]]) {
        const reply = await send("cleo", method, path, { ...rest, state });
        assert.deepEqual([reply.status, faultsOf(reply)], [422, ["#/state read-only"]], `${method} ${String(state)}`);
      }
      assert.equal((await send("cleo", method, path, { ...rest, state: "waiting" })).status, 200);
    }
    assert.equal((await get(path))["state"], "waiting");
  });

  test("R3.2 what no move does is 409 with the state and the moves that this caller may make", async () => {
    const { path, id } = await job();
    const refused = async (who: Runner, verb: string, state: string, moves: readonly string[]): Promise<void> => {
      const reply = await send(who, "POST", `${path}/${verb}`, verb === "start" ? {} : undefined);
      assert.equal(reply.status, 409, reply.text);
      const problem = reply.json as { code: string; state: string; moves: string[] };
      assert.deepEqual([problem.code, problem.state], ["state-conflict", state]);
      assert.deepEqual(problem.moves.toSorted(), moves.toSorted(), `${who} ${verb}`);
    };
    await refused("cleo", "finish", "waiting", ["startJob", "failJob"]);
    await refused("chief", "finish", "waiting", []);
    await refused("both", "finish", "waiting", ["startJob", "failJob"]);
    await send("cleo", "POST", `${path}/start`, {});
    await refused("cleo", "start", "running", ["stepJob", "finishJob", "failJob", "pingJob"]);
    await refused("both", "start", "running", ["stepJob", "finishJob", "failJob", "pingJob", "speedJob", "resetJob"]);
    assert.equal((await send("cleo", "POST", `${path}/fail`)).status, 204);
    await refused("both", "fail", "failed", []);
    await refused("chief", "reset", "failed", []);
    assert.equal((await get(`/jobs/${id}`))["state"], "failed", "R3.6 reads go on");
  });

  test("R3.4 a move made twice is made once", async () => {
    const { path, slot } = await job();
    assert.equal((await send("cleo", "POST", `${path}/start`, {})).status, 200);
    const before = await send("cleo", "GET", path);
    assert.equal((await send("cleo", "POST", `${path}/start`, {})).status, 409);
    const after = await send("cleo", "GET", path);
    assert.deepEqual([after.text, after.headers["etag"]], [before.text, before.headers["etag"]]);
    assert.equal((await get(`/slots/${slot}`))["uses"], 1);
  });

  test("R3.3 of 50 at once one wins, and what it causes happens once", async () => {
    const { path, slot, hall } = await job();
    const replies = await Promise.all(Array.from({ length: 50 }, () => send("cleo", "POST", `${path}/start`, {})));
    const statuses = replies.map(({ status }) => status).toSorted((a, b) => a - b);
    assert.deepEqual(statuses, [200, ...Array.from({ length: 49 }, () => 409)]);
    for (const { status, json } of replies)
      if (status === 409) assert.equal((json as { state: string }).state, "running");
    assert.equal((await get(`/slots/${slot}`))["uses"], 1);
    assert.equal((await get(`/halls/${hall}`))["busySlots"], 1);
  });

  test("R3.3 of different moves at once, each sees what the others did", async () => {
    const { path } = await job();
    await send("cleo", "POST", `${path}/start`, {});
    const steps = await Promise.all(Array.from({ length: 30 }, () => send("cleo", "POST", `${path}/step`)));
    assert(steps.every(({ status }) => status === 200));
    assert.deepEqual(
      steps.map(({ json }) => (json as { steps: number }).steps).toSorted((a, b) => a - b),
      Array.from({ length: 30 }, (_, index) => index + 1),
    );
    const ends = await Promise.all([
      ...Array.from({ length: 10 }, () => send("cleo", "POST", `${path}/finish`)),
      ...Array.from({ length: 10 }, () => send("cleo", "POST", `${path}/fail`)),
    ]);
    assert.equal(ends.filter(({ status }) => status < 300).length, 1);
  });

  test("`set` is worked out from the record before the move, all at once", async () => {
    const { path } = await job();
    await send("cleo", "POST", `${path}/start`, {});
    for (const [steps, before] of [
      [1, 0],
      [2, 1],
      [3, 2],
    ]) {
      const reply = await send("cleo", "POST", `${path}/step`);
      const json = reply.json as { steps: number; before: number };
      assert.deepEqual([json.steps, json.before], [steps, before]);
    }
    const { startedAt, due } = (await get(path)) as { startedAt: string; due: string };
    assert.equal(Date.parse(due) - Date.parse(startedAt), 3_600_000);
  });

  test("a self-move does not enter its state; `any` is neither the final states nor the one it leads to", async () => {
    const { path, slot } = await job();
    await send("cleo", "POST", `${path}/start`, {});
    for (let i = 0; i < 3; i += 1) assert.equal((await send("cleo", "POST", `${path}/ping`)).status, 200);
    await send("cleo", "POST", `${path}/step`);
    assert.equal((await get(`/slots/${slot}`))["uses"], 1);
    assert.equal((await send("chief", "POST", `${path}/reset`)).status, 200);
    assert.equal((await send("chief", "POST", `${path}/reset`)).status, 409);
  });

  test("R4.16 a move heeds If-Match where it is sent, before it looks at the state", async () => {
    const { path } = await job();
    const { headers } = await send("cleo", "GET", path);
    assert.equal((await send("cleo", "POST", `${path}/start`, {}, { "If-Match": '"other"' })).status, 412);
    assert.equal((await send("cleo", "POST", `${path}/start`, {}, { "If-Match": headers["etag"] ?? "" })).status, 200);
    assert.equal((await send("cleo", "POST", `${path}/start`, {}, { "If-Match": headers["etag"] ?? "" })).status, 412);
  });

  test("R0.1 404, then 412, then 422, then the state, then the guard", async () => {
    const { path } = await job();
    const bad = { now: "yes" };
    const old = { "If-Match": '"other"' };
    const start = async (who: Runner, body: unknown, headers = {}): Promise<string> => {
      const reply = await send(who, "POST", `${path}/start`, body, headers);
      return `${reply.status} ${(reply.json as { code?: string }).code ?? ""}`;
    };
    assert.equal(await start("nobody", bad, old), "401 unauthenticated");
    assert.equal(await start("chief", bad, old), "403 forbidden");
    assert.equal(await start("carl", bad, old), "403 forbidden");
    assert.equal(await start("cleo", bad, old), "412 stale");
    assert.equal(await start("cleo", bad), "422 invalid-request");
    assert.equal(await start("cleo", { now: true }), "409 not-now");
    assert.equal(await start("cleo", {}), "200 ");
    assert.equal(await start("cleo", { now: true }), "409 state-conflict");
    const gone = await send("cleo", "POST", `${path.slice(0, -1)}!/start`, bad, old);
    assert.equal(gone.status, 404);
  });
});
