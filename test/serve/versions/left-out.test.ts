/** Callers of older versions: where the newer version has no value, the record is without it, however the older one writes that. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { documentOf } from "../../enforced/document.ts";
import { oldest, servedVersions } from "./of-versions.ts";

const text = documentOf({
  resources: {
    Folder: {
      id: "id(fol)",
      name: "string(1..20)",
      "parent?": "Folder",
      "size?": "integer(1..9)",
      "level?": "integer(1..9)",
      "note?": "string(1..20)",
      "color?": "string(1..20)",
      place: "Place",
    },
    types: { Place: { street: "string(1..20)", "zip?": "string(1..9)", "floor?": "integer" } },
  },
  endpoints: {
    endpoints: {
      addFolder: "POST /folders",
      getFolder: "GET /folders/{id}",
      changeFolder: "PATCH /folders/{id}",
      replaceFolder: "PUT /folders/{id}",
      fileFolder: {
        at: "POST /filed",
        of: "Folder",
        does: "create",
        takes: { name: "string(1..20)", place: "Place", "color?": "string(1..20)" },
      },
    },
  },
  versioning: {
    scheme: "dated",
    sent: "header Version",
    absent: "newest",
    versions: {
      "2026-02-01": [
        "add Folder.parent, taken as null before",
        "add Folder.size, taken as name == 'small' ? 1 : null before",
        "retype Folder.level, was integer(0..9), seen as level before, taken as value == 0 ? null : value before",
        "relax Folder.note, was string(1..20) | null",
        "retype Folder.color, was string(1..20) | null, seen as color before, taken as value before",
        "add Place.zip, taken as null before",
        "relax Place.floor, was integer | null",
        "add fileFolder.color, taken as null before",
      ],
      "2026-01-01": "first",
    },
  },
});

const newest = "2026-02-01";

servedVersions("absent values in versions", text, (ask) => {
  const send = (method: string, path: `/${string}`, body?: unknown, version = oldest) =>
    ask(`${method} ${path}`, { ...(body === undefined ? {} : { body }), version });
  const older = { name: "a", level: 0, note: null, color: null, place: { street: "s", floor: null } };

  void test("a creation by an older caller has no value where the newer version leaves it out", async () => {
    const made = await send("POST", "/folders", older);
    assert.equal(made.status, 201, made.text);
    const { id } = made.json as { id: string };
    const { level: _, ...shown } = older;
    assert.deepEqual(made.json, { id, ...shown });
    assert.deepEqual((await send("GET", `/folders/${id}`, undefined, newest)).json, {
      id,
      ...{ name: "a", place: { street: "s" } },
    });
    const small = await send("POST", "/folders", { ...older, name: "small", level: 3, note: "n", color: "c" });
    assert.equal(small.status, 201, small.text);
    const read = await send("GET", `/folders/${(small.json as { id: string }).id}`, undefined, newest);
    assert.deepEqual(read.json, {
      ...{ id: (small.json as { id: string }).id, name: "small", size: 1, level: 3 },
      ...{ note: "n", color: "c", place: { street: "s" } },
    });
  });
  void test("an operation with a body of its own", async () => {
    const made = await send("POST", "/filed", { name: "a", place: { street: "s", floor: null } });
    assert.equal(made.status, 201, made.text);
  });
  void test("changes and replacements remove a value, and leave what the older version does not have", async () => {
    const full = { name: "b", size: 2, level: 4, note: "n", color: "c", place: { street: "s", zip: "1", floor: 2 } };
    const made = await send("POST", "/folders", full, newest);
    const { id } = made.json as { id: string };
    const changed = await send("PATCH", `/folders/${id}`, { level: 0, note: null, color: null });
    assert.equal(changed.status, 200, changed.text);
    const now = (await send("GET", `/folders/${id}`, undefined, newest)).json;
    assert.deepEqual(now, { id, name: "b", size: 2, place: { street: "s", zip: "1", floor: 2 } });
    const replaced = await send("PUT", `/folders/${id}`, { ...older, name: "c" });
    assert.equal(replaced.status, 200, replaced.text);
    const then = (await send("GET", `/folders/${id}`, undefined, newest)).json;
    assert.deepEqual(then, { id, name: "c", size: 2, place: { street: "s", zip: "1" } });
  });
});
