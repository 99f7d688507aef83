/** In charge of what counts as a difference, and of whether it breaks clients: one edit of a document a row. */
import assert from "node:assert/strict";
import test from "node:test";
import { differencesOf } from "../../src/diff/differences.ts";
import { check } from "../../src/parts/check.ts";
import type { Model } from "../../src/parts/model.ts";
import { clinic, clinicWith } from "./clinic.ts";
import { rows } from "./rows.ts";

function modelOf(text: string): Model {
  return check("clinic.yaml", text).model;
}

const old = modelOf(clinic);

test("the clinic is sound", () => {
  const found = check("clinic.yaml", clinic).diagnostics.filter(({ severity }) => severity === "error");
  assert.deepEqual(
    found.map(({ code, message }) => `${code}: ${message}`),
    [],
  );
});

for (const [about, table] of Object.entries(rows)) {
  test(about, () => {
    const found = table.map(([from, to]) => {
      const now = modelOf(clinicWith([from, to]));
      return [from, to, ...differencesOf(old, now).map(({ effect, kind, subject }) => `${effect} ${kind} ${subject}`)];
    });
    assert.deepEqual(found, table);
  });
}
