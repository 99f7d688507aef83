/** Part 9: what each form means, and what is complained about, where. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readBlock } from "../../../test/part-block.ts";
import type { Change, Versioning } from "./model.ts";
import { versioning } from "./grammar.ts";

const target = (of: string, field?: string) => (field === undefined ? { of } : { of, field });

/** Each change in its forms, all of which mean the same. */
const changes: readonly [change: Change, ...forms: string[]][] = [
  [
    { kind: "rename", from: target("Parcel", "reference"), to: "trackingNumber" },
    "rename Parcel.reference -> trackingNumber",
    "rename Parcel.reference->trackingNumber",
    "{ rename: Parcel.reference, to: trackingNumber }",
  ],
  [{ kind: "rename", from: target("Package"), to: "Parcel" }, "rename Package -> Parcel"],
  [{ kind: "rename", from: target("collect", "pin"), to: "code" }, "rename collect.pin -> code"],
  [{ kind: "add", target: target("Parcel", "note") }, "add Parcel.note", "{ add: Parcel.note }"],
  [
    { kind: "add", target: target("Parcel", "note"), taken: "'a, b'" },
    "add Parcel.note, taken as 'a, b' before",
    "{ add: Parcel.note, taken: \"'a, b'\" }",
  ],
  [{ kind: "add", target: target("dropOff") }, "add dropOff"],
  [
    { kind: "remove", target: target("Parcel", "size"), type: "small | medium", seen: "small" },
    "remove Parcel.size: small | medium, seen as small before",
    '"remove Parcel.size: small | medium, seen as small before"',
    "{ remove: Parcel.size, type: small | medium, seen: small }",
  ],
  [
    { kind: "remove", target: target("Parcel", "labels"), type: "string[](0..5)" },
    "remove Parcel.labels: string[](0..5)",
  ],
  [{ kind: "remove", target: target("dropOff") }, "remove dropOff"],
  [
    { kind: "require", target: target("Parcel", "weightKg"), taken: "1" },
    "require Parcel.weightKg, taken as 1 before",
    "{ require: Parcel.weightKg, taken: 1 }",
  ],
  [{ kind: "relax", target: target("Parcel", "note") }, "relax Parcel.note", "{ relax: Parcel.note }"],
  [
    { kind: "relax", target: target("Parcel", "note"), was: "string(1..80)", seen: "'-'" },
    "relax Parcel.note, was string(1..80), seen as '-' before",
    "relax Parcel.note, seen as '-' before, was string(1..80)",
    "{ relax: Parcel.note, was: string(1..80), seen: \"'-'\" }",
  ],
  [
    {
      kind: "retype",
      target: target("Parcel", "weightKg"),
      was: "integer",
      seen: "weightKg * 1000",
      taken: "weightKg / 1000",
    },
    "retype Parcel.weightKg, was integer, seen as weightKg * 1000 before, taken as weightKg / 1000 before",
    "{ retype: Parcel.weightKg, was: integer, seen: weightKg * 1000, taken: weightKg / 1000 }",
  ],
  [
    { kind: "path", operation: "takeBack", method: "POST", path: "/parcels/{id}/return" },
    "path takeBack, was POST /parcels/{id}/return",
    '{ path: takeBack, was: "POST /parcels/{id}/return" }',
  ],
  [
    { kind: "error", code: "no-free-locker", status: 503, was: "no-capacity" },
    "error no-free-locker, was 503 no-capacity",
    "{ error: no-free-locker, was: 503 no-capacity }",
  ],
  [
    { kind: "event", name: "parcel.stored", was: "parcel.arrived" },
    "event parcel.stored, was parcel.arrived",
    "{ event: parcel.stored, was: parcel.arrived }",
  ],
  [{ kind: "event", name: "parcel.stored" }, "event parcel.stored"],
  [
    { kind: "state", resource: "Parcel", name: "expired", seen: "stored" },
    "state Parcel.expired, seen as stored before",
    "{ state: Parcel.expired, seen: stored }",
  ],
  [
    { kind: "add-value", target: target("Locker", "size"), value: "large", seen: "medium" },
    "add value Locker.size large, seen as medium before",
    "{ add value: Locker.size, value: large, seen: medium }",
  ],
];

const listed = (line: string) => `scheme: dated\nversions:\n  2026-09-01:\n    - ${line}\n  2026-03-01: first\n`;

for (const [change, ...forms] of changes) {
  for (const form of forms) {
    test(form, () => {
      const { part, faults } = readBlock(versioning.readPart, listed(form));
      assert.deepEqual(faults, []);
      assert.deepEqual(part.versions?.[0]?.changes, [change]);
    });
  }
}

