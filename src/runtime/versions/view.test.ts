/** Tests which members of an older version can be a view, and which need a conversion of the record. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { MemberStep } from "../../plan/versioning/conversion-types.ts";
import type { ViewMember } from "../../store/port/store.ts";
import { membersToOlder } from "./view.ts";

const column = (name: string, absent: ViewMember["absent"] = "left out"): ViewMember => {
  return { name, source: { kind: "column", column: name }, type: "text", absent };
};
const hidden: ViewMember = { ...column("a"), when: [] };

const rows: readonly (readonly [
  what: string,
  step: MemberStep,
  newer: readonly ViewMember[],
  older: readonly ViewMember[] | undefined,
])[] = [
  ["another name", { older: "b", newer: "a", absent: "left out" }, [column("a")], [{ ...column("a"), name: "b" }]],
  [
    "null where the newer version has null",
    { older: "a", newer: "a", absent: "null" },
    [column("a", "null")],
    [column("a", "null")],
  ],
  [
    "left out where the newer version has null",
    { older: "a", newer: "a", absent: "left out" },
    [column("a", "null")],
    [column("a")],
  ],
  [
    "null where the newer version leaves it out",
    { older: "a", newer: "a", absent: "null", nulls: true },
    [column("a")],
    [column("a", "null")],
  ],
  ["still left out", { older: "a", newer: "a", absent: "null" }, [column("a")], [column("a")]],
  ["hidden from the caller", { older: "a", newer: "a", absent: "left out" }, [], []],
  ["shown by condition", { older: "a", newer: "a", absent: "left out" }, [hidden], [hidden]],
  ["gone, without a word", { older: "a", absent: "left out" }, [], []],
  // The following ones need a conversion of each record.
  ["null of what is hidden", { older: "a", newer: "a", absent: "null", nulls: true }, [], undefined],
  ["null of what is hidden by condition", { older: "a", newer: "a", absent: "null", nulls: true }, [hidden], undefined],
  ["embedded", { older: "a", newer: "a", absent: "left out", shape: "Address" }, [column("a")], undefined],
  ["rounded", { older: "a", newer: "a", absent: "left out", rounded: true }, [column("a")], undefined],
  [
    "filled",
    { older: "a", newer: "a", absent: "left out", filled: { seen: { kind: "value", value: "x" } } },
    [column("a")],
    undefined,
  ],
  [
    "values in a list",
    { older: "a", newer: "a", absent: "left out", enclosing: ["list"], values: { x: { kind: "value", value: "y" } } },
    [column("a")],
    undefined,
  ],
];

for (const [what, step, newer, older] of rows)
  test(`as a view: ${what}`, () => {
    assert.deepEqual(membersToOlder({ older: "X", newer: "X", added: [], members: [step] }, newer), older);
  });

test("a value that is seen as another, and a member that is gone, are expressions", () => {
  const seen = { kind: "value", value: "medium" } as const;
  const members: readonly MemberStep[] = [
    { older: "size", newer: "size", absent: "left out", values: { large: seen } },
    { older: "kind", absent: "left out", seen: { kind: "value", value: "parcel" } },
  ];
  const [size, kind] = membersToOlder({ older: "X", newer: "X", added: [], members }, [column("size")]) ?? [];
  assert(size?.source.kind === "expression" && size.source.expression.kind === "choose");
  assert(kind?.source.kind === "expression" && kind.source.expression.kind === "constant");
});
