/** A timer at an optional field is reported unless each creation, or each transition to the state, gives the field a value. */
import assert from "node:assert/strict";
import test from "node:test";
import type { Json } from "../../src/base/json.ts";
import { check } from "../../src/language/check.ts";
import { documentOf } from "../enforced/document.ts";

const change = { change: "Thing", where: "id == this.id", set: { due: "now" } };
const rows: readonly (readonly [what: string, also: Json, count: number])[] = [
  ["nothing sets it", { change: "Box", where: true, set: { name: "'x'" } }, 1],
  ["the creation sets it", change, 0],
  ["the creation sets it, among others", [{ change: "Box", where: true, set: { name: "'x'" } }, change], 0],
  ["the creation sets it on a condition", { ...change, if: "made < now" }, 1],
  ["the creation sets it of other things", { ...change, where: "id != this.id" }, 1],
  ["the creation sets another field", { ...change, set: { made: "now" } }, 1],
];

for (const [what, also, count] of rows)
  test(what, () => {
    const document = documentOf({
      resources: {
        Thing: { id: "id(thi)", made: "datetime = now, read-only", "due?": "datetime, read-only" },
        Box: { id: "id(box)", name: "string(1..9)" },
      },
      states: {
        Thing: { states: ["open", "shut"], start: "open", final: "shut", moves: { "open -> shut": "at due" } },
        Box: "none",
      },
      endpoints: { endpoints: { addThing: { at: "POST /things", also }, addBox: "POST /boxes" } },
    });
    const codes = check("a.md", document).diagnostics.map(({ code }) => code);
    assert.equal(codes.filter((code) => code === "states/timer-never-set").length, count, codes.join());
    assert(!codes.some((code) => code.startsWith("expression/")), codes.join());
  });
