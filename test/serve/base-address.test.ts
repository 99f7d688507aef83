/** `base` in computed fields and responses: the service's URL, wherever it is mounted. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { documentOf } from "../enforced/document.ts";
import { served } from "./scenario.ts";

const resources = {
  resources: {
    Todo: { id: "id(todo)", title: "string(1..9)", url: "url := base + '/todos/' + id" },
    // A field of that name is the field.
    Wall: { id: "id(wal)", base: "string(1..9)", "foot?": "string(0..20) := base + '!'" },
  },
};

const endpoints = {
  makeTodo: "POST /todos",
  getTodo: "GET /todos/{id}",
  listTodos: "GET /todos",
  makeWall: "POST /walls",
};

for (const [where, at] of [
  ["at the root", {}],
  ["under a path", { base: "{base_url}/v1/" }],
] as const) {
  const prefix = where === "at the root" ? "" : "/v1";
  served(
    `base ${where}`,
    documentOf({ ...resources, endpoints: { ...at, endpoints, edits: "If-Match optional" } }),
    (subject) => {
      const address = (): string => `http://127.0.0.1:${subject.running.port}${prefix}`;

      test("a computed member is an address that reads the record, with a tag of its text", async () => {
        const made = await subject.client.send({ method: "POST", path: `${prefix}/todos`, body: { title: "a" } });
        const { id, url } = made.json as { id: string; url: string };
        assert.equal(url, `${address()}/todos/${id}`, made.text);
        const read = await subject.client.send({ method: "GET", path: new URL(url).pathname });
        assert.deepEqual(read.json, made.json);
        assert.equal(read.headers["etag"], made.headers["etag"]);
        const listed = await subject.client.send({ method: "GET", path: `${prefix}/todos` });
        assert.deepEqual((listed.json as { items: unknown[] }).items, [made.json]);
      });

      test("a field called base hides it", async () => {
        const made = await subject.client.send({ method: "POST", path: `${prefix}/walls`, body: { base: "stone" } });
        assert.equal((made.json as { foot: string }).foot, "stone!");
      });
    },
  );
}
