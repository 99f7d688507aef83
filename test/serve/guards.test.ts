/** Guards: which of several transitions happens, the error of a false guard, and the input of a transition. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { crew, relay } from "./relay.ts";
import { faultsOf, served } from "./scenario.ts";

served("guards", relay, (subject) => {
  const { send, get, job } = crew(subject);

  const table: readonly (readonly [body: unknown, status: number, outcome: string])[] = [
    [undefined, 200, "running"],
    [{}, 200, "running"],
    [{ now: false, steps: 3 }, 200, "running"],
    [{ now: true, steps: 1 }, 200, "rushed"],
    [{ now: true, steps: 0 }, 409, "not-now"],
    [{ now: true }, 409, "not-now"],
  ];
  for (const [body, status, outcome] of table) {
    test(`R3.2 start with ${JSON.stringify(body) ?? "no body"} is ${status} ${outcome}`, async () => {
      const { path } = await job();
      const reply = await send("cleo", "POST", `${path}/start`, body);
      const json = reply.json as { state?: string; code?: string };
      assert.deepEqual([reply.status, json.code ?? json.state], [status, outcome], reply.text);
      assert.equal((await get(path))["state"], status === 200 ? outcome : "waiting");
    });
  }

  test("the second of two moves is made with its own `set`, and the first leaves nothing", async () => {
    const { path } = await job();
    await send("cleo", "POST", `${path}/start`, { now: true, steps: 4 });
    const record = await get(path);
    assert.deepEqual([record["urgent"], record["steps"], record["due"]], [true, 4, undefined]);
  });

  const wrong: readonly (readonly [body: unknown, ...faults: string[]])[] = [
    [{ now: "true" }, "#/now wrong-type"],
    [{ now: null }, "#/now wrong-type"],
    [{ steps: 10 }, "#/steps too-large"],
    [{ title: "x" }, "#/title unknown-field"],
    [{ state: "done" }, "#/state unknown-field"],
    [{ startedAt: "2026-01-01T00:00:00Z" }, "#/startedAt unknown-field"],
    [{ until: "soon" }, "#/until wrong-format"],
  ];
  for (const [body, ...faults] of wrong) {
    test(`R2.3 start with ${JSON.stringify(body)} is refused`, async () => {
      const { path } = await job();
      const reply = await send("cleo", "POST", `${path}/start`, body);
      assert.deepEqual([reply.status, faultsOf(reply)], [422, faults]);
      assert.equal((await get(path))["state"], "waiting");
    });
  }

  test("what a move takes is in its stored form in guards, sets and answers", async () => {
    const { path } = await job();
    const reply = await send("cleo", "POST", `${path}/start`, { until: "2026-01-01T01:00:00+01:00", helper: "hugo" });
    const json = reply.json as Record<string, unknown>;
    assert.equal(json["until"], "2026-01-01T00:00:00.000Z");
    assert.equal((await get(path))["helper"], "hugo");
    const none = await job();
    assert.equal(((await send("cleo", "POST", `${none.path}/start`, {})).json as { until: null }).until, null);
  });

  test("a guard reads the record as it is now", async () => {
    const { path } = await job();
    await send("cleo", "POST", `${path}/start`, {});
    const early = await send("cleo", "POST", `${path}/finish`);
    assert.deepEqual([early.status, (early.json as { code: string }).code], [409, "nothing-done"]);
    await send("cleo", "POST", `${path}/step`);
    assert.equal((await send("cleo", "POST", `${path}/finish`)).status, 200);
  });

  test("a move without `takes` takes nothing", async () => {
    const { path } = await job();
    await send("cleo", "POST", `${path}/start`, {});
    assert.equal((await send("cleo", "POST", `${path}/ping`, {})).status, 200);
    const reply = await send("cleo", "POST", `${path}/ping`, { steps: 1 });
    assert.deepEqual([reply.status, faultsOf(reply)], [422, ["#/steps unknown-field"]]);
  });
});
