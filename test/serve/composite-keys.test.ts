/** Paths that name a record by a field that is unique below its parent: `/repos/{owner.login}/{name}/issues/{number}`. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { documentText, served } from "./scenario.ts";

served("records below their parents", documentText("repositories"), (subject) => {
  const send = async (method: string, path: string, body?: object) => {
    const headers = body === undefined ? {} : { "Content-Type": "application/json" };
    const reply = await subject.client.send({
      ...{ method, path, headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return {
      status: reply.status,
      location: reply.headers["location"],
      json: reply.json as Record<string, unknown>,
    };
  };
  const account = async (login: string) => (await send("POST", "/accounts", { login })).json["id"];

  test("R4.3 two parameters name a record; its children are named within it", async () => {
    const [ann, bob] = [await account("ann"), await account("bob")];
    for (const owner of [ann, bob]) {
      const made = await send("POST", "/repos", { owner, name: "site", about: String(owner) });
      assert.equal(made.status, 201);
    }
    assert.equal((await send("POST", "/repos", { owner: ann, name: "site" })).status, 409);
    const found = await send("GET", "/repos/bob/site");
    assert.deepEqual([found.status, found.json["owner"], found.json["about"]], [200, bob, bob]);
    assert.equal((await send("GET", "/repos/bob/other")).status, 404);
    assert.equal((await send("GET", "/repos/eve/site")).status, 404);
    assert.equal((await send("PATCH", "/repos/bob/site", { about: "changed" })).json["about"], "changed");
    assert.equal((await send("GET", "/repos/ann/site")).json["about"], ann);

    for (const [owner, title] of [
      ["ann", "first of ann"],
      ["bob", "first of bob"],
    ]) {
      const path = `/repos/${owner}/site/issues`;
      const made = await send("POST", path, { number: 1, title });
      assert.deepEqual([made.status, made.location], [201, `${path}/1`]);
    }
    assert.equal((await send("POST", "/repos/bob/site/issues", { number: 1, title: "again" })).status, 409);
    assert.equal((await send("GET", "/repos/bob/site/issues/1")).json["title"], "first of bob");
    assert.equal((await send("PATCH", "/repos/bob/site/issues/1", { title: "b" })).json["title"], "b");
    assert.equal((await send("POST", "/repos/bob/site/issues/1/close")).json["state"], "closed");
    assert.equal((await send("GET", "/repos/ann/site/issues/1")).json["state"], "open");
    assert.equal((await send("GET", "/repos/ann/site/issues/2")).status, 404);
    assert.equal((await send("GET", "/repos/ann/site/issues/01")).status, 404);

    assert.equal((await send("POST", "/repos/ann/site/issues/1/comments", { text: "hello" })).status, 201);
    assert.equal((await send("POST", "/repos/ann/site/issues/2/comments", { text: "hello" })).status, 404);
    const comments = async (owner: string) =>
      ((await send("GET", `/repos/${owner}/site/issues/1/comments`)).json["items"] as unknown[]).length;
    assert.deepEqual([await comments("ann"), await comments("bob")], [1, 0]);
    assert.equal(((await send("GET", "/repos/bob/site/issues")).json["items"] as unknown[]).length, 1);
    assert.equal((await send("DELETE", "/repos/bob/site/issues/1")).status, 204);
    assert.equal((await send("DELETE", "/repos/bob/site/issues/1")).status, 404);
    assert.equal((await send("GET", "/repos/ann/site/issues/1")).status, 200);
  });

  test("the address of a record that was created elsewhere is its own", async () => {
    const eve = await account("eve");
    const made = await send("POST", "/repos", { owner: eve, name: "a b" });
    assert.deepEqual([made.status, made.location], [201, "/repos/eve/a%20b"]);
  });

  test("concurrent changes of one record through its parent are one after the other", async () => {
    const dan = await account("dan");
    await send("POST", "/repos", { owner: dan, name: "busy" });
    await send("POST", "/repos/dan/busy/issues", { number: 1, title: "a" });
    const closings = await Promise.all(
      Array.from({ length: 10 }, () => send("POST", "/repos/dan/busy/issues/1/close")),
    );
    assert.equal(closings.filter(({ status }) => status === 200).length, 1);
    assert.equal(closings.filter(({ status }) => status === 409).length, 9);
    const made = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        send("POST", "/repos/dan/busy/issues", { number: 10 + index, title: "b" }),
      ),
    );
    assert.ok(made.every(({ status }) => status === 201));
  });
});
