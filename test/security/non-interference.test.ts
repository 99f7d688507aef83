/**
 * Non-interference (R5.8, R5.9): in two worlds that differ only in data hidden from a caller, that caller gets the same bytes,
 * after ids, times, tags and cursors are replaced by names. SECURITY.md lists the permitted differences.
 *
 * `NONET_WORLDS` is `seed:documents`, or a time limit in seconds, `3600s` or `seed:3600s`.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { createClient, type Client } from "../serve/client.ts";
import { run } from "../serve/running.ts";
import { crud, documentOf } from "../enforced/document.ts";
import { stores } from "../serve/scenario.ts";
import { vaults } from "./vault.ts";
import { Busy, type Difference, documentFor, observers, play, type Scenario, scenarioOf, smallest } from "./worlds.ts";

/** What others do, or have, in one of two worlds, and what a caller then asks: a way that the page lists is one. */
interface Way {
  readonly name: string;
  readonly document: Parameters<typeof documentOf>[0];
  /** Done in both worlds; `{id}` is the id of what the first request made. */
  readonly before?: readonly Request[];
  readonly others: readonly Request[];
  readonly asks: readonly Request[];
}

type Request = readonly [call: string, body?: unknown];

const thing = { id: "id(thi)", name: "string(1..40)" };
const notes = { Note: { id: "id(not)", text: "string(1..40)" } };
const add: Request = ["POST /things", { name: "a" }];

const ways: readonly Way[] = [
  {
    name: "a unique value",
    document: { resources: { Thing: { ...thing, name: "string(1..40), unique" } } },
    others: [add],
    asks: [add],
  },
  {
    name: "a reference",
    document: {
      resources: { Thing: thing, Note: { id: "id(not)", thing: "Thing" } },
      endpoints: { endpoints: { ...crud, addNote: "POST /notes" } },
    },
    before: [add],
    others: [["POST /notes", { thing: "{id}" }]],
    asks: [["DELETE /things/{id}"]],
  },
  {
    name: "a tag",
    document: {
      resources: { Thing: { ...thing, code: "string(1..40) = x" } },
      authentication: { show: { "Thing.code": "admin" } },
    },
    before: [add, ["GET /things/{id}"]],
    others: [["PATCH /things/{id}", { code: "y" }]],
    asks: [["GET /things/{id}", { "If-None-Match": "{tag}" }]],
  },
  {
    name: "a counter",
    document: { resources: { Thing: { ...thing, number: "integer = counter, read-only" } } },
    others: [add],
    asks: [add],
  },
  {
    name: "a shared limit",
    document: { limits: { rate: { all: "1/h per ip" } } },
    others: [["GET /things"]],
    asks: [["GET /things"]],
  },
  {
    name: "`choose`",
    document: {
      resources: { Thing: { ...thing, note: "Note, read-only, unique" }, ...notes },
      endpoints: {
        endpoints: {
          ...crud,
          addThing: { at: "POST /things", choose: { note: { from: "Note", else: "none-left" } } },
          addNote: "POST /notes",
        },
      },
      errors: { errors: { "none-left": "409 None is left" } },
    },
    others: [["POST /notes", { text: "n" }]],
    asks: [add],
  },
  {
    name: "an expression over other records or hidden fields",
    document: {
      endpoints: { endpoints: { ...crud, figures: { at: "GET /figures", gives: { all: "Thing.size()" } } } },
    },
    others: [add],
    asks: [["GET /figures"]],
  },
  {
    name: "an event that carries a hidden field",
    document: {
      resources: { Thing: { ...thing, code: "string(1..40) = x" } },
      authentication: { show: { "Thing.code": "admin" } },
      events: {
        out: { "thing.changed": { when: "changeThing", carries: ["id", "code"] } },
        delivery: { stream: { at: "GET /events", for: "anyone" } },
      },
    },
    before: [add],
    others: [["PATCH /things/{id}", { code: "y" }]],
    asks: [["GET /events", { Accept: "application/json" }]],
  },
  {
    name: "a view that nests",
    document: {
      resources: {
        Thing: thing,
        Note: { id: "id(not)", text: "string(1..40)", thing: "Thing" },
        views: {
          Out: { of: "Thing", fields: ["name"], notes: "Brief[] := Note.filter(n, n.thing == id)" },
          Brief: { of: "Note", fields: ["text"] },
        },
      },
      endpoints: { endpoints: { ...crud, getThing: { at: "GET /things/{id}", gives: "Out" }, addNote: "POST /notes" } },
    },
    before: [add],
    others: [["POST /notes", { text: "n", thing: "{id}" }]],
    asks: [["GET /things/{id}"]],
  },
];

/** Shown by `test/serve/stream.test.ts`. */
const elsewhere = ["an old id of an event"];

