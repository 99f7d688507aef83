/** Which entries of newer versions declare a difference. */
import assert from "node:assert/strict";
import test from "node:test";
import { type Comparison, compare } from "../../src/diff/compare.ts";
import { check } from "../../src/language/check.ts";
import type { Model } from "../../src/language/model.ts";
import { changeText } from "../../src/language/versioning/change.ts";
import { type Block, crud, documentOf, things } from "../enforced/document.ts";
import { clinic, clinicWith } from "./clinic.ts";
import { rows } from "./rows.ts";

const today = "2026-11-22";
const versions = "    2026-06-01:\n";

function modelOf(text: string, file = "clinic.yaml"): Model {
  const result = check(file, text);
  const wrong = result.diagnostics.filter(
    ({ code }) => code.startsWith("versioning/") && !code.includes("notice") && !code.endsWith("removed-whole"),
  );
  assert.deepEqual(
    wrong.map(({ message }) => message),
    [],
    text.slice(text.indexOf("versions:")),
  );
  return result.model;
}

const old = check("clinic.yaml", clinic).model;

/** A document with these entries in its version of today. */
function withEntries(text: string, entries: readonly string[]): string {
  return text.replace(versions, `    ${today}:\n${entries.map((entry) => `      - ${entry}\n`).join("")}${versions}`);
}

function entriesFor({ differences }: Comparison): readonly string[] {
  const entries = differences.flatMap(({ declared, difference: { entry } }) =>
    declared || entry === undefined ? [] : [changeText(entry)],
  );
  return [...new Set(entries)];
}

test("every entry that is advised declares what it is advised for", () => {
  const found = Object.values(rows)
    .flat()
    .flatMap(([from, to]) => {
      const text = clinicWith([from, to]);
      if (!text.includes(versions)) return [];
      const before = compare(old, check("clinic.yaml", text).model, today);
      const entries = entriesFor(before);
      if (entries.length === 0) return [];
      const after = compare(old, modelOf(withEntries(text, entries)), today);
      const left = after.differences.filter(({ declared, difference: { entry } }) => !declared && entry !== undefined);
      return [
        ...left.map(({ difference }) => difference.message),
        ...after.idle.map(({ change }) => `idle: ${changeText(change)}`),
      ].map((line) => `${to.trim()}: ${entries.join("; ")}: ${line}`);
    });
  assert.deepEqual(found, []);
});

test("an entry about what has not changed is idle", () => {
  const entries = [
    "rename Visit.motive -> reason",
    "require Visit.patient, taken as null before",
    "path finish, was POST /visits/{id}/done",
    "error no-room, was 503 full",
    "event visit.booked, was visit.expected",
    "add value Visit.urgency high, seen as low before",
    "state Visit.done, seen as inside before",
    "retype Visit.weight, was string(1..3)",
  ];
  for (const entry of entries) {
    const { idle } = compare(old, modelOf(withEntries(clinic, [entry])), today);
    assert.deepEqual(
      idle.map(({ change }) => changeText(change)),
      [entry],
    );
  }
});

interface Case {
  readonly edits: readonly (readonly [from: string, to: string])[];
  readonly entries: readonly string[];
  /** What is left, as `kind subject: entry`. */
  readonly left: readonly string[];
  readonly idle?: readonly string[];
}

const cases: Readonly<Record<string, Case>> = {
  "a rename does not declare another type": {
    edits: [["    reason: string(1..80)", "    motive: string(1..40)"]],
    entries: ["rename Visit.reason -> motive"],
    left: ["range-narrower Visit.reason: retype Visit.motive, was string(1..80)"],
  },
  "a rename and another type": {
    edits: [["    reason: string(1..80)", "    motive: string(1..40)"]],
    entries: ["rename Visit.reason -> motive", "retype Visit.motive, was string(1..80)"],
    left: [],
  },
  "an operation that is gone": {
    edits: [
      ["    dropRoom: DELETE /rooms/{id}\n", ""],
      ["    dropRoom: Close a room\n", ""],
      ["addRoom, dropRoom: doctor", "addRoom: doctor"],
    ],
    entries: ["remove dropRoom"],
    left: [],
  },
  "an operation with another name": {
    edits: [["finish", "complete"]],
    entries: ["rename finish -> complete", "path complete, was POST /visits/{id}/finish"],
    left: [],
  },
  "an operation with another name, and fewer who may run it": {
    edits: [
      ["finish", "complete"],
      ["complete: doctor | nurse if own", "complete: doctor"],
    ],
    entries: ["rename finish -> complete", "path complete, was POST /visits/{id}/finish"],
    left: ["right-narrowed changeVisit: none", "right-narrowed finish: none", "right-narrowed getVisit: none"],
  },
  "a resource with another name": {
    edits: [
      ["Room", "Place"],
      ["/rooms", "/places"],
      ["addPlace", "addRoom"],
      ["listPlaces", "listRooms"],
      ["dropPlace", "dropRoom"],
    ],
    entries: [
      "rename Room -> Place",
      "path addRoom, was POST /rooms",
      "path listRooms, was GET /rooms",
      'path dropRoom, was "DELETE /rooms/{id}"'.replaceAll('"', ""),
    ],
    left: [],
  },
};

