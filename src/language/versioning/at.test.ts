/** Undoing entries: what a document was at its older version is what a document of that time says. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { check } from "../check.ts";
import type { Model } from "../model.ts";
import { modelAt } from "./model-at-version.ts";

/** What both documents of a row say, unless the row says it otherwise. */
const common: Readonly<Record<string, string>> = {
  resources: `
  Parcel:
    id: id(par)
    reference: string(6..40), unique, filter
    size: small | medium = small
    weightKg: decimal(0.1..30)
    labels?: string(1..20)[](0..5)
    to: Address
    courier: user = caller, read-only
  types:
    Address: { street: string(1..120), postcode: string(3..10) }
  rules:
    Parcel: weightKg <= 20 else too-heavy`,
  states: `
  Parcel:
    states: { announced: a, stored: b, collected: c }
    start: announced
    final: [collected]
    moves:
      announced -> stored: { by: dropOff, set: { labels: "[reference]" } }
      stored -> collected: { by: collect, if: input.code == reference, else: wrong-code }`,
  endpoints: `
  endpoints:
    announce: POST /parcels
    getParcel: "GET /parcels/{id}"
    dropOff: "POST /parcels/{id}/drop-off"
    collect:
      at: "POST /parcels/{id}/collect"
      takes: { code: string(6..40) }
      gives: { size: size, named: reference }`,
  authentication: `
  own: { Parcel: courier == caller.id }
  allow: { announce: signed-in, getParcel: signed-in if own, dropOff: "signed-in if own && weightKg > 1", collect: anyone }
  show: { Parcel.weightKg: signed-in }`,
  events: `
  out:
    parcel.stored: { when: Parcel -> stored, carries: [id, reference] }
    parcel.collected: Parcel -> collected`,
  errors: `
  standard: all
  errors: { wrong-code: 403 No, too-heavy: 422 Heavy }`,
};

type Edit = readonly [part: string, from: string, to: string];

/** The entries, how the newer document differs from what is common to both, and how the older one does. */
const rows: readonly (readonly [
  name: string,
  entries: readonly string[],
  newer: readonly Edit[],
  older: readonly Edit[],
])[] = [
  [
    "a field's name goes back wherever it is meant",
    ["rename Parcel.trackingNumber -> reference"],
    [],
    [
      ["resources", "reference:", "trackingNumber:"],
      ["states", "[reference]", "[trackingNumber]"],
      ["states", "== reference", "== trackingNumber"],
      ["endpoints", "named: reference", "named: trackingNumber"],
      ["events", "reference]", "trackingNumber]"],
    ],
  ],
  [
    "a field that stands in a permission and a rule",
    ["rename Parcel.weight -> weightKg"],
    [],
    [
      ["resources", "weightKg:", "weight:"],
      ["resources", "weightKg <=", "weight <="],
      ["authentication", "own && weightKg", "own && weight"],
      ["authentication", "Parcel.weightKg", "Parcel.weight"],
    ],
  ],
  [
    "what an operation takes",
    ["rename collect.pin -> code"],
    [],
    [
      ["endpoints", "{ code:", "{ pin:"],
      ["states", "input.code", "input.pin"],
    ],
  ],
  ["a member of a type", ["rename Address.zip -> postcode"], [], [["resources", "postcode:", "zip:"]]],
  [
    "an operation",
    ["rename deposit -> dropOff"],
    [],
    [
      ["states", "dropOff", "deposit"],
      ["endpoints", "dropOff:", "deposit:"],
      ["authentication", "dropOff:", "deposit:"],
    ],
  ],
  [
    "a field that was added",
    ["add Parcel.labels"],
    [["states", ', set: { labels: "[reference]" }', ""]],
    [
      ["states", ', set: { labels: "[reference]" }', ""],
      ["resources", "    labels?: string(1..20)[](0..5)\n", ""],
    ],
  ],
  [
    "a field that was removed comes last",
    ["remove Parcel.note: string(1..9), seen as '' before", "remove Parcel.door: integer, read-only"],
    [],
    [
      [
        "resources",
        "    courier: user = caller, read-only",
        "    courier: user = caller, read-only\n    note: string(1..9)\n    door?: integer, read-only",
      ],
    ],
  ],
  [
    "a field that may no longer be absent",
    ["require Parcel.weightKg, taken as 1 before"],
    [],
    [["resources", "weightKg:", "weightKg?:"]],
  ],
  [
    "a field that may now be absent",
    ["relax Parcel.labels, seen as [] before"],
    [],
    [["resources", "labels?:", "labels:"]],
  ],
  [
    "a type that was narrower",
    ["relax Parcel.labels, was string(1..20)[](0..3)"],
    [],
    [["resources", "(0..5)", "(0..3)"]],
  ],
  [
    "another type",
    ["retype Parcel.weightKg, was integer(1..30)"],
    [],
    [["resources", "decimal(0.1..30)", "integer(1..30)"]],
  ],
  [
    "a value",
    ["add value Parcel.size medium, seen as small before"],
    [["resources", "small | medium =", "small | medium | large ="]],
    [["resources", "small | medium =", "small | large ="]],
  ],
  [
    "a path",
    ["path dropOff, was PUT /parcels/{id}/deposit"],
    [],
    [["endpoints", "POST /parcels/{id}/drop-off", "PUT /parcels/{id}/deposit"]],
  ],
  [
    "an error",
    ["error wrong-code, was 400 bad-code"],
    [],
    [
      ["errors", "wrong-code: 403", "bad-code: 400"],
      ["states", "wrong-code", "bad-code"],
    ],
  ],
  ["an event's name", ["event parcel.stored, was parcel.arrived"], [], [["events", "parcel.stored", "parcel.arrived"]]],
  ["an event", ["event parcel.collected"], [], [["events", "\n    parcel.collected: Parcel -> collected", ""]]],
  [
    "a state, and the event of entering it",
    ["state Parcel.lost, seen as announced before"],
    [
      ["states", "collected: c }", "collected: c, lost: d }"],
      [
        "states",
        "      stored -> collected",
        "      announced -> lost: after 48h\n      lost -> collected: by found\n      stored -> collected",
      ],
      ["events", "  out:", "  out:\n    parcel.lost: Parcel -> lost"],
    ],
    [["states", "      stored -> collected", "      announced -> collected: by found\n      stored -> collected"]],
  ],
  [
    "members of a resource and of an operation, all at once",
    ["rename Parcel.number -> reference", "rename collect.pin -> code", "rename Parcel.mass -> weightKg"],
    [],
    [
      ["resources", "reference:", "number:"],
      ["resources", "weightKg:", "mass:"],
      ["resources", "weightKg <= 20", "mass <= 20"],
      ["states", "[reference]", "[number]"],
      ["states", "input.code == reference", "input.pin == number"],
      ["endpoints", "code: string", "pin: string"],
      ["endpoints", "named: reference", "named: number"],
      ["authentication", "weightKg > 1", "mass > 1"],
      ["authentication", "Parcel.weightKg", "Parcel.mass"],
      ["events", "reference]", "number]"],
    ],
  ],
  [
    "several at once, in the names of their own version",
    ["rename Parcel.trackingNumber -> reference", "require Parcel.reference, taken as 'none' before"],
    [],
    [
      ["resources", "reference:", "trackingNumber?:"],
      ["states", "[reference]", "[trackingNumber]"],
      ["states", "== reference", "== trackingNumber"],
      ["endpoints", "named: reference", "named: trackingNumber"],
      ["events", "reference]", "trackingNumber]"],
    ],
  ],
];

