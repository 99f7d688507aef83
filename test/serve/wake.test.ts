/** Timed transitions whose guards depend on other records: they happen when such a record changes, not only their own. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { documentOf } from "../enforced/document.ts";
import { served } from "./scenario.ts";

const hour = 3_600_000;

const text = documentOf({
  resources: {
    Gate: { id: "id(gat)", isOpen: "boolean = false", name: "string(..20) = none" },
    Lamp: { id: "id(lam)", train: "Train, delete with", isRed: "boolean = true" },
    Train: { id: "id(tra)", gate: "Gate", delay: "boolean = false" },
  },
  states: {
    Train: {
      states: ["waiting", "gone"],
      start: "waiting",
      final: ["gone"],
      moves: {
        "waiting -> gone": {
          after: "1h",
          if: "gate.isOpen && !Lamp.exists(l, l.train == id && l.isRed)",
          also: [
            { change: "Gate", where: "id == this.gate", set: { name: "'passed'" }, else: "no-gate" },
            { create: "Lamp", with: { train: "id", isRed: "this.delay" } },
          ],
        },
      },
    },
  },
  endpoints: {
    endpoints: {
      addGate: "POST /gates",
      getGate: "GET /gates/{id}",
      listLamps: "GET /lamps",
      changeGate: "PATCH /gates/{id}",
      addLamp: "POST /lamps",
      changeLamp: "PATCH /lamps/{id}",
      dropLamp: "DELETE /lamps/{id}",
      addTrain: "POST /trains",
      getTrain: "GET /trains/{id}",
    },
  },
  errors: { errors: { "no-gate": "409 There is no such gate" } },
});

served("guards that wait for other records", text, (subject) => {
  const add = async (path: string, body: object): Promise<string> => {
    const reply = await subject.client.send({ method: "POST", path, body });
    assert.equal(reply.status, 201, reply.text);
    return (reply.json as { id: string }).id;
  };
  const change = async (path: string, body: object): Promise<void> => {
    const reply = await subject.client.send({ method: "PATCH", path, body });
    assert.equal(reply.status, 200, reply.text);
  };
  const stateOf = async (train: string): Promise<unknown> => {
    await subject.running.tick();
    const reply = await subject.client.send({ method: "GET", path: `/trains/${train}` });
    return (reply.json as { state: unknown }).state;
  };

  test("a change of the record to which the guard's reference leads", async () => {
    const [gate, other] = [await add("/gates", {}), await add("/gates", {})];
    const train = await add("/trains", { gate });
    subject.running.pass(2 * hour);
    assert.equal(await stateOf(train), "waiting");
    await change(`/gates/${other}`, { isOpen: true });
    await change(`/gates/${gate}`, { name: "north" });
    assert.equal(await stateOf(train), "waiting");
    await change(`/gates/${gate}`, { isOpen: true });
    assert.equal(await stateOf(train), "gone");
    // A timer's further writes, by the system.
    const after = await subject.client.send({ method: "GET", path: `/gates/${gate}` });
    assert.equal((after.json as { name: unknown }).name, "passed");
    const lamps = await subject.client.send({ method: "GET", path: "/lamps" });
    assert.partialDeepStrictEqual(lamps.json, { items: [{ train, isRed: false }] });
  });

  test("a change or a deletion of a record in a list that the guard reads", async () => {
    const gate = await add("/gates", { isOpen: true });
    const [first, second] = [await add("/trains", { gate }), await add("/trains", { gate })];
    const [red, dropped] = [await add("/lamps", { train: first }), await add("/lamps", { train: second })];
    subject.running.pass(2 * hour);
    assert.deepEqual([await stateOf(first), await stateOf(second)], ["waiting", "waiting"]);
    await change(`/lamps/${red}`, { isRed: false });
    assert.deepEqual([await stateOf(first), await stateOf(second)], ["gone", "waiting"]);
    const reply = await subject.client.send({ method: "DELETE", path: `/lamps/${dropped}` });
    assert.equal(reply.status, 204);
    assert.equal(await stateOf(second), "gone");
  });

  test("before its time a transition stays where it is, whatever changes", async () => {
    const gate = await add("/gates", {});
    const train = await add("/trains", { gate });
    await change(`/gates/${gate}`, { isOpen: true });
    assert.equal(await stateOf(train), "waiting");
    subject.running.pass(2 * hour);
    assert.equal(await stateOf(train), "gone");
  });
});
