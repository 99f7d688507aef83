/** A creation sets every field that its record needs: from its body, a default, `choose`, or a transition of every new record. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { check } from "../../src/language/check.ts";
import { documentOf } from "../enforced/document.ts";

const rows: readonly (readonly [takes: object, set: object | undefined, expected: string | undefined])[] = [
  [{ size: "integer", note: "string" }, undefined, undefined],
  [{ note: "string" }, undefined, "`addThing` does not take `size`, which every Thing needs"],
  [
    { "size?": "integer", note: "string" },
    undefined,
    "A request of `addThing` may lack `size`, which every Thing needs",
  ],
  [{ size: "integer = 1", note: "string" }, undefined, undefined],
  [{ "size?": "integer" }, { by: "addThing", set: { size: "input.size == null ? 3 : input.size" } }, undefined],
  [{}, { by: "addThing", set: { size: "3" } }, undefined],
  [
    { "size?": "integer" },
    { by: "addThing", if: "note != null", set: { size: "3" } },
    "A request of `addThing` may lack `size`, which every Thing needs",
  ],
];

test("endpoints/required-not-taken", () => {
  for (const [takes, trigger, expected] of rows) {
    const text = documentOf({
      resources: { Thing: { id: "id(thi)", size: "integer", "note?": "string" } },
      states: {
        Thing: {
          states: ["new", "old"],
          start: "new",
          final: "old",
          moves: { "new -> old": [...(trigger === undefined ? [] : [trigger as never]), "after 1h"] },
        },
      },
      endpoints: { endpoints: { addThing: { at: "POST /things", takes: takes as never } } },
    });
    const found = check("test.md", text).diagnostics.find(({ code }) => code === "endpoints/required-not-taken");
    assert.equal(found?.message, expected, JSON.stringify([takes, trigger]));
  }
});
