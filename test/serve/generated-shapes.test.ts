/**
 * Generated documents with views, shapes and lists in every combination, on both stores: the same responses from both, as
 * declared in the OpenAPI description, one record in all of them, and no hidden field.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Block, documentOf } from "../enforced/document.ts";
import type { Reply } from "./client.ts";
import { serve, type Subject } from "./scenario.ts";

interface Shapes {
  readonly fields: readonly string[];
  readonly members: readonly (keyof typeof members)[];
  readonly brief: readonly string[];
  readonly taken: keyof typeof taken;
  readonly given: keyof typeof given;
  readonly lists: keyof typeof lists;
  readonly wrap: Block | undefined;
  readonly show: keyof typeof seers;
  readonly items: readonly Item[];
}

interface Item {
  readonly hidden: boolean;
  readonly tags: readonly string[] | undefined;
  readonly of: boolean;
}

/** Each of them in an answer of its own would tell of `hidden`, but for the last four. */
const members = {
  "told?": "string := hidden",
  "shout?": "string := hidden + '!'",
  known: "boolean := has(hidden)",
  others: "Brief[] := Item.filter(i, i.maker == maker && i.id != id)",
  "before?": "Brief := of",
  "size?": "integer := has(hidden) ? hidden.size() : 0",
  hushes: "integer := Item.filter(i, has(i.hidden)).size()",
  maker: "Maker",
  makerName: "string := maker.name",
  many: "integer := Item.filter(i, i.maker == maker).size()",
  mine: "boolean := clerk == caller.id",
} as const;

const taken = {
  usual: undefined,
  inOne: { item: { id: "string(1..9)", title: "string(1..9)", maker: "Maker", "hidden?": "string(1..20)", "tags?": "string[]", "of?": "Item" } }, // biome-ignore format: short
  nested: { id: "string(1..9)", a: { title: "string(1..9)", "b?": { "hidden?": "string(1..20)", "tags?": "string[]", "of?": "Item" }, c: { maker: "Maker" } } }, // biome-ignore format: short
} as const;

/** What is given of one item, with the names that lead to the record in it. */
const given = {
  usual: { gives: undefined, path: [] },
  view: { gives: "Out", path: [] },
  inOne: { gives: { item: "Out" }, path: ["item"] },
  nested: { gives: { a: { b: "Out", t: "title" }, h: "hidden" }, path: ["a", "b"] },
  whole: { gives: { whole: "Item", loud: "hidden + '!'" }, path: ["whole"] },
} as const;

const lists = {
  cursor: { lists: "cursor, 50 per page", inside: false },
  offset: { lists: { kind: "offset", size: 50, max: 50, names: { limit: "per_page", offset: "skip", items: "data", count: "total" } }, inside: false }, // biome-ignore format: short
  page: { lists: { kind: "page", size: 50, max: 50, names: { next: "more" } }, inside: false },
  bare: { lists: "offset, 50 per page, bare array", inside: false },
  inside: { lists: "offset, 50 per page", inside: true },
} as const;

const seers = { clerk: ["ann", "bob"], "clerk if clerk == caller.id": ["ann"], boss: [] } as const;

const keys = <Name extends string>(of: Readonly<Record<Name, unknown>>) =>
  fc.constantFrom(...(Object.keys(of) as Name[]));
const fieldNames = ["id", "title", "hidden", "tags", "of", "loud"];

const shapes: fc.Arbitrary<Shapes> = fc.record({
  fields: fc.subarray(fieldNames, { minLength: 1 }),
  members: fc.subarray(Object.keys(members) as (keyof typeof members)[]),
  brief: fc.subarray(fieldNames, { minLength: 1 }),
  taken: keys(taken),
  given: keys(given),
  lists: keys(lists),
  wrap: fc.constantFrom(undefined, { one: "{resource}" }, { one: "{resource}", many: "{resources}" }),
  show: keys(seers),
  items: fc.array(
    fc.record({
      hidden: fc.boolean(),
      tags: fc.option(fc.array(fc.constantFrom("a", "é", '"'), { maxLength: 3 }), { nil: undefined }),
      of: fc.boolean(),
    }),
    { minLength: 1, maxLength: 4 },
  ),
});