test("a change and its clauses have their places", () => {
  const { reader } = readBlock(versioning.readPart, listed("remove Parcel.note: string, seen as '' before"));
  const at = (path: string) => {
    const span = reader.places.get(`versioning/versions/2026-09-01/0${path}`);
    return [span?.start.line, span?.start.column, span?.end.column];
  };
  assert.deepEqual(at("/type"), [4, 27, 33]);
  assert.deepEqual(at("/seen#value"), [4, 43, 45]);
});

const forms: readonly [yaml: string, expected: Versioning][] = [
  ["scheme: none", { scheme: "none" }],
  ["sent: header X-Version\nabsent: newest", { sent: { kind: "header", name: "X-Version" }, absent: "newest" }],
  ["sent: query version", { sent: { kind: "query", name: "version" } }],
  ['sent: "path /v{n}"', { sent: { kind: "path", template: "/v{n}" } }],
  ['sent: { path: "/v{n}" }', { sent: { kind: "path", template: "/v{n}" } }],
  ["sent: media-type", { sent: { kind: "media-type" } }],
  [
    "policy: { breaking: never, notice: 180d, support: 12mo, after sunset: { status: 410, error: version-gone } }",
    {
      policy: {
        breaking: "never",
        notice: "180d",
        support: "12mo",
        afterSunset: { status: 410, error: "version-gone" },
      },
    },
  ],
  ["policy: { unknown: 412 version-needed }", { policy: { unknown: { status: 412, error: "version-needed" } } }],
  ["policy: none\nversions: none\ndeprecated: none", { policy: {}, versions: [], deprecated: {} }],
  [
    "scheme: numbered\nversions: { 10: none, 9.1: add Parcel.x, 9: first }",
    {
      scheme: "numbered",
      versions: [
        { name: "10", changes: [] },
        { name: "9.1", changes: [{ kind: "add", target: { of: "Parcel", field: "x" } }] },
        { name: "9", changes: [] },
      ],
    },
  ],
  [
    "versions: { 2: none, 1: first }\ndeprecated:\n  1: since 2026-01-01, guide https://docs.example/1",
    {
      versions: [
        { name: "2", changes: [] },
        { name: "1", changes: [] },
      ],
      deprecated: { 1: { since: "2026-01-01", guide: "https://docs.example/1" } },
    },
  ],
  // Only digits, dots and hyphens make the name of a version.
  ["deprecated: { v2Export: since 2026-01-01 }", { deprecated: { v2Export: { since: "2026-01-01" } } }],
  [
    "versions: { 1: first }\ndeprecated: { 1: { since: 2024-02-29, sunset: 2024-02-29 } }",
    { versions: [{ name: "1", changes: [] }], deprecated: { 1: { since: "2024-02-29", sunset: "2024-02-29" } } },
  ],
  [
    "sent: not shown\npolicy: { notice: not shown }\nversions: { 2: not shown, 1: first }",
    {
      policy: {},
      versions: [
        { name: "2", changes: [] },
        { name: "1", changes: [] },
      ],
    },
  ],
];

for (const [yaml, expected] of forms) {
  test(yaml.replaceAll("\n", " ⏎ "), () => {
    const { part, faults } = readBlock(versioning.readPart, `${yaml}\n`);
    assert.deepEqual(faults, []);
    assert.deepEqual(part, expected);
  });
}

const wrongChanges: readonly [line: string, ...faults: string[]][] = [
  ["renam Parcel.a -> b", "4:7 versioning/unknown-change renam"],
  ["{ renam: Parcel.a, to: b }", "4:9 versioning/unknown-change renam"],
  ["rename Parcel.a", "4:14 versioning/incomplete-change Parcel.a"],
  ["rename Parcel.a -> Parcel.b", "4:26 versioning/bad-name Parcel.b"],
  ["rename Parcel.a.b -> c", "4:14 versioning/bad-place Parcel.a.b"],
  ["add", "4:7 versioning/incomplete-change add"],
  ["add Parcel.note, taken as 1", "4:24 versioning/no-before taken as 1"],
  ["add Parcel.note, seen as 1 before", "4:32 versioning/incomplete-change 1"],
  ["add Parcel.note, taken 1 before", "4:24 versioning/incomplete-change taken 1 before"],
  ["add Parcel.note, was", "4:24 versioning/incomplete-change was"],
  ["remove Parcel.note", "4:14 versioning/incomplete-change Parcel.note"],
  ["remove Parcel.note: strng", "4:27 versioning/unknown-type strng"],
  ["require Parcel.weightKg", "4:15 versioning/incomplete-change Parcel.weightKg"],
  ["require Parcel.a, taken as 1 before, taken as 2 before", "4:44 versioning/clause-twice taken as 2 before"],
  ["retype Parcel.a", "4:14 versioning/incomplete-change Parcel.a"],
  ["retype Parcel.a, was int", "4:28 versioning/unknown-type int"],
  ["path takeBack, was /old", "4:26 versioning/bad-address /old"],
  ["error x, was no-capacity", "4:20 versioning/incomplete-change no-capacity"],
  ["error x, was 200 fine", "4:20 versioning/bad-status 200"],
  ["state expired, seen as stored before", "4:13 versioning/bad-place expired"],
  ["state Parcel.expired", "4:13 versioning/incomplete-change Parcel.expired"],
  ["add value Locker.size, seen as medium before", "4:17 versioning/incomplete-change Locker.size"],
  ["add value Locker.size large", "4:17 versioning/incomplete-change Locker.size"],
  [
    "{ require: Parcel.a, token: 1 }",
    "4:18 versioning/incomplete-change Parcel.a",
    "4:28 versioning/unknown-key token",
  ],
  ["[a]", "4:7 versioning/not-a-text [a]"],
];

