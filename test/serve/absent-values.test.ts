/** Uniqueness rules over optional values: with `absent equal`, two absent values are equal (R2.11). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { faultsOf, served } from "./scenario.ts";
import { smallDocument } from "./small-document.ts";

const document = smallDocument({
  resources: `
Folder: { id: id(fol), parent?: Folder, name: string(1..20) }
Tag: { id: id(tag), group: string(1..20) | null, rank?: integer }
Page: { id: id(pag), folder?: Folder, name: string(1..20) }
`,
  rules: `
  Folder: unique parent + name, absent equal
  Tag: unique group + rank, absent equal else taken
  Page: unique folder + name, absent distinct
`,
  endpoints: {
    addFolder: "POST /folders",
    addOnce: "{ at: POST /once, of: Folder, status: { created: 201, same: 200 } }",
    moveFolder: "PATCH /folders/{id}",
    dropFolder: "DELETE /folders/{id}",
    addTag: "POST /tags",
    changeTag: "PATCH /tags/{id}",
    addPage: "POST /pages",
  },
  errors: ["taken"],
});

served("what is unique with absent values", document, (subject) => {
  const send = (method: string, path: string, body?: object) =>
    subject.client.send({ method, path, ...(body === undefined ? {} : { body }) });
  const add = async (path: string, body: object): Promise<string> => {
    const reply = await send("POST", path, body);
    assert.equal(reply.status, 201, reply.text);
    return (reply.json as { id: string }).id;
  };
  const both = ["#/name already-exists", "#/parent already-exists"];

  test("R2.11 a second one without the value is refused with both members, made or changed", async () => {
    const first = await add("/folders", { name: "a" });
    const again = await send("POST", "/folders", { name: "a" });
    assert.deepEqual([again.status, faultsOf(again)], [409, both], again.text);
    const below = await add("/folders", { name: "a", parent: first });
    const moved = await send("PATCH", `/folders/${below}`, { parent: null });
    assert.deepEqual([moved.status, faultsOf(moved)], [409, both], moved.text);
    assert.equal((await send("PATCH", `/folders/${below}`, { name: "b", parent: null })).status, 200);
    assert.equal((await send("PATCH", `/folders/${below}`, { name: "b", parent: null })).status, 200);
    assert.equal((await send("DELETE", `/folders/${first}`)).status, 204);
    await add("/folders", { name: "a" });
  });

  test("R2.11 of 50 at once one is made", async () => {
    const replies = await Promise.all(Array.from({ length: 50 }, () => send("POST", "/folders", { name: "raced" })));
    assert.equal(replies.filter(({ status }) => status === 201).length, 1);
    for (const reply of replies.filter(({ status }) => status !== 201))
      assert.deepEqual([reply.status, faultsOf(reply)], [409, both], reply.text);
  });

  test("the one that is there is given where the document says so", async () => {
    const id = await add("/once", { name: "once" });
    const reply = await send("POST", "/once", { name: "once" });
    assert.deepEqual([reply.status, (reply.json as { id: string }).id], [200, id], reply.text);
  });

  test("its own error, and all may be absent", async () => {
    await add("/tags", { group: null });
    await add("/tags", { group: null, rank: 0 });
    const id = await add("/tags", { group: "g" });
    for (const body of [{ group: null }, { group: null, rank: 0 }, { group: "g" }]) {
      const reply = await send("POST", "/tags", body);
      assert.deepEqual([reply.status, (reply.json as { code: string }).code], [409, "taken"], reply.text);
    }
    assert.equal((await send("PATCH", `/tags/${id}`, { group: null })).status, 409);
  });

  test("any number without it where the document says so", async () => {
    await add("/pages", { name: "a" });
    await add("/pages", { name: "a" });
  });
});
