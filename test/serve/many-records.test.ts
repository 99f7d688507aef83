/** An array of records in one request: all or nothing, and each violation with the index of its record. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { documentOf } from "../enforced/document.ts";
import type { Reply } from "./client.ts";
import { by, faultsOf, served } from "./scenario.ts";

type Json = Readonly<Record<string, unknown>>;

const many = documentOf({
  resources: {
    Sensor: {
      id: "id(sen)",
      name: "string(1..9), unique",
      owner: "user = caller, read-only",
      count: "integer = 0, read-only",
    },
    Reading: {
      id: "id(rea)",
      sensor: "Sensor, create-only, filter, expand",
      code: "string(1..9), unique",
      weight: "integer(1..100)",
      unit: "g | kg = g",
      number: "integer = counter per sensor, read-only",
      twice: "integer := weight * 2",
    },
    views: {
      ReadingIn: { of: "Reading", fields: ["sensor", "code"], "weight-g": "integer := weight" },
      ReadingOut: { of: "Reading", fields: ["id", "weight"], sensor: "SensorOut, expand" },
      SensorOut: { of: "Sensor", fields: ["name"] },
    },
    rules: { Reading: "unit == 'g' || weight <= 10 else too-heavy" },
  },
  endpoints: {
    repeats: "Idempotency-Key on every POST, kept 24h",
    expand: { name: "expand", from: "response" },
    wrap: { one: "{resource}" },
    endpoints: {
      addSensor: { at: "POST /sensors", gives: "Sensor" },
      getSensor: { at: "GET /sensors/{id}", gives: "Sensor" },
      listReadings: { at: "GET /readings", lists: "none" },
      addReadings: {
        at: "POST /readings",
        takes: "Reading[](1..5)",
        also: { change: "Sensor", where: "id == this.sensor", set: { count: "count + 1" } },
      },
      addBatch: {
        at: "POST /batches",
        of: "Reading",
        does: "create",
        takes: { readings: "ReadingIn[](..3)" },
        gives: { object: "'list'", data: "ReadingOut[]", total: "count" },
      },
      addBelow: { at: "POST /sensors/{sensor}/readings", takes: { readings: "Reading[](1..3)" } },
    },
  },
  authentication: {
    own: { Sensor: "owner == caller.id" },
    allow: {
      addReadings: "member if sensor.owner == caller.id | admin",
      addSensor: "signed-in",
      getSensor: "signed-in",
      listReadings: "signed-in",
      addBatch: "signed-in",
      addBelow: "signed-in",
    },
  },
  errors: { errors: { "too-heavy": "409 A reading in kg is at most 10" } },
  limits: { quota: { Reading: "12/day per user" } },
});

served("an array of records", many, (subject) => {
  const keys: Record<string, Readonly<Record<string, string>>> = {};
  const ids: Record<string, string> = {};
  const send = (who: string, method: string, path: string, body?: unknown, headers: object = {}): Promise<Reply> =>
    subject.client.send({
      method,
      path,
      headers: { ...keys[who], ...headers },
      ...(body === undefined ? {} : { body: body as object }),
    });
  const count = async (): Promise<number> =>
    ((await send("olga", "GET", "/readings")).json as { items: readonly unknown[] }).items.length;
  let serial = 0;
  const reading = (more: object = {}) => ({ sensor: ids["ann"], code: `c${(serial += 1)}`, weight: 5, ...more });

  before(async () => {
    for (const [user, ...roles] of [
      ["ann", "member"],
      ["bob", "member"],
      ["olga", "admin"],
      ["max", "admin"],
      ["eva", "admin"],
    ] as const)
      keys[user] = by(await subject.running.key(user, ...roles));
    for (const user of ["ann", "bob"]) {
      const { json } = await send(user, "POST", "/sensors", { sensor: { name: user } });
      ids[user] = (json as { sensor: { id: string } }).sensor.id;
    }
  });

  test("all records are created in the order of the array, with defaults, counters, computed fields and further writes", async () => {
    const reply = await send("ann", "POST", "/readings", [reading(), reading({ unit: "kg" })]);
    assert.equal(reply.status, 201, reply.text);
    const made = reply.json as readonly Json[];
    assert.deepEqual(
      made.map(({ weight, unit, number, twice }) => [weight, unit, number, twice]),
      [
        [5, "g", 1, 10],
        [5, "kg", 2, 10],
      ],
    );
    assert.equal(reply.headers["location"], undefined);
    assert.equal(((await send("ann", "GET", `/sensors/${ids["ann"]}`)).json as { sensor: Json }).sensor["count"], 2);
  });

  test("each violation has the index of its record, and nothing is created", async () => {
    const before = await count();
    for (const [body, status, faults] of [
      [
        [reading(), reading({ weight: 0 }), { code: "x", more: 1 }],
        422,
        ["#/1/weight too-small", "#/2/more unknown-field", "#/2/sensor required", "#/2/weight required"],
      ],
      [[reading(), 7], 422, ["#/1 wrong-type"]],
      [[], 422, ["# too-few"]],
      [[1, 2, 3, 4, 5, 6].map(() => reading()), 422, ["# too-many"]],
      [{ readings: [] }, 422, ["# wrong-type"]],
      [[reading(), reading({ sensor: "sen_00000000000000000000000000" })], 422, ["#/1/sensor reference-not-found"]],
      [[reading(), reading({ unit: "kg", weight: 11 })], 409, ["#/1 does-not-fit"]],
      [[reading({ code: "same" }), reading({ code: "same" })], 409, ["#/1/code already-exists"]],
    ] as const) {
      const reply = await send("ann", "POST", "/readings", body);
      assert.equal(reply.status, status, reply.text);
      assert.deepEqual(faultsOf(reply), faults);
    }
    assert.equal(await count(), before);
    assert.equal(((await send("ann", "GET", `/sensors/${ids["ann"]}`)).json as { sensor: Json }).sensor["count"], 2);
  });

  test("permissions are those of each record", async () => {
    const before = await count();
    const foreign = await send("bob", "POST", "/readings", [reading({ sensor: ids["bob"] }), reading()]);
    assert.equal(foreign.status, 403, foreign.text);
    assert.equal((foreign.json as Json)["detail"], "#/1: You may not create this record");
    assert.equal(await count(), before);
  });

  test("an array in a member, as a view, with values around the created records, and expanded", async () => {
    const body = { readings: [{ sensor: ids["ann"], code: "v1", "weight-g": 3 }] };
    const reply = await send("olga", "POST", "/batches?expand=data.sensor", body);
    assert.equal(reply.status, 201, reply.text);
    const { data, ...rest } = reply.json as { data: readonly Json[] };
    assert.deepEqual(rest, { object: "list", total: 1 });
    assert.deepEqual(
      data.map(({ id: _, ...one }) => one),
      [{ weight: 3, sensor: { name: "ann" } }],
    );
    for (const [wrong, faults] of [
      [{}, ["#/readings required"]],
      [{ readings: 1, more: 2 }, ["#/more unknown-field", "#/readings wrong-type"]],
      [{ readings: [{ sensor: ids["ann"], code: "v1", "weight-g": 0 }] }, ["#/readings/0/weight-g too-small"]],
      [[], ["# wrong-type"]],
    ] as const) {
      const refused = await send("olga", "POST", "/batches", wrong);
      assert.deepEqual([refused.status, ...faultsOf(refused)], [422, ...faults], refused.text);
    }
    const none = await send("olga", "POST", "/batches", { readings: [] });
    assert.deepEqual([none.status, none.json], [201, { object: "list", data: [], total: 0 }]);
  });

  test("an array below a parent, whose response has the form of its body", async () => {
    const reply = await send("olga", "POST", `/sensors/${ids["bob"]}/readings`, {
      readings: [{ code: "p1", weight: 1 }],
    });
    assert.equal(reply.status, 201, reply.text);
    const { readings } = reply.json as { readings: readonly Json[] };
    assert.deepEqual(
      readings.map(({ sensor }) => sensor),
      [ids["bob"]],
    );
  });

  test("a request that is repeated with its key creates once", async () => {
    const header = { "Idempotency-Key": "many" };
    const body = [reading()];
    const first = await send("max", "POST", "/readings", body, header);
    assert.equal(first.status, 201, first.text);
    const before = await count();
    assert.equal((await send("max", "POST", "/readings", body, header)).text, first.text);
    assert.equal(await count(), before);
    assert.equal((await send("max", "POST", "/readings", [reading()], header)).status, 422);
  });

  test("a quota counts each created record", async () => {
    for (const size of [5, 5]) {
      const reply = await send(
        "eva",
        "POST",
        "/readings",
        Array.from({ length: size }, () => reading()),
      );
      assert.equal(reply.status, 201, reply.text);
    }
    const before = await count();
    const over = await send("eva", "POST", "/readings", [reading(), reading(), reading()]);
    assert.equal(over.status, 403, over.text);
    assert.equal(await count(), before);
    assert.equal((await send("eva", "POST", "/readings", [reading(), reading()])).status, 201);
  });
});
