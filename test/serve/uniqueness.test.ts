/** Uniqueness: of concurrent writes one wins, and the error names the conflicting member (R2.11). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { archive, snapshots } from "./archive.ts";
import { faultsOf, served } from "./scenario.ts";

served("uniqueness", archive, (subject) => {
  const { send, add, get } = snapshots(subject);

  const names = async (): Promise<readonly string[]> => {
    const { json } = await get("ada", "/tags?limit=200");
    return (json["items"] as { name: string }[]).map(({ name }) => name);
  };

  test("R2.11 of 50 at once with the same value one is made, the others are told the member", async () => {
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => send("ada", "POST", "/tags", { name: "raced" })),
    );
    assert.equal(replies.filter(({ status }) => status === 201).length, 1);
    for (const reply of replies.filter(({ status }) => status !== 201)) {
      assert.equal(reply.status, 409, reply.text);
      assert.equal((reply.json as { code: string }).code, "already-exists");
      assert.deepEqual(faultsOf(reply), ["#/name already-exists"]);
    }
    assert.equal((await names()).filter((name) => name === "raced").length, 1);
  });

  test("R2.11 of 50 changes to the same value one is made", async () => {
    const papers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => add("ada", "/papers", { title: `apart ${index}` })),
    );
    const replies = await Promise.all(papers.map((id) => send("ada", "PATCH", `/papers/${id}`, { title: "together" })));
    assert.equal(replies.filter(({ status }) => status === 200).length, 1);
    for (const reply of replies.filter(({ status }) => status !== 200)) {
      assert.deepEqual([reply.status, faultsOf(reply)], [409, ["#/slug already-exists"]], reply.text);
    }
  });

  test("R2.11 several fields together, each alone free; what is absent is like nothing", async () => {
    await add("ada", "/tags", { name: "g1", group: "g", rank: 1 });
    await add("ada", "/tags", { name: "g2", group: "g", rank: 2 });
    await add("ada", "/tags", { name: "h1", group: "h", rank: 1 });
    await add("ada", "/tags", { name: "g-", group: "g" });
    await add("ada", "/tags", { name: "g--", group: "g" });
    const reply = await send("ada", "POST", "/tags", { name: "g1 again", group: "g", rank: 1 });
    assert.equal(reply.status, 409);
    assert.deepEqual(faultsOf(reply), ["#/group already-exists", "#/rank already-exists"]);
  });

  test("R2.11 the first set in the document is named when several are taken, and its own error is its own", async () => {
    await add("ada", "/tags", { name: "both", rank: 7 });
    const reply = await send("ada", "POST", "/tags", { name: "both", rank: 7 });
    assert.deepEqual([reply.status, (reply.json as { code: string }).code], [409, "already-exists"]);
  });

  test("a computed field can be what is unique, and follows what it is made of", async () => {
    const id = await add("ada", "/papers", { title: "Straße & Søn!" });
    const { json } = await get("ada", `/papers/${id}`);
    const reply = await send("ada", "POST", "/papers", { title: "strasse  søn" });
    if (reply.status === 201) assert.notEqual((reply.json as { slug: string }).slug, json["slug"]);
    const same = await send("bob", "POST", "/papers", { title: "Straße & Søn!" });
    assert.deepEqual([same.status, faultsOf(same)], [409, ["#/slug already-exists"]]);
    assert.doesNotMatch(same.text, new RegExp(id), "R2.11 the other record's id is not told");
    assert.equal((await send("ada", "PATCH", `/papers/${id}`, { title: "another" })).status, 200);
    assert.equal(
      (await send("bob", "POST", "/papers", { title: "Straße & Søn!" })).status,
      201,
      "the value is free again",
    );
  });

  test("a value is free again when its record is gone", async () => {
    const id = await add("ada", "/tags", { name: "fleeting" });
    assert.equal((await send("ada", "POST", "/tags", { name: "fleeting" })).status, 409);
    assert.equal((await send("ada", "DELETE", `/tags/${id}`)).status, 204);
    assert.notEqual(await add("ada", "/tags", { name: "fleeting" }), id);
  });

  test("rules: a refused write leaves nothing, and `old` is null when there was nothing", async () => {
    const closed = await send("ada", "POST", "/tags", { name: "in closed", group: "closed" });
    assert.deepEqual([closed.status, (closed.json as { code: string }).code], [422, "group-closed"]);
    assert(!(await names()).includes("in closed"));
    const id = await add("ada", "/papers", { title: "grows", pages: 5 });
    assert.equal((await send("ada", "PATCH", `/papers/${id}`, { pages: 6 })).status, 200);
    const fewer = await send("ada", "PATCH", `/papers/${id}`, { pages: 4, title: "shrinks" });
    assert.deepEqual([fewer.status, (fewer.json as { code: string }).code], [409, "never-fewer"]);
    const { json } = await get("ada", `/papers/${id}`);
    assert.deepEqual([json["pages"], json["title"], json["slug"]], [6, "grows", "grows"]);
  });
});
