/** Who may set a field (`set` of part 5): for other callers it is like a field that only the service sets. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Json } from "../../src/base/json.ts";
import { documentOf } from "../enforced/document.ts";
import { by, faultsOf, served } from "./scenario.ts";
import { newest, servedVersions } from "./versions/of-versions.ts";

const text = documentOf({
  resources: {
    Thing: {
      id: "id(thi)",
      name: "string(1..9) = a",
      owner: "user = caller, read-only",
      priority: "integer(0..9) = 1",
      "note?": "string(..9)",
      "secretNote?": "string(..9)",
      stage: "integer = 0",
      log: "integer = 0, read-only",
    },
  },
  states: {
    Thing: { states: ["open", "closed"], start: "open", final: "none", moves: { "open -> closed": { by: "close", set: { priority: "9", log: "priority" } } } },
  },
  endpoints: {
    endpoints: {
      addThing: "POST /things",
      getThing: "GET /things/{id}",
      changeThing: "PATCH /things/{id}",
      putThing: "PUT /things/{id}",
      close: { at: "POST /things/{id}/close", also: { change: "Thing", where: "name == 'z' && priority != 5", set: { priority: "5" } } },
      addLenient: { at: "POST /lenient-things", of: "Thing", requests: { unknown: "ignored" } },
      changeLenient: { at: "PATCH /lenient-things/{id}", of: "Thing", requests: { unknown: "ignored" } },
      putLenient: { at: "PUT /lenient-things/{id}", of: "Thing", requests: { unknown: "ignored" } },
      work: { at: "POST /things/{id}/work", of: "Thing", does: "handler" },
    },
  },
  authentication: {
    own: { Thing: "owner == caller.id" },
    allow: { "addThing, getThing, changeThing, putThing, close, addLenient, changeLenient, putLenient, work": "signed-in" },
    show: { "Thing.secretNote": "admin" },
    set: {
      "Thing.priority": "admin",
      "Thing.note": "admin | member if own",
      "Thing.secretNote": "admin",
      "Thing.stage": "admin | signed-in if state == 'open' && stage < 3",
    },
  },
}); // biome-ignore format: a table

const functions = {
  work: async ({ record, records }: { readonly record: { readonly id: string }; readonly records: { readonly system: Record<string, { update(id: string, values: object): Promise<unknown> }> } }) => {
    await records.system["Thing"]?.update(record.id, { priority: 7 });
  },
}; // biome-ignore format: a table

served(
  "who may set a field",
  text,
  (subject) => {
    const callers = {} as Record<string, { readonly Authorization: string }>;
    before(async () => {
      for (const [name, role] of [["ann", "member"], ["bob", "member"], ["olga", "admin"]] as const)
        callers[name] = by(await subject.running.key(name, role));
    }); // biome-ignore format: a table
    const send = async (who: string, method: string, path: string, body?: Json) => {
      const headers = callers[who] as { readonly Authorization: string };
      const reply = await subject.client.send({ method, path, headers, ...(body === undefined ? {} : { body: body as object }) });
      return { ...reply, json: reply.json as Record<string, Json> };
    }; // biome-ignore format: a table
    const make = async (who: string, body: Json = {}): Promise<string> => {
      const made = await send(who, "POST", "/things", body);
      assert.equal(made.status, 201, made.text);
      return `/things/${made.json["id"] as string}`;
    };
    const faults = async (...sent: Parameters<typeof send>): Promise<readonly unknown[]> => {
      const reply = await send(...sent);
      return [reply.status, ...(reply.status < 400 ? [] : faultsOf(reply))];
    };

    test("a creation has the default, and other values are errors", async () => {
      const made = await send("ann", "POST", "/things", { name: "b" });
      assert.deepEqual([made.status, made.json["priority"]], [201, 1]);
      assert.deepEqual(await faults("ann", "POST", "/things", { priority: 2, secretNote: "x" }), [
        422,
        "#/priority read-only",
        "#/secretNote unknown-field",
      ]);
      assert.deepEqual(await faults("ann", "POST", "/things", { priority: 20 }), [422, "#/priority too-large"]);
      const other = await send("olga", "POST", "/things", { priority: 2, secretNote: "x" });
      assert.deepEqual([other.status, other.json["priority"], other.json["secretNote"]], [201, 2, "x"]);
      assert.equal((await send("ann", "POST", "/things", { note: "n" })).json["note"], "n");
      assert.deepEqual(await faults("ann", "POST", "/things", { stage: 5 }), [422, "#/stage read-only"]);
      assert.equal((await send("ann", "POST", "/things", { stage: 2 })).json["stage"], 2);
    });

    test("a patch may contain the stored value only, and null is a value", async () => {
      const path = await make("olga", { priority: 3, note: "n", secretNote: "x" });
      assert.deepEqual(await faults("ann", "PATCH", path, { priority: 4, name: "c" }), [422, "#/priority read-only"]);
      assert.deepEqual(await faults("ann", "PATCH", path, { note: null }), [422, "#/note read-only"]);
      assert.deepEqual(await faults("ann", "PATCH", path, { secretNote: "x" }), [422, "#/secretNote unknown-field"]);
      assert.equal((await send("ann", "PATCH", path, { priority: 3, name: "c" })).status, 200);
      const now = (await send("olga", "GET", path)).json;
      assert.deepEqual([now["priority"], now["note"], now["secretNote"], now["name"]], [3, "n", "x", "c"]);
      assert.equal((await send("olga", "PATCH", path, { priority: 4 })).json["priority"], 4);
    });

    test("a condition is about the record before the change", async () => {
      const path = await make("ann", { note: "n" });
      assert.equal((await send("ann", "PATCH", path, { note: "m", stage: 9 })).status, 200);
      assert.deepEqual(await faults("bob", "PATCH", path, { note: "k" }), [422, "#/note read-only"]);
      assert.deepEqual(await faults("ann", "PATCH", path, { stage: 1 }), [422, "#/stage read-only"]);
      assert.equal((await send("olga", "PATCH", path, { stage: 1 })).status, 200);
    });

    test("a replacement keeps what the caller may not set", async () => {
      const path = await make("olga", { priority: 3, note: "n", secretNote: "x", stage: 2 });
      const put = await send("ann", "PUT", path, { name: "d" });
      assert.deepEqual([put.status, put.json["priority"], put.json["note"], put.json["stage"]], [200, 3, "n", 0]);
      const read = (await send("ann", "GET", path)).json;
      assert.equal((await send("ann", "PUT", path, { ...read, name: "e" })).status, 200);
      assert.deepEqual(await faults("ann", "PUT", path, { ...read, priority: 1 }), [422, "#/priority read-only"]);
      const now = (await send("olga", "GET", path)).json;
      assert.deepEqual([now["priority"], now["note"], now["secretNote"], now["name"]], [3, "n", "x", "e"]);
      assert.equal((await send("olga", "PUT", path, { name: "f" })).json["priority"], 1);
    });

    test("where unknown members are ignored, so are these", async () => {
      const made = await send("ann", "POST", "/lenient-things", { priority: 5, note: "n", stage: 7 });
      assert.deepEqual([made.json["priority"], made.json["note"], made.json["stage"]], [1, "n", 0]);
      const path = `/lenient-things/${made.json["id"] as string}`;
      const changed = await send("bob", "PATCH", path, { priority: 5, note: null, name: "g" });
      assert.deepEqual([changed.json["priority"], changed.json["note"], changed.json["name"]], [1, "n", "g"]);
      const put = await send("bob", "PUT", path, { priority: 5, name: "h" });
      assert.deepEqual([put.json["priority"], put.json["note"], put.json["name"]], [1, "n", "h"]);
    });

    test("transitions, further writes and functions set the field for every caller", async () => {
      const other = await make("ann", { name: "z" });
      const path = await make("ann");
      assert.equal((await send("ann", "POST", `${path}/work`)).json["priority"], 7);
      const closed = await send("ann", "POST", `${path}/close`);
      assert.deepEqual([closed.status, closed.json["priority"], closed.json["log"]], [200, 9, 7]);
      assert.equal((await send("ann", "GET", other)).json["priority"], 5);
    });
  },
  { functions: functions as never },
);

const versioned = documentOf({
  resources: { Thing: { id: "id(thi)", name: "string(1..9) = a", priority: "integer(0..9) = 1" } },
  endpoints: {
    endpoints: {
      addThing: "POST /things",
      getThing: "GET /things/{id}",
      changeThing: "PATCH /things/{id}",
      putThing: "PUT /things/{id}",
    },
  },
  authentication: { set: { "Thing.priority": "admin" } },
  versioning: {
    scheme: "dated",
    sent: "header Version",
    absent: "newest",
    versions: { "2026-02-01": ["rename Thing.rank -> priority"], "2026-01-01": "first" },
  },
});

servedVersions("who may set a field in versions", versioned, (ask) => {
  test("an older version names the field as it did", async () => {
    const made = await ask("POST /things", { body: { name: "b" } });
    assert.equal((made.json as Record<string, Json>)["rank"], 1, made.text);
    const { id } = made.json as { id: string };
    const wrong = await ask("POST /things", { body: { rank: 2 } });
    assert.deepEqual([wrong.status, ...faultsOf(wrong)], [422, "#/rank read-only"]);
    assert.match(wrong.text, /rank cannot be set by this caller/);
    for (const method of ["PATCH", "PUT"]) {
      const refused = await ask(`${method} /things/${id}`, { body: { name: "c", rank: 2 } });
      assert.deepEqual([refused.status, ...faultsOf(refused)], [422, "#/rank read-only"]);
      assert.equal((await ask(`${method} /things/${id}`, { body: { name: "c", rank: 1 } })).status, 200);
      assert.equal((await ask(`${method} /things/${id}`, { body: { name: "d" } })).status, 200);
    }
    const now = await ask(`PATCH /things/${id}`, { body: { priority: 2 }, version: newest });
    assert.deepEqual(faultsOf(now), ["#/priority read-only"]);
  });
});