for (const [name, entries, newer, older] of rows) {
  test(`undone: ${name}`, () => {
    const now = modelOf(newer, entries);
    assert.deepEqual(shape(modelAt(now, "1")), shape(modelOf(older, [])));
  });
}

test("through several versions", () => {
  const text = readFileSync(new URL("../../../examples/parcel-lockers.md", import.meta.url), "utf8");
  const { model } = check("parcel-lockers.md", text);
  assert.equal(modelAt(model, "2026-09-01"), model);
  const old = modelAt(model, "2026-03-01");
  assert.deepEqual(
    Object.keys(old.resources.resources["Parcel"]?.fields ?? {}).filter((field) => /track|refer/.test(field)),
    ["reference"],
  );
  assert.equal(old.resources.resources["Parcel"]?.fields["weightKg"]?.optional, true);
  assert.equal(old.endpoints.endpoints["takeBack"]?.path, "/parcels/{id}/return");
  assert.deepEqual(old.errors.errors["no-capacity"]?.status, 503);
  assert.equal(old.endpoints.endpoints["announceParcel"]?.choose?.["locker"]?.else, "no-capacity");
  assert.deepEqual(old.versioning.versions, [{ name: "2026-03-01", changes: [] }]);
  assert.throws(() => modelAt(model, "2025-01-01"), /no version/);
});

function modelOf(edits: readonly Edit[], entries: readonly string[]): Model {
  const parts = Object.entries(common).map(([part, text]) => {
    const edited = edits
      .filter(([of]) => of === part)
      .reduce((all, [, from, to]) => {
        assert.ok(all.includes(from), `${part} has ${from}`);
        return all.replace(from, to);
      }, text);
    return `${part}:${edited}`;
  });
  const listed = entries.map((entry) => `      - ${JSON.stringify(entry)}`);
  const versions =
    entries.length === 0
      ? []
      : ["versioning:", "  scheme: numbered", "  versions:", "    2:", ...listed, "    1: first"];
  return check("service.nonet.yaml", [...parts, ...versions, ""].join("\n")).model;
}

/** What the entries are about; how the versions are listed is another matter. */
function shape(model: Model): object {
  const { versioning: _, status: __, ...rest } = model;
  return JSON.parse(JSON.stringify(rest)) as object;
}
