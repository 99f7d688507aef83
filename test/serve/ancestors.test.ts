/** `ancestors` in permissions, guards, rules, filters, views and timers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { testServed } from "../conformance/served.ts";
import { run } from "./running.ts";
import { by, served } from "./scenario.ts";

const below = "ancestors(parent).exists(f, f.owner == caller.id)";

const document = `# Folders

## What the service does
\`\`\`yaml
nonet: 1
service: folders
purpose: Keep pages in folders.
users: { writer: writes }
operations: [addFolder, getFolder, listFolders, moveFolder, shelve, addPage, getPage, listPages]
\`\`\`
## Resources and their fields
\`\`\`yaml
Folder:
  id: id(counter)
  parent?: Folder, tree, delete with
  owner: user = caller
  isClosed: boolean = false
Page:
  id: id(pag)
  folder: Folder
rules:
  Folder: ancestors(parent).size() < 4 else too-deep
views:
  Crumb: { of: Folder, fields: [id] }
  FolderOut:
    of: Folder
    fields: [id, owner]
    path: Crumb[] := ancestors(parent).reverse()
    depth: integer := ancestors(parent).size()
\`\`\`
## States and transitions
\`\`\`yaml
Folder: none
Page:
  states: [draft, published]
  start: draft
  final: published
  moves:
    draft -> published: { after: 1h, if: "!ancestors(folder).exists(f, f.isClosed)" }
\`\`\`
## Endpoints
\`\`\`yaml
edits: none
lists: cursor, 100 per page, at most 100
endpoints:
  addFolder: POST /folders
  getFolder: { at: "GET /folders/{id}", gives: FolderOut }
  listFolders: { at: GET /folders, query: { "within?": Folder }, where: "input.within == null || ancestors(parent).exists(f, f.id == input.within)" }
  moveFolder:
    at: PATCH /folders/{id}
    if: "!ancestors(input.parent).exists(f, f.id == id)"
    else: into-itself
  shelve: { at: "POST /folders/{id}/shelve", does: update, takes: { isClosed: boolean }, gives: none }
  addPage: POST /pages
  getPage: GET /pages/{id}
  listPages: { at: GET /pages, filters: { in: "ancestors(folder).exists(f, f.id == value)" } }
\`\`\`
## Authentication
\`\`\`yaml
credentials: { key: api-key }
roles: [writer, chief]
own:
  Folder: owner == caller.id || ${below}
  Page: ancestors(folder).exists(f, f.owner == caller.id)
allow:
  addFolder, addPage: writer
  getFolder, listFolders, moveFolder, getPage, listPages: writer if own | chief
  shelve: chief
\`\`\`
## Events
none
## Errors
\`\`\`yaml
errors: { too-deep: 409 Folders are at most 4 levels deep, into-itself: 409 A folder cannot be below itself }
\`\`\`
## Limits
none
## Versioning
none
`;

served("ancestors", document, (subject) => {
  const send = async (user: string, method: string, path: string, body?: unknown) => {
    const key = await subject.running.key(user, user === "boss" ? "chief" : "writer", "writer");
    return subject.client.send({ method, path, headers: by(key), ...(body === undefined ? {} : { body }) });
  };
  const add = async (user: string, path: string, body: object): Promise<string> => {
    const reply = await send(user, "POST", path, body);
    assert.equal(reply.status, 201, reply.text);
    return String((reply.json as { id: string | number }).id);
  };
  const folder = (user: string, parent?: string, owner = user): Promise<string> =>
    add(user, "/folders", { owner, ...(parent === undefined ? {} : { parent: Number(parent) }) });
  const listed = async (user: string, path: string): Promise<readonly string[]> => {
    const reply = await send(user, "GET", path);
    assert.equal(reply.status, 200, reply.text);
    return (reply.json as { items: readonly { id: string | number }[] }).items
      .map(({ id }) => String(id))
      .toSorted((one, other) => Number(one) - Number(other));
  };

  test("who owns a folder above sees it, in reads and in lists", async () => {
    const a = await folder("ann");
    const [b, other] = [await folder("ann", a), await folder("ann", a, "bob")];
    const c = await folder("ann", b, "bob");
    const page = await add("bob", "/pages", { folder: Number(c) });
    assert.deepEqual(await listed("ann", "/folders"), [a, b, other, c]);
    assert.deepEqual(await listed("bob", "/folders"), [other, c]);
    assert.deepEqual(
      [(await send("ann", "GET", `/folders/${c}`)).status, (await send("bob", "GET", `/folders/${b}`)).status],
      [200, 404],
    );
    for (const [user, status] of [
      ["ann", 200],
      ["bob", 200],
      ["eve", 404],
    ] as const)
      assert.equal((await send(user, "GET", `/pages/${page}`)).status, status, user);
    assert.deepEqual(await listed("eve", "/pages"), []);
    const path = (await send("ann", "GET", `/folders/${c}`)).json;
    assert.deepEqual(path, { id: Number(c), owner: "bob", path: [{ id: Number(a) }, { id: Number(b) }], depth: 2 });
    assert.deepEqual(await listed("ann", `/folders?within=${a}`), [b, other, c]);
    assert.deepEqual(await listed("ann", `/pages?in=${b}`), [page]);
    assert.deepEqual(await listed("ann", `/pages?in=${other}`), []);
    // Bob may not see b, so for him no page is in it.
    assert.deepEqual([await listed("bob", `/pages?in=${b}`), await listed("bob", `/pages?in=${c}`)], [[], [page]]);
  });

  test("a guard against a move into itself, and a rule about the depth of all below", async () => {
    const a = await folder("ann");
    const b = await folder("ann", a);
    const c = await folder("ann", b);
    const move = async (id: string, parent: string | null): Promise<unknown> => {
      const reply = await send("ann", "PATCH", `/folders/${id}`, { parent: parent === null ? null : Number(parent) });
      return [reply.status, (reply.json as { code?: string }).code];
    };
    for (const into of [a, b, c]) assert.deepEqual(await move(a, into), [409, "into-itself"]);
    const x = await folder("ann");
    const y = await folder("ann", x);
    assert.deepEqual(await move(a, y), [409, "too-deep"], "c would be the fifth level");
    assert.deepEqual(await move(b, y), [200, undefined]);
    assert.deepEqual(await move(x, a), [409, "too-deep"]);
    assert.deepEqual(
      [await listed("ann", `/folders?within=${a}`), await listed("ann", `/folders?within=${x}`)],
      [[], [b, c, y]],
    );
  });

  test("a timer waits until the folder above, or the tree, changes", async () => {
    const [closed, open] = [await folder("ann"), await folder("ann")];
    const shelve = async (id: string, isClosed: boolean): Promise<void> => {
      assert.equal((await send("boss", "POST", `/folders/${id}/shelve`, { isClosed })).status, 204);
    };
    await shelve(closed, true);
    const [b, d] = [await folder("ann", closed), await folder("ann", closed)];
    const pages = [b, d].map((one) => add("ann", "/pages", { folder: Number(one) }));
    const [first, second] = await Promise.all(pages);
    const states = async (): Promise<unknown> => {
      await subject.running.tick();
      const all = [first, second].map(
        async (id) => (await send("ann", "GET", `/pages/${id}`)).json as { state: string },
      );
      return (await Promise.all(all)).map(({ state }) => state);
    };
    subject.running.pass(2 * 3_600_000);
    assert.deepEqual(await states(), ["draft", "draft"]);
    assert.equal((await send("ann", "PATCH", `/folders/${b}`, { parent: Number(open) })).status, 200);
    assert.deepEqual(await states(), ["published", "draft"]);
    await shelve(closed, false);
    assert.deepEqual(await states(), ["published", "published"]);
  });
});

test("callers of an older version whose folders have no parents read folders and pages", async () => {
  const versioned = document.replace(
    /## Versioning\nnone/,
    '## Versioning\n```yaml\nscheme: dated\nsent: header Api-Version\nabsent: oldest\nversions:\n  2026-02-01: ["add Folder.parent, taken as null before"]\n  2026-01-01: first\n```',
  );
  await using running = await run(versioned, { store: "memory" });
  const headers = { ...by(await running.key("ann", "writer")) };
  for (const path of ["folders", "pages"])
    assert.equal((await fetch(`${running.url}/${path}`, { headers })).status, 200, path);
});

test("`nonet test` finds a service that breaks a permission about ancestors, and no other", async () => {
  const brokenIn = async (served: string): Promise<readonly string[]> =>
    (await testServed(document, { served })).statements.flatMap(({ kind, statement }) =>
      kind === "broken" ? [statement.path] : [],
    );
  assert.deepEqual(await brokenIn(document), []);
  const open = document.replace(
    "Page: ancestors(folder).exists(f, f.owner == caller.id)",
    "Page: ancestors(folder.parent).exists(f, f.owner == caller.id)",
  );
  assert.ok((await brokenIn(open)).includes("endpoints/endpoints/getPage"));
});