for (const [about, { edits, entries, left, idle = [] }] of Object.entries(cases)) {
  test(about, () => {
    const text = withEntries(clinicWith(...edits), entries);
    const found = compare(old, check("clinic.yaml", text).model, today);
    const open = found.differences.filter(({ declared }) => !declared);
    assert.deepEqual(
      open
        .map(
          ({ difference: { kind, subject, entry } }) =>
            `${kind} ${subject}: ${entry === undefined ? "none" : changeText(entry)}`,
        )
        .toSorted(),
      left,
    );
    assert.deepEqual(
      found.idle.map(({ change }) => changeText(change)),
      idle,
    );
  });
}

function compared(from: string, to: string, day = today): Comparison {
  return compare(check("old.yaml", from).model, check("new.yaml", to).model, day);
}

test("a removal breaks nobody after the sunset that the old document announced", () => {
  const document = (fields: Block, deprecated: Block, rest: Block = {}): string =>
    documentOf({
      resources: things(fields),
      endpoints: { endpoints: { ...crud, ...rest } },
      errors: {},
      versioning: { scheme: "none", policy: { notice: "30d" }, deprecated },
    });
  const shutting = { shutThings: { at: "GET /shut", of: "Thing", does: "list" } };
  const field = { "Thing.note": { sunset: "2026-12-01" } };
  const operation = { shutThings: { since: "2026-09-01", sunset: "2026-12-01" } };
  const rows: readonly (readonly [string, string, string, string, readonly string[]])[] = [
    ["a field before its sunset", document({ "note?": "string" }, field), document({}, {}), "2026-11-30", ["field-removed"]],
    ["a field after its sunset", document({ "note?": "string" }, field), document({}, {}), "2026-12-01", []],
    ["a field that was not deprecated", document({ "note?": "string" }, {}), document({}, {}), "2026-12-01", ["field-removed"]],
    ["an operation before its sunset", document({}, operation, shutting), document({}, {}), "2026-11-30", ["operation-removed"]],
    ["an operation after its sunset", document({}, operation, shutting), document({}, {}), "2026-12-01", []],
    ["a deprecation with enough notice", document({}, {}, shutting), document({}, operation, shutting), "2026-11-01", []],
    ["a deprecation without enough notice", document({}, {}, shutting), document({}, operation, shutting), "2026-11-15", ["notice-too-short"]],
    ["no deprecation any more", document({}, operation, shutting), document({}, {}, shutting), "2026-11-15", []],
    ["an earlier sunset", document({ "note?": "string" }, field), document({ "note?": "string" }, { "Thing.note": { sunset: "2026-11-30" } }), "2026-11-15", ["sunset-changed"]],
    ...endings(),
  ]; // biome-ignore format: a table
  for (const [what, old, now, on, expected] of rows) {
    const { differences } = compare(modelOf(old, "old.md"), modelOf(now, "now.md"), on);
    const breaking = differences.flatMap(({ difference: { effect, kind } }) => (effect === "breaking" ? [kind] : []));
    assert.deepEqual(breaking, expected, what);
  }
});