function textOf(all: Shapes): string {
  const { gives } = given[all.given];
  const { lists: style, inside } = lists[all.lists];
  const takes = taken[all.taken];
  const one = gives === undefined ? {} : { gives };
  const name = gives === undefined ? "Item" : "Out";
  return documentOf({
    resources: {
      Maker: { id: "string(1..9)", name: "string(1..9)" },
      Item: {
        id: "string(1..9)",
        title: "string(1..9)",
        clerk: "string = caller.id, read-only",
        maker: "Maker, delete with",
        "hidden?": "string(1..20)",
        "tags?": "string[]",
        "of?": "Item, clear",
        loud: "string := title + '!'",
      },
      views: {
        Maker1: { of: "Maker", fields: ["name"], items: "Brief[] := Item.filter(i, i.maker == id)" },
        Brief: { of: "Item", fields: all.brief },
        Out: {
          of: "Item",
          fields: all.fields,
          ...Object.fromEntries(all.members.map((member) => [member, members[member].replace(/^Maker$/, "Maker1")])),
        },
      },
    },
    endpoints: {
      lists: style,
      ...(all.wrap === undefined ? {} : { wrap: all.wrap }),
      endpoints: {
        addMaker: { at: "POST /makers", gives: "none" },
        addItem: { at: "POST /items", ...(takes === undefined ? {} : { takes }), ...one },
        getItem: { at: "GET /items/{id}", ...one },
        changeItem: { at: "PATCH /items/{id}", ...one, takes: { "title?": "string(1..9)" } },
        listItems: { at: "GET /items", gives: inside ? { found: { items: `${name}[]`, n: "count" } } : `${name}[]` },
      },
    },
    authentication: {
      roles: ["clerk", "boss"],
      allow: { addMaker: "clerk", addItem: "clerk", getItem: "anyone", changeItem: "clerk", listItems: "anyone" },
      show: { "Item.hidden": all.show },
    },
  });
}

function bodyOf(all: Shapes, { hidden, tags, of }: Item, index: number): unknown {
  const flat = {
    ...(hidden ? { hidden: `hush${index}` } : {}),
    ...(tags && { tags }),
    ...(of && index > 0 && { of: "i0" }),
  };
  const { id, title, maker } = { id: `i${index}`, title: `t${index}`, maker: "m" };
  if (all.taken === "nested") return { id, a: { title, b: flat, c: { maker } } };
  if (all.taken === "inOne") return { item: { id, title, maker, ...flat } };
  return all.wrap === undefined ? { id, title, maker, ...flat } : { item: { id, title, maker, ...flat } };
}

/** What there is at a path, with `wrap` around where it is of one record by its name. */
function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce((inner: unknown, name) => (inner as Readonly<Record<string, unknown>>)[name], value);
}

function pathOf({ given: how, wrap }: Shapes): readonly string[] {
  return wrap !== undefined && (how === "usual" || how === "view") ? ["item"] : given[how].path;
}

/** The first list in an answer, wherever it stands. */
function itemsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value as readonly unknown[];
  const found = Object.values(value as object).find((one) => typeof one === "object" && one !== null) as unknown;
  return itemsOf(found);
}

async function play(all: Shapes, subject: Subject): Promise<readonly (readonly [number, string])[]> {
  const { client, running } = subject;
  const keysOf = { ann: await running.key("ann", "clerk"), bob: await running.key("bob", "clerk"), "": "" };
  const told: [number, string][] = [];
  const send = async (who: keyof typeof keysOf, method: string, path: string, body?: unknown): Promise<Reply> => {
    const headers = who === "" ? {} : { Authorization: `Bearer ${keysOf[who]}` };
    const reply = await client.send({ method, path, headers, ...(body === undefined ? {} : { body }) });
    told.push([reply.status, reply.text.replaceAll(/"next":"[^"]+"/g, "")]);
    if (!(seers[all.show] as readonly string[]).includes(who)) {
      assert(!reply.text.includes("hush"), `${who} ${method} ${path} tells what is hidden: ${reply.text}`);
      for (const name of ["told", "shout", "known", "size"])
        assert(!reply.text.includes(`"${name}":`), `${who} ${method} ${path} tells ${name}: ${reply.text}`);
    }
    assert(reply.status < 300, `${method} ${path}: ${reply.text}`);
    return reply;
  };
  const maker = { id: "m", name: "Mo" };
  await send("ann", "POST", "/makers", all.wrap === undefined ? maker : { maker });
  for (const [index, item] of all.items.entries()) {
    const made = await send("ann", "POST", "/items", bodyOf(all, item, index));
    const read = await send("ann", "GET", `/items/i${index}`);
    assert.deepEqual(made.json, read.json, "what was made is what is read");
    const changed = await send("ann", "PATCH", `/items/i${index}`, { title: `n${index}` });
    assert.deepEqual(changed.headers["etag"], (await send("ann", "GET", `/items/i${index}`)).headers["etag"]);
  }
  for (const who of ["ann", "bob", ""] as const) {
    const list = itemsOf((await send(who, "GET", "/items")).json);
    assert.equal(list.length, all.items.length);
    for (const index of all.items.keys()) {
      const read = at((await send(who, "GET", `/items/i${index}`)).json, pathOf(all));
      if (all.given !== "whole")
        assert.deepEqual(list[list.length - 1 - index], read, "what is listed is what is read");
    }
  }
  assert.deepEqual(running.failures, []);
  return told;
}

test("documents with shapes in every mix", async () => {
  await fc.assert(
    fc.asyncProperty(shapes, async (all) => {
      const text = textOf(all);
      await using sqlite = await serve(text, { store: "sqlite" });
      await using memory = await serve(text, { store: "memory" });
      assert.deepEqual(await play(all, sqlite), await play(all, memory));
    }),
    { numRuns: 20, seed: 29 },
  );
});
