/** Callers of older versions and custom shapes: renamed, added and retyped fields in views, nested and wrapped. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { documentOf } from "../../enforced/document.ts";
import { faultsOf } from "../scenario.ts";
import { oldest, servedVersions } from "./of-versions.ts";

const text = documentOf({
  resources: {
    Cook: { id: "id(cok)", handle: "string(1..20), unique", "bio?": "string(1..40)" },
    Dish: {
      id: "id(dis)",
      title: "string(1..40)",
      cook: "Cook",
      minutes: "integer = 10",
      level: "easy | hard | wild = easy",
    },
    views: {
      Face: { of: "Cook", fields: ["handle", "bio"], dishes: "integer := Dish.filter(d, d.cook == id).size()" },
      Card: { of: "Dish", fields: ["title", "minutes", "level"], cook: "Face", shout: "string := title + '!'" },
      Menu: { of: "Cook", fields: ["handle"], list: "Card[] := Dish.filter(d, d.cook == id)" },
    },
  },
  endpoints: {
    wrap: { one: "{resource}", many: "{resources}" },
    endpoints: {
      addCook: { at: "POST /cooks", takes: { person: { handle: "string(1..20)", "bio?": "string(1..40)" } } },
      getCook: {
        at: "GET /cooks/{handle}",
        gives: { menu: "Menu", face: "Face", whole: "Cook", deep: { name: "handle" } },
      },
      addDish: { at: "POST /dishes", gives: { dish: "Card" } },
      listDishes: { at: "GET /dishes", gives: { dishes: "Card[]", next: "next" } },
      getDish: "GET /dishes/{id}",
      changeDish: { at: "PATCH /dishes/{id}", takes: "Card", gives: "Card" },
    },
  },
  versioning: {
    scheme: "dated",
    sent: "header Version",
    absent: "newest",
    versions: {
      "2026-02-01": [
        "rename Cook.name -> handle",
        "rename addCook.name -> handle",
        "rename Dish.name -> title",
        "add Dish.minutes",
        "add value Dish.level wild, seen as hard before",
        "rename Card.loud -> shout",
      ],
      "2026-01-01": "first",
    },
  },
});

servedVersions("shapes in versions", text, (ask) => {
  const send = (method: string, path: string, body?: unknown, version = oldest) =>
    ask(`${method} /${path.replace(/^\//, "")}`, { ...(body === undefined ? {} : { body }), version });

  void test("what was sent and given keeps the older names wherever it stands", async () => {
    const made = await send("POST", "/cooks", { person: { name: "ann" } });
    assert.equal(made.status, 201, made.text);
    const { id } = (made.json as { cook: { id: string } }).cook;
    assert.deepEqual(made.json, { cook: { id, name: "ann" } });
    const dish = await send("POST", "/dishes", { dish: { name: "Pie", cook: id } });
    const face = { name: "ann", dishes: 1 };
    const card = { name: "Pie", level: "easy", cook: face, loud: "Pie!" };
    assert.deepEqual([dish.status, dish.json], [201, { dish: card }]);
    const read = await send("GET", "/cooks/ann");
    assert.deepEqual(read.json, {
      menu: { name: "ann", list: [card] },
      face,
      whole: { id, name: "ann" },
      deep: { name: "ann" },
    });
    const newest = await send("GET", "/cooks/ann", undefined, "2026-02-01");
    const now = { title: "Pie", minutes: 10, level: "easy", cook: { handle: "ann", dishes: 1 }, shout: "Pie!" };
    assert.deepEqual(newest.json, {
      menu: { handle: "ann", list: [now] },
      face: { handle: "ann", dishes: 1 },
      whole: { id, handle: "ann" },
      deep: { name: "ann" },
    });
    const list = await send("GET", "/dishes");
    assert.deepEqual(list.json, { dishes: [card], next: null });
    const path = /dishes\/(.*)/.exec(dish.headers["location"] ?? "")?.[0] ?? "";
    const changed = await send("PATCH", `/${path}`, { dish: { name: "Cake", level: "hard" } });
    assert.deepEqual(changed.json, { dish: { ...card, name: "Cake", level: "hard", loud: "Cake!" } });
    await send("PATCH", `/${path}`, { dish: { level: "wild" } }, "2026-02-01");
    const seen = await send("GET", "/dishes");
    assert.partialDeepStrictEqual(seen.json, { dishes: [{ level: "hard" }] });
  });

  void test("faults stand where the older body has them", async () => {
    assert.deepEqual(faultsOf(await send("POST", "/cooks", { person: { handle: "x" } })).toSorted(), [
      "#/person/handle unknown-field",
      "#/person/name required",
    ]);
    assert.deepEqual(faultsOf(await send("POST", "/dishes", { dish: { name: "", cook: "cok_0" } })).toSorted(), [
      "#/dish/cook wrong-pattern",
      "#/dish/name too-short",
    ]);
    assert.deepEqual(faultsOf(await send("POST", "/dishes", {})), ["#/dish required"]);
  });
});