/** What ends together with something that the old document deprecates: fields in views and payloads, transitions. */
function endings(): readonly (readonly [string, string, string, string, readonly string[]])[] {
  const document = (deprecated: Block, { has }: { readonly has: readonly string[] }): string => {
    const only = <Value>(name: string, value: Value): readonly Value[] => (has.includes(name) ? [value] : []);
    const fields = [...only("note", "note"), "size"];
    return documentOf({
      resources: {
        ...things({ size: "integer(0..9)", ...Object.assign({}, ...only("note", { "note?": "string" })), ...Object.assign({}, ...only("until", { "until?": "datetime" })) }),
        views: { Short: { of: "Thing", fields: ["id", ...only("short note", "note"), "size"] } },
      },
      states: {
        Thing: {
          states: ["open", "shut"],
          start: "open",
          final: ["shut"],
          moves: { "open -> shut": ["by close", ...only("shut", "by shut"), ...only("until", "at until")] },
        },
      },
      endpoints: {
        endpoints: {
          ...crud,
          close: "POST /things/{id}/close",
          ...Object.assign({}, ...only("shut", { shut: "POST /things/{id}/shut" })),
          short: { at: "GET /short/{id}", of: "Thing", gives: "Short" },
        },
      },
      events: { envelope: "plain", out: { "thing.shut": { when: "Thing -> shut", carries: ["id", ...fields] } }, delivery: "none" },
      errors: {},
      versioning: { scheme: "none", policy: { notice: "30d" }, deprecated },
    }); // biome-ignore format: a document
  };
  const wired = (query: Block, deprecated: Block = {}): string =>
    documentOf({
      resources: things({}),
      endpoints: { endpoints: { ...crud, report: { at: "GET /report", does: "handler", wire: { query, answers: { 200: "json" } } } } },
      errors: {},
      versioning: { scheme: "none", policy: { notice: "30d" }, deprecated },
    }); // biome-ignore format: a document
  const ending = { schema: { type: "string", deprecated: true, "x-sunset": "2026-12-01" } };
  const all = ["note", "short note", "until", "shut"];
  const without = (...names: readonly string[]): string =>
    document({}, { has: all.filter((name) => !names.includes(name)) });
  const sunset = { sunset: "2026-12-01" };
  const [before, after] = ["2026-11-30", "2026-12-01"];
  const note = document({ "Thing.note": sunset }, { has: all });
  const shortNote = document({ "Short.note": sunset }, { has: all });
  const shut = document({ shut: { since: "2026-09-01", ...sunset } }, { has: all });
  const until = document({ "Thing.until": sunset }, { has: all });
  return [
    ["a field with its view and payload, before its sunset", note, without("note", "short note"), before, ["field-removed", "view-member-removed", "payload-removed"]],
    ["and after it", note, without("note", "short note"), after, []],
    ["a field in a view only, after its sunset", note, without("short note"), after, []],
    ["a member of a view, before its sunset", shortNote, without("short note"), before, ["view-member-removed"]],
    ["and after it", shortNote, without("short note"), after, []],
    ["a member of a view does not announce the field", shortNote, without("note", "short note"), after, ["field-removed", "payload-removed"]],
    ["an operation with its transition, before its sunset", shut, without("shut"), before, ["move-removed", "operation-removed"]],
    ["and after it", shut, without("shut"), after, []],
    ["a field with its timer, before its sunset", until, without("until"), before, ["field-removed", "timer-removed"]],
    ["and after it", until, without("until"), after, []],
    ["a parameter of a wire, before its sunset", wired({ "deep?": "boolean" }, { "report.deep": sunset }), wired({}), before, ["parameter-removed"]],
    ["and after it", wired({ "deep?": "boolean" }, { "report.deep": sunset }), wired({}), after, []],
    ["a parameter whose schema announced it, before", wired({ "at?": ending }), wired({}), before, ["parameter-removed"]],
    ["and after it", wired({ "at?": ending }), wired({}), after, []],
    ["a parameter that was not deprecated, and one that is another", wired({ "deep?": "boolean", "size?": "integer" }), wired({ "size?": "string" }), after, ["type-other", "parameter-removed"]],
    ["a timer of a field that was not deprecated", shut, without("until", "shut"), after, ["field-removed", "timer-removed"]],
  ]; // biome-ignore format: a table
}

