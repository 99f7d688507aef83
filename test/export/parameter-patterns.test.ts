/** The patterns of cursors, event ids and entity tags match what the service sends, and the service reads what they match. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { openapi } from "../../src/export/openapi/openapi.ts";
import { parseTags } from "../../src/http/entity-tags.ts";
import { createEventIds } from "../../src/runtime/events/ids.ts";
import { createCursors } from "../../src/runtime/operations/cursor.ts";
import { at, baseUrl, flagship, parametersAt } from "./documents.ts";

const document = openapi(flagship, baseUrl);

function patternOf(path: string, method: string, name: string): RegExp {
  const parameter = parametersAt(document, path, method).find((one) => one["name"] === name);
  return new RegExp(at(parameter ?? {}, "schema")["pattern"] as unknown as string, "u");
}

test("a cursor that the service makes", () => {
  const pattern = patternOf("/parcels", "get", "cursor");
  const cursors = createCursors("secret");
  const value = fc.oneof(fc.string({ maxLength: 100 }), fc.integer(), fc.constant(null));
  fc.assert(
    fc.property(fc.array(value, { maxLength: 2 }), (position) => assert.match(cursors.seal(position, ""), pattern)),
  );
  for (const other of ["", "x", "a b".repeat(30), "ä".repeat(64)]) assert.doesNotMatch(other, pattern);
});

test("the id of an event", () => {
  const pattern = patternOf("/events", "get", "Last-Event-ID");
  const ids = createEventIds("secret", randomBytes);
  fc.assert(
    fc.property(fc.maxSafeNat(), (position) => {
      assert.match(ids.idOf(position), pattern);
      assert.match(ids.cursorOf(position % 2 ** 32), pattern);
    }),
  );
  for (const other of ["", "evt_", `evt_${"v".repeat(26)}`]) assert.doesNotMatch(other, pattern);
});

for (const [path, method, name] of [
  ["/parcels/{id}", "patch", "If-Match"],
  ["/parcels/{id}", "get", "If-None-Match"],
] as const)
  test(`the entity tags of ${name}`, () => {
    const pattern = patternOf(path, method, name);
    fc.assert(fc.property(fc.stringMatching(pattern), (field) => assert(parseTags(field) !== undefined, field)));
    for (const tag of ["*", '"a-gzip"', 'W/"1"', '"a", W/"b","c"', '""']) assert.match(tag, pattern);
    for (const other of ["", "a", '"a" "b"', '"a', 'w/"a"', '*, "a"', '"a",']) assert.doesNotMatch(other, pattern);
  });
