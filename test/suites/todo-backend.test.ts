/**
 * examples/todo-backend.md passes the public suite of Todo-Backend (todobackend.com). Its licence does not permit copies, so the
 * table is in our own words; each row is one of its sixteen expectations.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { run } from "../serve/running.ts";

const text = readFileSync(new URL("../../examples/todo-backend.md", import.meta.url), "utf8");
const origin = "https://todo.example";

interface Todo {
  readonly url: string;
  readonly title: string;
  readonly completed: boolean;
  readonly order?: number;
}

/** As a page of another origin asks: with `Origin`, and with JSON whatever the method. */
type Ask = (method: string, url: string, body?: unknown) => Promise<unknown>;

interface Scene {
  readonly root: string;
  readonly ask: Ask;
  readonly make: (members?: object) => Promise<Todo>;
  readonly list: () => Promise<readonly Todo[]>;
}

const expectations: readonly (readonly [what: string, hold: (scene: Scene) => Promise<void>])[] = [
  ["the root can be read", async ({ list }) => void (await list())],
  ["what is posted is given back", async ({ make }) => assert.equal((await make({ title: "a" })).title, "a")],
  ["all can be deleted", async ({ root, ask }) => assert.equal(await ask("DELETE", root), undefined)],
  ["and then there are none", async ({ list }) => assert.deepEqual(await list(), [])],
  [
    "what is posted is listed",
    async ({ make, list }) => {
      await make({ title: "walk" });
      assert.deepEqual(
        (await list()).map(({ title }) => title),
        ["walk"],
      );
    },
  ],
  [
    "a new one is not completed, listed neither",
    async ({ make, list }) => {
      assert.equal((await make()).completed, false);
      assert.equal((await list())[0]?.completed, false);
    },
  ],
  [
    "a new one has an address, listed too",
    async ({ make, list }) => assert.equal((await make()).url, (await list())[0]?.url),
  ],
  [
    "its address gives it",
    async ({ make, ask }) => {
      const made = await make({ title: "mine" });
      assert.deepEqual(await ask("GET", made.url), made);
    },
  ],
  [
    "the list leads to each",
    async ({ make, list, ask }) => {
      await Promise.all([make({ title: "first" }), make({ title: "second" })]);
      const all = await list();
      assert.equal(all.length, 2);
      for (const one of all) assert.deepEqual(await ask("GET", one.url), one);
    },
  ],
  [
    "its title can be changed",
    async ({ make, ask }) =>
      assert.equal(((await ask("PATCH", (await make()).url, { title: "new" })) as Todo).title, "new"),
  ],
  [
    "it can be completed",
    async ({ make, ask }) =>
      assert.equal(((await ask("PATCH", (await make()).url, { completed: true })) as Todo).completed, true),
  ],
  [
    "what was changed stays, by itself and in the list",
    async ({ make, list, ask }) => {
      const { url } = await make();
      const changed = await ask("PATCH", url, { title: "other", completed: true });
      assert.deepEqual(await ask("GET", url), changed);
      assert.deepEqual(await list(), [changed]);
    },
  ],
  [
    "one can be deleted",
    async ({ make, list, ask }) => {
      await ask("DELETE", (await make()).url);
      assert.deepEqual(await list(), []);
    },
  ],
  ["it can have an order", async ({ make }) => assert.equal((await make({ order: 523 })).order, 523)],
  [
    "its order can be changed",
    async ({ make, ask }) =>
      assert.equal(((await ask("PATCH", (await make({ order: 10 })).url, { order: 95 })) as Todo).order, 95),
  ],
  [
    "and stays changed",
    async ({ make, ask }) => {
      const { url } = await make({ order: 10 });
      await ask("PATCH", url, { order: 95 });
      assert.equal(((await ask("GET", url)) as Todo).order, 95);
    },
  ],
];

for (const store of ["sqlite", "memory"] as const) {
  for (const [what, hold] of expectations) {
    void test(`Todo-Backend: ${what} (${store})`, async () => {
      await using service = await run(text, { store });
      const root = `${service.url}/`;
      const ask: Ask = async (method, url, body) => {
        const preflight = await fetch(url, {
          method: "OPTIONS",
          headers: {
            Origin: origin,
            "Access-Control-Request-Method": method,
            "Access-Control-Request-Headers": "content-type",
          },
        });
        assert.ok(preflight.headers.get("access-control-allow-methods")?.includes(method), `${method} is let through`);
        assert.match(preflight.headers.get("access-control-allow-headers") ?? "", /content-type/i);
        const reply = await fetch(url, {
          method,
          headers: { Origin: origin, "Content-Type": "application/json" },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        const told = await reply.text();
        assert.ok(reply.ok, `${method} ${url}: ${reply.status} ${told}`);
        assert.equal(reply.headers.get("access-control-allow-origin"), "*");
        return told === "" ? undefined : JSON.parse(told);
      };
      const scene: Scene = {
        root,
        ask,
        make: async (members = {}) => (await ask("POST", root, { title: "blah", ...members })) as Todo,
        list: async () => (await ask("GET", root)) as readonly Todo[],
      };
      await ask("DELETE", root);
      await hold(scene);
      assert.deepEqual(service.failures, []);
    });
  }
}