test("entries go below the newest version where it is new, else below one of today", () => {
  const headings: readonly (readonly [from: string, to: string, version: string, isNew: boolean])[] = [
    [clinic, clinic, today, true],
    [clinic, withEntries(clinic, ["add Visit.note"]), today, false],
    [clinic, clinic.replace("    2026-06-01:", "    2026-11-22: none\n    2026-06-01:"), "2026-11-22", false],
    [withEntries(clinic, ["add Visit.note"]), withEntries(clinic, ["add Visit.note"]), "2026-11-23", true],
    [numbered(clinic), numbered(clinic), "3", true],
    [
      clinic.replace(/versioning:[^]*$/, "versioning: none\n"),
      clinic.replace(/versioning:[^]*$/, "versioning: none\n"),
      today,
      true,
    ],
  ];
  for (const [from, to, version, isNew] of headings) assert.deepEqual(compared(from, to).heading, { version, isNew });
});

function numbered(text: string): string {
  return text
    .replace("scheme: dated", "scheme: numbered")
    .replaceAll("2026-06-01:", "2:")
    .replaceAll("2026-03-01:", "1:");
}

test("a document without versions is the first one of its successor", () => {
  const first = clinic.replace(/versioning:[^]*$/, "versioning: none\n").replaceAll("reason", "cause");
  const { since, differences } = compared(first, clinic);
  assert.equal(since, "2026-03-01");
  assert.deepEqual(
    differences.flatMap(({ declared, difference: { subject } }) => (declared ? [] : [subject])),
    [],
  );
});

test("a document may be two versions behind", () => {
  const two = withEntries(clinic.replace("    note?: string(0..200)", "    remark?: string(0..200)"), [
    "rename Visit.note -> remark",
  ]);
  const three = two
    .replace("remark?:", "comment?:")
    .replace(`    ${today}:`, `    2026-12-01: [rename Visit.remark -> comment]\n    ${today}:`);
  const found = compared(clinic, three);
  assert.deepEqual(
    found.differences.map(({ declared, difference: { effect, kind } }) => `${effect} ${kind} ${declared}`),
    ["breaking field-renamed true", "additive version-added true", "additive version-added true"],
  );
  assert.deepEqual(found.idle, []);
});

test("a version ends after its sunset, and a sunset leaves time", () => {
  const without = clinic
    .replace("      - rename Visit.cause -> reason\n    2026-03-01: first", "      first")
    .replace("    2026-06-01:\n      first", "    2026-06-01: first")
    .replace(/ {2}deprecated:[^]*$/, "");
  const left = (found: Comparison): readonly string[] =>
    found.differences.flatMap(({ declared, difference: { kind } }) => (declared ? [] : [kind]));
  assert.deepEqual(left(compared(clinic, without, "2027-05-31")), ["version-removed"]);
  assert.deepEqual(left(compared(clinic, without, "2027-06-01")), []);
  const undeprecated = clinic.replace(/ {2}deprecated:[^]*$/, "");
  assert.deepEqual(left(compared(undeprecated, clinic, "2026-12-01")), []);
  assert.deepEqual(left(compared(undeprecated, clinic, "2026-12-31")), ["notice-too-short"]);
});

test("names that change places are declared by a rename each, also in a circle", () => {
  const fields = { id: "id(thi)", a: "integer, filter", b: "string(1..9)", x: "integer", y: "boolean", z: "date" };
  const document = (resource: object, changes: readonly string[]): string =>
    documentOf({
      resources: { Thing: { ...fields, ...resource } },
      versioning: {
        scheme: "dated",
        sent: "header Version",
        absent: "pinned",
        versions: changes.length === 0 ? { "2026-01-01": "first" } : { [today]: changes, "2026-01-01": "first" },
      },
    });
  const renames = ["a -> b", "b -> a", "x -> y", "y -> z", "z -> x"].map((names) => `rename Thing.${names}`);
  const moved = { a: "string(1..9)", b: "integer, filter", y: "integer", z: "boolean", x: "date" };
  const before = check("things.md", document({}, [])).model;
  const declared = compare(before, modelOf(document(moved, renames), "things.md"), today);
  assert.deepEqual(
    [
      ...declared.differences.flatMap(({ declared: isDeclared, difference: { effect, message } }) =>
        isDeclared || effect !== "breaking" ? [] : [message],
      ),
      ...declared.idle.map(({ change }) => `idle: ${changeText(change)}`),
    ],
    [],
  );
  const further = compare(before, modelOf(document({ ...moved, y: "integer(0..5)" }, renames), "things.md"), today);
  assert.deepEqual(
    further.differences.flatMap(({ declared: isDeclared, difference: { at } }) => (isDeclared ? [] : [at])),
    ["resources/Thing/y/type"],
  );
});
