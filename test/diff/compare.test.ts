/** In charge of what declares a difference: its entry in a newer version, and nothing else. */
import assert from "node:assert/strict";
import test from "node:test";
import { type Comparison, compare } from "../../src/diff/compare.ts";
import { check } from "../../src/parts/check.ts";
import type { Model } from "../../src/parts/model.ts";
import { changeText } from "../../src/parts/versioning/print.ts";
import { clinic, clinicWith } from "./clinic.ts";
import { rows } from "./rows.ts";

const today = "2026-11-22";
const versions = "    2026-06-01:\n";

function modelOf(text: string): Model {
  const result = check("clinic.yaml", text);
  const wrong = result.diagnostics.filter(({ code }) => code.startsWith("versioning/") && !code.includes("notice"));
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
