/** The response to a `DELETE`: empty, or `gives` over the deleted record, as the caller may see it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { check } from "../../src/language/check.ts";
import { type Block, documentOf } from "../enforced/document.ts";
import { serve, stores } from "./scenario.ts";

const operations = {
  addPost: "POST /posts",
  getPost: "GET /posts/{id}",
  bare: { at: "DELETE /posts/{id}" },
  record: { at: "DELETE /a/{id}", of: "Post", gives: "Post" },
  view: { at: "DELETE /b/{id}", of: "Post", gives: "PostOut" },
  shape: { at: "DELETE /c/{id}", of: "Post", gives: { id: "id", title: "title" } },
  member: { at: "DELETE /d/{id}", of: "Post", gives: { post: "Post" } },
  silent: { at: "DELETE /e/{id}", of: "Post", gives: "Post", status: 204 },
  status: { at: "DELETE /f/{id}", of: "Post", gives: "Post", status: 202 },
};

function posts(more: Block = {}): string {
  return documentOf({
    resources: {
      Post: { id: "id(counter)", title: "string(1..9)", "price?": "integer" },
      views: { PostOut: { of: "Post", fields: ["title", "price"] } },
    },
    endpoints: { edits: "If-Match optional", endpoints: { ...operations, ...more } },
    authentication: {
      credentials: { key: { kind: "api-key", sent: "Authorization Bearer", prefix: "k_", lasts: "30d" } },
      roles: ["boss"],
      allow: { [Object.keys({ ...operations, ...more }).join(", ")]: "anyone" },
      show: { "Post.price": "boss" },
    },
  });
}

const wrapped = posts().replace(/endpoints:\n/, 'wrap: { one: "{resource}" }\nendpoints:\n');

for (const store of stores) {
  test(`a deletion gives the record as it was, as its caller sees it (${store})`, async () => {
    for (const around of [undefined, "post"]) {
      await using subject = await serve(around === undefined ? posts() : wrapped, { store });
      const boss = { Authorization: `Bearer ${await subject.running.key("ann", "boss")}` };
      const send = (method: string, path: string, headers = {}, body?: unknown) =>
        subject.client.send({ method, path, headers, ...(body === undefined ? {} : { body }) });
      const within = (value: unknown) => (around === undefined ? value : { [around]: value });
      const table = [
        ["/posts", 204, undefined, undefined],
        ["/a", 200, within({ id: 0, title: "t" }), within({ id: 0, title: "t", price: 5 })],
        ["/b", 200, within({ title: "t" }), within({ title: "t", price: 5 })],
        ["/c", 200, { id: 0, title: "t" }, { id: 0, title: "t" }],
        ["/d", 200, { post: { id: 0, title: "t" } }, { post: { id: 0, title: "t", price: 5 } }],
        ["/e", 204, undefined, undefined],
        ["/f", 202, within({ id: 0, title: "t" }), within({ id: 0, title: "t", price: 5 })],
      ] as const;
      for (const [at, status, hidden, shown] of table) {
        for (const [headers, expected] of [
          [{}, hidden],
          [boss, shown],
        ] as const) {
          const body = within({ title: "t", price: 5 });
          const made = await send("POST", "/posts", boss, body);
          assert.equal(made.status, 201, made.text);
          const { id } = (around === undefined ? made.json : (made.json as Record<string, unknown>)[around]) as {
            id: number;
          };
          const tag = (await send("GET", `/posts/${id}`, headers)).headers["etag"];
          const reply = await send("DELETE", `${at}/${id}`, headers);
          const text = reply.text.replaceAll(`"id":${id}`, '"id":0');
          assert.deepEqual([reply.status, text === "" ? undefined : JSON.parse(text)], [status, expected], at);
          if (at === "/a" || at === "/f") assert.equal(reply.headers["etag"], tag, "the tag of what was deleted");
          assert.equal((await send("GET", `/posts/${id}`)).status, 404);
          const again = await send("DELETE", `${at}/${id}`, headers);
          assert.equal(again.status, 404, "and nothing of it afterwards");
        }
      }
    }
  });
}

test("the deletion of many gives no record", () => {
  for (const gives of ["Post", "PostOut", { post: "Post" }]) {
    const { diagnostics } = check("posts.md", posts({ clear: { at: "DELETE /posts", gives } }));
    assert.deepEqual(
      diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code),
      ["endpoints/shape-unclear"],
    );
  }
});