for (const [line, ...expected] of wrongChanges) {
  test(`wrong: ${line}`, () => {
    assert.deepEqual(readBlock(versioning.readPart, listed(line)).faults, expected);
  });
}

const wrong: readonly [yaml: string, ...faults: string[]][] = [
  ["schema: dated", "1:1 versioning/unknown-key schema"],
  ["scheme: date", "1:9 versioning/unknown-value date"],
  ["sent: X-Version", "1:7 versioning/bad-sent X-Version"],
  ["sent: header X Version", "1:7 versioning/bad-sent header X Version"],
  ["sent: path /v", "1:12 versioning/bad-sent /v"],
  ["sent: { header: A, query: b }", "1:7 versioning/bad-sent { header: A, query: b }"],
  ["absent: latest", "1:9 versioning/unknown-value latest"],
  ["policy: { after sunset: gone }", "1:25 versioning/bad-answer gone"],
  ["policy: { unknown: 412 }", "1:20 versioning/bad-answer 412"],
  ["policy: { unknown: 200 fine }", "1:20 versioning/bad-status 200"],
  ["policy: { after sunset: 200 fine }", "1:25 versioning/bad-status 200"],
  ["policy: { notice: half a year }", "1:19 versioning/bad-duration half a year"],
  ["policy: { breaking: sometimes }", "1:21 versioning/unknown-value sometimes"],
  ["scheme: none\nversions: { 1: first }", "2:1 versioning/scheme-none versions"],
  ["scheme: dated\nversions: { 2: none, 2026-01-01: first }", "2:13 versioning/bad-name 2"],
  ["scheme: dated\nversions: { 2026-02-30: first }", "2:13 versioning/bad-name 2026-02-30"],
  ["scheme: numbered\nversions: { v2: none, 1: first }", "2:13 versioning/bad-name v2"],
  ["versions: { 2026-01-01: none, 2026-03-01: first }", "1:31 versioning/not-newest-first 2026-03-01"],
  ["versions: { 9: none, 10: first }", "1:22 versioning/not-newest-first 10"],
  ["versions: { 1.0: none, 1: first }", "1:24 versioning/not-newest-first 1"],
  ["versions: { 2: first, 1: first }", "1:16 versioning/first-not-last first"],
  ["versions: { 2: none, 1: [add Parcel.x] }", "1:22 versioning/oldest-has-changes 1"],
  ["versions: { 1: first }\ndeprecated: { 0: since 2026-01-01 }", "2:15 versioning/unknown-version 0"],
  ["versions: { 1: first }\ndeprecated: { 1: since yesterday }", "2:24 versioning/bad-date yesterday"],
  ["versions: { 1: first }\ndeprecated: { 1: from 2026-01-01 }", "2:18 versioning/bad-deprecation from 2026-01-01"],
  [
    "versions: { 1: first }\ndeprecated:\n  1: since 2026-01-01, sunset 2025-01-01",
    "3:31 versioning/sunset-before 2025-01-01",
  ],
  ["versions: { 1: first }\ndeprecated: { 1: guide docs }", "2:24 versioning/bad-guide docs"],
  // These characters would end the target of `Link`, or cannot be sent at all.
  ["deprecated: { takeBack: guide https://docs.example/<1> }", "1:31 versioning/bad-guide https://docs.example/<1>"],
  ["deprecated: { takeBack: guide https://docs.example/ł }", "1:31 versioning/bad-guide https://docs.example/ł"],
  ["deprecated: { v2: since 2026-01-01 }", "1:15 versioning/unknown-version v2"],
];

for (const [yaml, ...expected] of wrong) {
  test(`wrong: ${yaml.replaceAll("\n", " ⏎ ")}`, () => {
    assert.deepEqual(readBlock(versioning.readPart, `${yaml}\n`).faults, expected);
  });
}
