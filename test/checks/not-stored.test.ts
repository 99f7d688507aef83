/** Every statement that needs a stored field reports one that is computed when the record is read. */
import assert from "node:assert/strict";
import test from "node:test";
import type { Json } from "../../src/base/json.ts";
import { check } from "../../src/language/check.ts";
import { type Block, documentOf } from "../enforced/document.ts";

const rows: readonly (readonly [what: string, over: Readonly<Record<string, Json>>])[] = [
  ["a timer", { moves: { "open -> shut": "at due" } }],
  ["a retention", { keep: { Thing: "1d after due" } }],
  ["a unique rule", { rules: { Thing: "unique due" } }],
  ["a unique rule over several fields", { rules: { Thing: "unique name + due" } }],
  ["the order of a further write", { addBox: { at: "POST /boxes", also: { change: "Thing", where: true, first: 1, sort: "due", set: { name: "'x'" } } } }],
  ["the order of a transition", { moves: { "open -> shut": { when: "box.added", where: "true", first: 1, sort: "-due" } } }],
  ["the order of a list", { listThings: { at: "GET /things", order: "due" } }],
]; // biome-ignore format: a table

function found({ moves, keep, rules, ...endpoints }: Readonly<Record<string, Json>>, due: string): readonly string[] {
  const parts = {
    resources: { Thing: { id: "id(thi)", name: "string(1..9)", made: "datetime = now, read-only", due }, Box: { id: "id(box)" }, ...(rules && { rules }) },
    states: { Thing: { states: ["open", "shut"], start: "open", final: "shut", moves: moves ?? { "open -> shut": "after 1d" } }, Box: "none" },
    endpoints: { endpoints: { addThing: "POST /things", listThings: "GET /things", addBox: "POST /boxes", ...endpoints } },
    events: { out: { "box.added": "addBox" }, delivery: "none" },
    ...(keep && { limits: { keep } }),
  } as unknown as Readonly<Record<string, Block>>; // biome-ignore format: a document
  const codes = check("a.md", documentOf(parts)).diagnostics.map(({ code }) => code);
  return codes.filter((code) => code === "resources/not-stored" || code === "endpoints/order-unclear");
}

for (const [what, over] of rows)
  test(`${what} needs a stored field`, () => {
    const [code, ...more] = found(over, "datetime := made + duration('1h')");
    assert.deepEqual([code, more], [what.endsWith("list") ? "endpoints/order-unclear" : "resources/not-stored", []]);
    assert.deepEqual(found(over, "datetime := made + duration('1h'), sort"), []);
  });
