/** Paths in which a field of the records, and no record, is before the collection: `/orgs/{org}/secrets/{name}`. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { documentText, served } from "./scenario.ts";

served("records within values of their fields", documentText("vaults"), (subject) => {
  const send = async (method: string, path: string, body?: object) => {
    const headers = body === undefined ? {} : { "Content-Type": "application/json" };
    const reply = await subject.client.send({
      ...{ method, path, headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const json = reply.json as Record<string, unknown>;
    return { status: reply.status, location: reply.headers["location"], link: reply.headers["link"], json };
  };
  const listed = async (path: string, member: string) =>
    ((await send("GET", path)).json["items"] as Record<string, unknown>[]).map((one) => one[member]);

  test("a creation takes the values from the path, and a list has only the records with these values", async () => {
    const made = await send("POST", "/orgs/acme/secrets", { name: "key", about: "of acme" });
    assert.deepEqual([made.status, made.location], [201, "/orgs/acme/secrets/key"]);
    assert.deepEqual([made.json["org"], made.json["name"]], ["acme", "key"]);
    assert.equal((await send("POST", "/orgs/acme/secrets", { name: "key" })).status, 409);
    assert.equal((await send("POST", "/orgs/duck/secrets", { name: "key", about: "of duck" })).status, 201);
    assert.equal((await send("POST", "/orgs/acme/secrets", { name: "other", org: "duck" })).status, 422);
    for (const [path, about] of [
      ["/orgs/acme/secrets/key", "of acme"],
      ["/orgs/duck/secrets/key", "of duck"],
    ] as const)
      assert.equal((await send("GET", path)).json["about"], about);
    assert.deepEqual(await listed("/orgs/acme/secrets", "about"), ["of acme"]);
    assert.deepEqual(await listed("/orgs/none/secrets", "about"), []);
    for (const path of ["/orgs/none/secrets/key", "/orgs/acme/secrets/none"])
      assert.equal((await send("GET", path)).status, 404, path);
  });

  test("a PUT creates a record within the values of the path, and changes it there alone", async () => {
    const made = await send("PUT", "/orgs/fig/secrets/pin", { about: "a" });
    assert.deepEqual([made.status, made.location], [201, "/orgs/fig/secrets/pin"]);
    assert.equal((await send("PUT", "/orgs/oak/secrets/pin", { about: "o" })).status, 201);
    assert.equal((await send("PUT", "/orgs/fig/secrets/pin", { about: "b" })).status, 200);
    assert.equal((await send("PATCH", "/orgs/fig/secrets/pin", { about: "c" })).json["about"], "c");
    assert.equal((await send("GET", "/orgs/oak/secrets/pin")).json["about"], "o");
    assert.equal((await send("DELETE", "/orgs/fig/secrets/pin")).status, 204);
    assert.equal((await send("DELETE", "/orgs/fig/secrets/pin")).status, 404);
    assert.equal((await send("GET", "/orgs/oak/secrets/pin")).status, 200);
  });

  test("records below such a record", async () => {
    for (const org of ["ash", "elm"]) await send("PUT", `/orgs/${org}/secrets/pin`, {});
    const made = await send("POST", "/orgs/ash/secrets/pin/uses", { text: "by ann" });
    assert.deepEqual([made.status, made.location], [201, `/orgs/ash/secrets/pin/uses/${String(made.json["id"])}`]);
    assert.equal((await send("POST", "/orgs/yew/secrets/pin/uses", { text: "by ann" })).status, 404);
    assert.deepEqual(await listed("/orgs/ash/secrets/pin/uses", "text"), ["by ann"]);
    assert.deepEqual(await listed("/orgs/elm/secrets/pin/uses", "text"), []);
    assert.equal((await send("GET", made.location ?? "")).json["text"], "by ann");
    assert.equal((await send("GET", (made.location ?? "").replace("ash", "elm"))).status, 404);
  });

  test("a record by its id is found only within its own values; values of another type name no record", async () => {
    const queue = "/floors/3/desks/east/queue";
    const made = [];
    for (const text of ["a", "b", "c"]) made.push((await send("POST", queue, { text })).json);
    assert.deepEqual([made[0]?.["floor"], made[0]?.["desk"]], [3, "east"]);
    await send("POST", "/floors/3/desks/west/queue", { text: "d" });
    const { id } = made[0] ?? {};
    assert.equal((await send("GET", `${queue}/${String(id)}`)).json["text"], "a");
    for (const path of [`/floors/3/desks/west/queue/${String(id)}`, `/floors/4/desks/east/queue/${String(id)}`])
      assert.equal((await send("GET", path)).status, 404, path);
    for (const path of ["/floors/low/desks/east/queue", "/floors/3/desks/north/queue", "/floors/0x3/desks/east/queue"])
      for (const [method, body] of [["GET"], ["DELETE"], ["POST", { text: "e" }]] as const)
        assert.equal((await send(method, path, body)).status, 404, `${method} ${path}`);
    // The next page is at the address with the same values.
    const first = await send("GET", queue);
    assert.match(String(first.link), /\/floors\/3\/desks\/east\/queue\?cursor=/);
    assert.deepEqual(await listed(`${queue}?cursor=${String(first.json["next"])}`, "text"), ["a"]);
    assert.equal((await send("GET", `${queue}/size`)).json["tickets"], 3);
    assert.equal((await send("DELETE", queue)).status, 204);
    assert.deepEqual(await listed(queue, "text"), []);
    assert.deepEqual(await listed("/floors/3/desks/west/queue", "text"), ["d"]);
  });
});
