/** A reference to its own resource with the modifier `tree`: no record is ever its own ancestor, whatever writes it (R2.13). */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { faultsOf, served } from "./scenario.ts";

const folders = `# Folders

## What the service does
\`\`\`yaml
nonet: 1
service: folders
purpose: Keep folders in folders.
operations: { addFolder: Open one, getFolder: See one, listFolders: See all, moveFolder: Put it elsewhere, putFolder: Replace it, hang: Put it below another, dropFolder: Throw it away }
\`\`\`
## Resources and their fields
\`\`\`yaml
Folder:
  id: string(1..9)
  parent?: Folder, delete with, tree
  other?: Folder, filter
\`\`\`
## States and transitions
\`\`\`yaml
Folder:
  states: [open]
  start: open
  final: none
  moves: { open -> open: { by: hang, set: { parent: other } } }
\`\`\`
## Endpoints
\`\`\`yaml
lists: cursor, 100 per page, at most 100
endpoints:
  addFolder: POST /folders
  getFolder: GET /folders/{id}
  listFolders: { at: GET /folders, filters: { below: "ancestors(parent).exists(f, f.id == value)" } }
  moveFolder: PATCH /folders/{id}
  putFolder: PUT /folders/{id}
  hang: POST /folders/{id}/hang
  dropFolder: DELETE /folders/{id}
\`\`\`
## Authentication
\`\`\`yaml
credentials: none
allow: { "addFolder, getFolder, listFolders, moveFolder, putFolder, hang, dropFolder": anyone }
\`\`\`
## Events
none
## Errors
none
## Limits
none
## Versioning
none
`;

interface Folder {
  readonly id: string;
  readonly parent?: string;
}

served("trees of folders", folders, (subject) => {
  const send = (method: string, path: string, body?: unknown) =>
    subject.client.send({ method, path, ...(body === undefined ? {} : { body }) });
  test("the ancestors of a record in a filter, by one recursive query", async () => {
    await fill();
    const below = async (id: string): Promise<readonly string[]> =>
      ((await send("GET", `/folders?below=${id}`)).json as { items: readonly Folder[] }).items.map((one) => one.id);
    assert.deepEqual(
      [await below("a"), await below("b"), await below("c"), await below("d")],
      [["c", "b"], ["c"], [], []],
    );
  });
  const clear = async (): Promise<void> => {
    for (const { id } of await all()) await send("DELETE", `/folders/${id}`);
  };
  const all = async (): Promise<readonly Folder[]> =>
    ((await send("GET", "/folders")).json as { items: readonly Folder[] }).items;
  /** a above b above c, and d alone. */
  const fill = async (): Promise<void> => {
    await clear();
    for (const body of [{ id: "a" }, { id: "b", parent: "a" }, { id: "c", parent: "b" }, { id: "d" }])
      assert.equal((await send("POST", "/folders", body)).status, 201);
  };

  const writes: readonly (readonly [method: string, path: string, body: object, status: number])[] = [
    ["PATCH", "/folders/a", { parent: "a" }, 422],
    ["PATCH", "/folders/a", { parent: "b" }, 422],
    ["PATCH", "/folders/a", { parent: "c" }, 422],
    ["PUT", "/folders/a", { parent: "c" }, 422],
    ["PUT", "/folders/b", { parent: "c" }, 422],
    ["PATCH", "/folders/a", { parent: "d" }, 200],
    ["PATCH", "/folders/c", { parent: "a" }, 200],
    ["PATCH", "/folders/b", { parent: null }, 200],
    ["PATCH", "/folders/b", { parent: "a" }, 200],
    ["PATCH", "/folders/a", { other: "c" }, 200],
    ["PUT", "/folders/c", { parent: "d" }, 200],
  ];
  for (const [method, path, body, status] of writes) {
    test(`R2.13 ${method} ${path} ${JSON.stringify(body)} is ${status}`, async () => {
      await fill();
      const before = await all();
      const reply = await send(method, path, body);
      assert.equal(reply.status, status, reply.text);
      if (status !== 422) return;
      assert.deepEqual(faultsOf(reply), ["#/parent above-itself"]);
      assert.deepEqual(await all(), before, "nothing is changed");
    });
  }

  test("R2.13 a transition sets no parent that would make a circle", async () => {
    await fill();
    await send("PATCH", "/folders/a", { other: "c" });
    const reply = await send("POST", "/folders/a/hang");
    assert.deepEqual([reply.status, faultsOf(reply)], [422, ["#/parent above-itself"]]);
    await send("PATCH", "/folders/a", { other: "d" });
    assert.equal((await send("POST", "/folders/a/hang")).status, 200);
  });

  test("R2.13 two moves at once that each are fine make no circle together", async () => {
    for (let round = 0; round < 10; round += 1) {
      await fill();
      const replies = await Promise.all([
        send("PATCH", "/folders/a", { parent: "d" }),
        send("PATCH", "/folders/d", { parent: "c" }),
      ]);
      assert.deepEqual(
        replies.map(({ status }) => status).toSorted((a, b) => a - b),
        [200, 422],
      );
      assertTree(await all());
    }
  });

  test("R2.13 whatever is written, no record is above itself, and nothing else is refused", async () => {
    const ids = ["a", "b", "c", "d"];
    const write = fc.record({ id: fc.constantFrom(...ids), parent: fc.constantFrom(...ids, null) });
    await fc.assert(
      fc.asyncProperty(fc.array(write, { minLength: 1, maxLength: 8 }), async (many) => {
        await fill();
        for (const { id, parent } of many) {
          const after = (await all()).map((folder) => (folder.id === id ? { id, ...(parent && { parent }) } : folder));
          const reply = await send("PATCH", `/folders/${id}`, { parent });
          assert.equal(reply.status, isTree(after) ? 200 : 422, reply.text);
        }
        assertTree(await all());
      }),
      { numRuns: 15 },
    );
  });
});

function assertTree(all: readonly Folder[]): void {
  assert(isTree(all), JSON.stringify(all));
}

function isTree(all: readonly Folder[]): boolean {
  const parents = new Map(all.map(({ id, parent }) => [id, parent]));
  return all.every(({ id }) => {
    let above = parents.get(id);
    for (let steps = 0; above !== undefined && steps < all.length; steps += 1) above = parents.get(above);
    return above === undefined;
  });
}