test("what callers learn of one another is listed, and is so", async () => {
  const page = readFileSync(new URL("../../SECURITY.md", import.meta.url), "utf8");
  const [, section = ""] = page.split("## What callers learn of one another");
  const listed = [...(section.split("\n## ")[0] ?? "").matchAll(/^\| (?!source|---)([^|]+) \|/gm)].map(
    ([, name]) => name,
  );
  assert.deepEqual([...ways.map(({ name }) => name), ...elsewhere], listed);
  for (const way of ways) {
    const [without, with_] = [await answersIn(way, false), await answersIn(way, true)];
    assert.notDeepEqual(without, with_, `${way.name} tells nothing: it is no way any more`);
  }
});

async function answersIn({ asks, before = [], document, others }: Way, is: boolean): Promise<readonly unknown[]> {
  await using running = await run(documentOf(document));
  using client = createClient(running.port, () => {});
  const known = new Map<string, string>();
  for (const request of [...before, ...(is ? others : [])]) await send(client, request, known);
  const answers: unknown[] = [];
  for (const request of asks) answers.push(await send(client, request, known));
  return answers;
}

async function send(client: Client, [call, given]: Request, known: Map<string, string>): Promise<readonly unknown[]> {
  const [method = "", path = ""] = call.split(" ");
  const fill = (text: string): string => text.replaceAll(/\{(\w+)\}/g, (hole, name: string) => known.get(name) ?? hole);
  const filled = given === undefined ? {} : (JSON.parse(fill(JSON.stringify(given))) as Record<string, string>);
  const sent = given === undefined ? {} : method === "GET" ? { headers: filled } : { body: filled };
  const { headers, json, status, text } = await client.send({ method, path: fill(path), ...sent });
  assert(status < 500, text);
  const { id } = (json ?? {}) as { id?: string };
  if (id !== undefined && !known.has("id")) known.set("id", id);
  if (headers["etag"] !== undefined && !known.has("tag")) known.set("tag", headers["etag"].replaceAll('"', '\\"'));
  return [status, text.replaceAll(/"(?:id|request_id|instance|type)":"[^"]*"/g, "")];
}

const asked = process.env["NONET_WORLDS"] ?? "";
const [, from = "1", seconds] = /^(?:(\d+):)?(\d+)s$/.exec(asked) ?? [];
const [first = Number(from), documents = 1] = seconds === undefined && asked !== "" ? asked.split(":").map(Number) : [];
const steps = seconds === undefined && asked === "" ? 60 : 150;
/** The last document may take as long as a test of the suite. */
const timeout = seconds === undefined ? {} : { timeout: 1000 * Number(seconds) + 600_000 };
const until = seconds === undefined ? undefined : performance.now() + 1000 * Number(seconds);

for (const store of stores.filter((one) => one !== "memory" || asked !== "")) {
  describe(`two worlds (${store})`, () => {
    test("R5.8 R5.9 a caller is answered the same, whatever it may not see", timeout, async (t) => {
      const faults = new Map<string, string>();
      async function difference(scenario: Scenario): Promise<Difference | undefined> {
        try {
          const played = await play(scenario);
          requests += played.requests;
          return played.difference && (await smallest(scenario, played.difference));
        } catch (thrown) {
          // A long search goes on with the next.
          if (until === undefined || !(thrown instanceof Busy)) throw thrown;
          return undefined;
        }
      }
      let requests = 0;
      let seed = first;
      for (; until === undefined ? seed < first + documents : performance.now() < until; seed += 1) {
        const [vault] = fc.sample(vaults, { numRuns: 1, seed });
        assert(vault !== undefined);
        for (const [index, observer] of observers.entries()) {
          const scenario = scenarioOf(vault, observer, store, 10 * seed + index, steps);
          const found = await difference(scenario);
          if (found === undefined) continue;
          const told = [
            `seed ${seed}, ${observer.id ?? "nobody"} with [${observer.roles.join()}]:`,
            ...found.steps.map((step) => JSON.stringify(step)),
            `one world:   ${found.first}`,
            `the other:   ${found.second}`,
          ].join("\n");
          const last = found.steps.at(-1);
          const kind = `${last?.method} ${last?.path.replaceAll(/=[^&]*/g, "=")}`;
          if (until === undefined) assert.fail(`${told}\n${documentFor(vault)}`);
          if (!faults.has(kind)) faults.set(kind, told);
          // A long search says at once what it found.
          process.stderr.write(`${told}\n\n`);
        }
      }
      t.diagnostic(`${seed - first} documents from seed ${first}, ${requests} requests`);
      assert.equal(faults.size, 0, [...faults.values()].join("\n\n"));
    });
  });
}
