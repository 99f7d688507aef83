/** An array of records of an older version: its members, defaults and pointers are those of that version. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { documentOf } from "../../enforced/document.ts";
import { faultsOf } from "../scenario.ts";
import { servedVersions } from "./of-versions.ts";

const text = documentOf({
  resources: {
    Reading: { id: "id(rea)", name: "string(1..9), unique", weight: "integer(1..100)", unit: "string(..9)" },
    views: { ReadingIn: { of: "Reading", fields: ["name", "weight", "unit"] } },
  },
  endpoints: {
    endpoints: {
      addReadings: { at: "POST /readings", takes: "Reading[](1..5)" },
      addBatch: {
        at: "POST /batches",
        of: "Reading",
        does: "create",
        takes: { readings: "ReadingIn[]" },
        gives: { data: "ReadingIn[]" },
      },
    },
  },
  versioning: {
    scheme: "dated",
    sent: "header Version",
    absent: "newest",
    versions: {
      "2026-02-01": ["rename Reading.label -> name", "require Reading.unit, taken as 'g' before"],
      "2026-01-01": "first",
    },
  },
});

servedVersions("an array of records of an older version", text, (send) => {
  test("R9.3 the members, the defaults and the pointers of the older version", async () => {
    const made = await send("POST /readings", {
      body: [
        { label: "a", weight: 1 },
        { label: "b", weight: 2 },
      ],
    });
    assert.equal(made.status, 201, made.text);
    assert.deepEqual(
      (made.json as readonly { label: string; unit: string }[]).map(({ label, unit }) => [label, unit]),
      [
        ["a", "g"],
        ["b", "g"],
      ],
    );
    const batch = await send("POST /batches", { body: { readings: [{ label: "c", weight: 1 }] } });
    assert.deepEqual([batch.status, batch.json], [201, { data: [{ label: "c", weight: 1, unit: "g" }] }], batch.text);
    const wrong = await send("POST /readings", {
      body: [
        { label: "d", weight: 1 },
        { name: "e", weight: 2 },
      ],
    });
    assert.deepEqual(faultsOf(wrong), ["#/1/label required", "#/1/name unknown-field"]);
    const twice = await send("POST /readings", {
      body: [
        { label: "d", weight: 1 },
        { label: "a", weight: 2 },
      ],
    });
    assert.deepEqual([twice.status, ...faultsOf(twice)], [409, "#/1/label already-exists"]);
  });
});
