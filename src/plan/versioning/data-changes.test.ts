/** Tests the data changes that part 9 plans: conversions and fill values, in the names of the stored version. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { documentOf } from "../../../test/migrate/data.ts";
import { planOf } from "../../../test/serve/running.ts";
import { parts, type TypedExpression } from "../../expression/typed.ts";
import type { DataChange } from "./data-change-types.ts";

const resources = `
Note:
  id: id
  n: integer
  s: string
  size: small | large
  at: datetime
  on: date
  tags: string[]
  loose?: integer
`;

function changesOf(...entries: readonly string[]): readonly DataChange[] {
  const { history } = planOf(documentOf({ resources, versions: { "2026-01-01": entries } }));
  return history[0]?.changes ?? [];
}

test("what is taken is a value of the field's type, or an expression over the record", () => {
  const rows: readonly (readonly [entry: string, taken: unknown])[] = [
    ["require Note.n, taken as 1 before", 1],
    ["require Note.n, taken as size(s) before", "expression"],
    ["require Note.n, taken as many before", undefined],
    ["require Note.n, taken as loose before", undefined],
    ["require Note.loose, taken as n before", "expression"],
    ["add Note.s, taken as '' before", ""],
    ["add Note.s, taken as none before", "none"],
    ["add Note.s, taken as s + '!' before", "s + '!'"],
    ["add Note.size, taken as small before", "small"],
    ["add Note.size, taken as 'small' before", "small"],
    ["add Note.size, taken as medium before", undefined],
    ["add Note.on, taken as 2026-01-01 before", "2026-01-01"],
    ["add Note.at, taken as 2026-01-01T00:00:00Z before", "2026-01-01T00:00:00.000Z"],
    ["add Note.tags, taken as [a, b] before", ["a", "b"]],
    ["add Note.n", undefined],
    ["relax Note.n, seen as 1 before", undefined],
  ];
  for (const [entry, taken] of rows) {
    const [change] = changesOf(entry);
    const found = change?.kind === "fill" ? change.taken : undefined;
    assert.deepEqual(found?.kind === "literal" ? found.value : found?.kind, taken, entry);
  }
});

test("a conversion sees what was as `value`, and as what it was kept", () => {
  const [change] = changesOf("retype Note.size, was integer, taken as value > 2 ? 'large' : 'small' before");
  assert.deepEqual([change?.kind, change?.kind === "convert" && change.was], ["convert", "integer"]);
  assert.deepEqual(
    changesOf("retype Note.size, was integer, seen as 1 before"),
    [],
    "no more is known of data than of callers",
  );
  assert.deepEqual(
    changesOf("retype Note.size, was integer, taken as value before"),
    [],
    "it has to be of the new type",
  );
});

test("what is taken is said in the words of the version before, as for callers", () => {
  const retyped = (taken: string) => {
    return changesOf(
      "rename Note.many -> n",
      "rename Note.t -> s",
      `retype Note.n, was integer, taken as ${taken} before`,
    )[2];
  };
  for (const text of ["value * 1000", "many * 1000", "n * 1000"])
    assert.deepEqual(said(retyped(text)), ["value"], text);
  assert.deepEqual(said(retyped("size(t) + many")), ["s", "value"]);
  assert.deepEqual(said(retyped("value / 2")), ["value"], "whether it is a whole number is asked of each value");
});

/** The names that a conversion's expression reads, in the document's terms. */
function said(change: DataChange | undefined): readonly string[] {
  const visit = (node: TypedExpression): readonly string[] =>
    node.kind === "field" ? [node.name] : node.kind === "variable" ? node.path : parts(node).flatMap(visit);
  if (change?.kind !== "convert" || change.taken.kind !== "expression") return [];
  return visit(change.taken.expression);
}

test("entries about a type are followed by every field that holds it", () => {
  const { history } = planOf(
    documentOf({
      resources:
        "Paper:\n  id: id\n  at: Spot\n  all: Line[]\n  none: string\ntypes:\n  Spot: { x: integer }\n  Line: { from: Spot, to: Spot{} }".replace(
          "Spot{}",
          "map(Spot)",
        ),
      versions: { "2026-03-01": ["rename Spot.left -> x"], "2026-01-01": [] },
    }),
  );
  const reshaped = history[0]?.changes.flatMap((change) => (change.kind === "reshape" ? [change] : [])) ?? [];
  assert.deepEqual(
    reshaped.map(({ field, reshape: { type, enclosing, types } }) => [field, type, enclosing, Object.keys(types)]),
    [
      ["at", "Spot", [], ["Spot"]],
      ["all", "Line", ["list"], ["Spot", "Line"]],
    ],
  );
});

test("entries of older versions are about what the document calls otherwise now", () => {
  const { history } = planOf(
    documentOf({
      resources: "Paper:\n  id: id\n  count: integer",
      versions: {
        "2026-03-01": ["rename Note -> Paper", "rename Paper.n -> count"],
        "2026-02-01": ["require Note.n, taken as 3 before"],
        "2026-01-01": [],
      },
    }),
  );
  assert.deepEqual(history, [
    {
      version: "2026-03-01",
      changes: [
        { kind: "rename-resource", from: "Note", to: "Paper" },
        { kind: "rename-field", resource: "Paper", from: "n", to: "count" },
      ],
    },
    { version: "2026-02-01", changes: [{ kind: "fill", resource: "Paper", field: "count", taken: { kind: "literal", value: 3 } }] },
    { version: "2026-01-01", changes: [] },
    { version: "2020-01-01", changes: [] },
  ]); // biome-ignore format: the steps
});
