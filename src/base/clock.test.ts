/** An instant of RFC 3339 has one canonical text; what is none, such as a day that no month has, is refused and not mended. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { canonicalInstant, instantText, isDate, parseInstant } from "./clock.ts";

const canonical: readonly (readonly [text: string, instant: string])[] = [
  ["2026-09-01T12:00:00Z", "2026-09-01T12:00:00.000Z"],
  ["2026-09-01t12:00:00.5z", "2026-09-01T12:00:00.500Z"],
  ["2026-09-01 12:00:00Z", "2026-09-01T12:00:00.000Z"],
  ["2026-09-01T12:00:00.123456789+02:00", "2026-09-01T10:00:00.123Z"],
  ["2026-01-01T00:00:00-00:30", "2026-01-01T00:30:00.000Z"],
  ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"],
  ["0099-01-01T00:00:00Z", "0099-01-01T00:00:00.000Z"],
  ["2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"],
  ["2016-12-31T15:59:60.9-08:00", "2017-01-01T00:00:00.000Z"],
];
for (const [text, instant] of canonical) {
  test(`${text} is ${instant}`, () => assert.equal(canonicalInstant(text), instant));
}

const refused = [
  "2026-09-01", "2026-09-01T12:00:00", "2026-09-01T12:00Z", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z",
  "2026-00-10T00:00:00Z", "2026-09-01T24:00:00Z", "2026-09-01T12:60:00Z", "2026-09-01T12:00:60Z", "2026-09-01T12:00:61Z",
  "2026-09-01T12:00:00+24:00", "2026-09-01T12:00:00+02:60", "2026-09-01T12:00:00+0200", "2026-09-01T12:00:00.Z",
  "2026-09-01T12:00:00.1234567890Z", " 2026-09-01T12:00:00Z", "0000-01-01T00:00:00+01:00", "9999-12-31T23:59:59-01:00",
  "2026-9-1T12:00:00Z", "2026-09-01T12:00:00,5Z", "",
]; // biome-ignore format: a table
for (const text of refused) {
  test(`${JSON.stringify(text)} is no instant`, () => assert.equal(parseInstant(text), undefined));
}

const exactly: readonly (readonly [text: string, instant: string | undefined])[] = [
  ["2026-09-01T12:00:00Z", "2026-09-01T12:00:00.000Z"],
  ["2026-09-01t14:00:00.5+02:00", "2026-09-01T12:00:00.500Z"],
  ["2026-09-01T12:00:00.1230000000000Z", "2026-09-01T12:00:00.123Z"],
  ["2026-09-01T12:00:00.1234Z", undefined],
  ["2026-09-01 12:00:00Z", undefined],
  ["2016-12-31T23:59:60Z", undefined],
  ["2026-02-29T00:00:00Z", undefined],
];
for (const [text, instant] of exactly) {
  test(`${text} is ${instant ?? "nothing"} where it has to be exact`, () => {
    const milliseconds = parseInstant(text, "exact");
    assert.equal(milliseconds === undefined ? undefined : instantText(milliseconds), instant);
  });
}

test("the text of an instant is the platform's, and reads back", () => {
  const instant = fc.integer({ min: Date.UTC(1, 0), max: Date.UTC(9999, 11, 31) });
  fc.assert(
    fc.property(instant, (milliseconds) => {
      assert.equal(instantText(milliseconds), new Date(milliseconds).toISOString());
      assert.equal(parseInstant(instantText(milliseconds)), milliseconds);
    }),
  );
});

test("days of the calendar", () => {
  for (const text of ["2026-09-01", "2000-02-29"]) assert.equal(isDate(text), true, text);
  for (const text of ["2026-02-29", "1900-02-29", "2026-9-1", "2026-09-31", "2026-09-01T00:00:00Z"]) {
    assert.equal(isDate(text), false, text);
  }
});
