/** Part 3: what each form means, and what is complained about, where. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readBlock } from "../../../test/part-block.ts";
import type { Transition, Trigger } from "./model.ts";
import { states } from "./grammar.ts";

function transitionsOf(yaml: string): readonly Transition[] {
  const { part, faults } = readBlock(states.readPart, `A:\n  moves:\n${yaml.replaceAll(/^/gm, "    ")}\n`);
  assert.deepEqual(faults, [], yaml);
  const life = part["A"];
  return life === undefined || life === "none" ? [] : life.moves;
}

const triggers: readonly (readonly [form: string, ...triggers: Trigger[]])[] = [
  ["by collect", { on: { kind: "by", operation: "collect" } }],
  ["after 48h", { on: { kind: "after", duration: "48h" } }],
  ["at collectBy", { on: { kind: "at", field: "collectBy" } }],
  ["when a.b | c.d", { on: { kind: "when", events: ["a.b", "c.d"] } }],
  ["when a.b at locker", { on: { kind: "when", events: ["a.b"], field: "locker" } }],
  ["{ when: a.b | c.d at locker }", { on: { kind: "when", events: ["a.b", "c.d"], field: "locker" } }],
  ["{ when: [a.b, c.d], at: locker }", { on: { kind: "when", events: ["a.b", "c.d"], field: "locker" } }],
  ["{ when: a.b, at: locker }", { on: { kind: "when", events: ["a.b"], field: "locker" } }],
  [
    "{ by: x, if: a < 2, else: b, set: { c: now } }",
    { on: { kind: "by", operation: "x" }, if: "a < 2", else: "b", set: { c: "now" } },
  ],
  ["[by x, after 48h]", { on: { kind: "by", operation: "x" } }, { on: { kind: "after", duration: "48h" } }],
  ["[by x, { at: d, if: e }]", { on: { kind: "by", operation: "x" } }, { on: { kind: "at", field: "d" }, if: "e" }],
];

for (const [form, ...expected] of triggers) {
  test(form, () => assert.deepEqual(transitionsOf(`a -> b: ${form}`), [{ from: ["a"], to: "b", triggers: expected }]));
}

test("moves start from one state, several or any, as keys or as items", () => {
  const by = (operation: string): readonly Trigger[] => [{ on: { kind: "by", operation } }];
  const expected = [
    { from: ["a", "b"], to: "c", triggers: by("x") },
    { from: "any", to: "d", triggers: by("y") },
  ];
  assert.deepEqual(transitionsOf("a | b -> c: by x\nany->d: by y"), expected);
  assert.deepEqual(transitionsOf("- { from: a | b, to: c, by: x }\n- { from: any, to: d, by: y }"), expected);
});

test("a move has places under its key and under its name", () => {
  const yaml =
    "A:\n  moves:\n    a|b->c: [by x, { after: 48h, if: d }]\n    b -> a: { by: y, if: e, else: not shown }\n";
  const { reader, faults } = readBlock(states.readPart, yaml);
  assert.deepEqual(faults, []);
  const at = (path: string): string => {
    const span = reader.places.get(path);
    return span === undefined ? "nowhere" : yaml.slice(span.start.offset, span.end.offset);
  };
  assert.equal(at("states/A/moves/a|b->c#key"), "a|b->c");
  assert.equal(at("states/A/moves/a | b -> c#key"), "a|b->c");
  assert.equal(at("states/A/moves/a | b -> c/to"), "c");
  assert.equal(at("states/A/moves/a | b -> c/0/by#value"), "x");
  assert.equal(at("states/A/moves/a | b -> c/1/if#value"), "d");
  assert.equal(at("states/A/moves/b -> a/if#value"), "e");
  assert.equal(at("states/A/moves/b -> a/0/if#value"), "e");
  assert.deepEqual(reader.gaps, ["states/A/moves/b -> a/else"]);
});

const faults: readonly (readonly [yaml: string, ...faults: string[]])[] = [
  ["A: none"],
  ["A: no", "1:4 states/not-a-map no"],
  ["A: { state: {} }", "1:6 states/unknown-key state"],
  ["A: { states: [a, any, b c] }", "1:18 states/bad-name any", "1:23 states/bad-name b c"],
  ["A: { states: { 1st: x } }", "1:16 states/bad-name 1st"],
  ["A: { final: { a: b } }", "1:13 states/not-a-list { a: b }"],
  ["A:\n  moves:\n    a to b: by x", "3:5 states/bad-move a to b"],
  ["A:\n  moves:\n    a -> b | c: by x", "3:10 states/bad-move b | c"],
  ["A:\n  moves:\n    a | any -> c: by x", "3:9 states/bad-move any"],
  ["A:\n  moves:\n    a -> b: collect", "3:13 states/bad-trigger collect"],
  ["A:\n  moves:\n    a -> b: after soon", "3:19 states/bad-duration soon"],
  ["A:\n  moves:\n    a -> b: by x if c", "3:18 states/bad-trigger if c"],
  ["A:\n  moves:\n    a -> b: by x y", "3:16 states/bad-trigger x y"],
  ["A:\n  moves:\n    a -> b: []", "3:13 states/bad-trigger []"],
  ["A:\n  moves:\n    a -> b: { if: c }", "3:13 states/bad-trigger { if: c }"],
  ["A:\n  moves:\n    a -> b: { by: x, after: 1h }", "3:13 states/bad-trigger { by: x, after: 1h }"],
  ["A:\n  moves:\n    a -> b: { by: x, iff: y }", "3:22 states/unknown-key iff"],
  ["A:\n  moves:\n    a -> b: by x\n    a->b: by y", "4:5 states/move-twice a->b"],
  ["A:\n  moves:\n    - { from: a, by: x }", "3:7 states/bad-move { from: a, by: x }"],
];

for (const [yaml, ...expected] of faults) {
  test(JSON.stringify(yaml), () => assert.deepEqual(readBlock(states.readPart, yaml).faults, expected));
}
