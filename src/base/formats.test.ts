/** What each format takes and refuses. */
import assert from "node:assert/strict";
import test from "node:test";
import { minorDigits, textFormats } from "./formats.ts";

const rows: readonly [format: string, good: readonly string[], bad: readonly string[]][] = [
  ["date-time", ["2026-01-01T00:00:00Z", "2026-01-01t01:00:00.5+01:00"], ["2026-01-01 00:00:00Z", "2026-01-01T00:00:00", "2026-02-30T00:00:00Z"]],
  ["date", ["2026-01-31"], ["2026-02-30", "31.1.2026"]],
  ["duration", ["P1D", "PT1H30M", "P2W"], ["P", "1h", "PT"]],
  ["email", ["a@b.no"], ["a@b", "a b@c.no", "@b.no"]],
  ["uri", ["https://example.com/", "http://x"], ["javascript:alert(1)", "example.com", "//x"]],
  ["uuid", ["018f3f4e-0000-7000-8000-000000000000"], ["018f3f4e", "018f3f4e-0000-7000-8000-00000000000g"]],
  ["hostname", ["example.com", "a-b.c", "localhost"], ["-a.example", "a_b.example", `${"a".repeat(64)}.example`]],
  ["ipv4", ["192.0.2.1"], ["192.0.2.256", "192.0.2", "::1"]],
  ["ipv6", ["::1", "2001:db8::1"], ["2001:db8:::1", "192.0.2.1"]],
  ["byte", ["", "AAAA", "AAA="], ["A", "AA*="]],
  ["phone", ["+4712345678"], ["12345678", "+0123456789", "+1"]],
  ["country", ["NO", "DE"], ["no", "ZZ", "EU", "XX", "NOR"]],
  ["currency", ["NOK", "EUR"], ["eur", "ABC"]],
  ["language", ["nb", "en-GB", "zh-Hant"], ["", "x_y", "1"]],
  ["timezone", ["Europe/Oslo", "UTC", "Asia/Kolkata", "Asia/Calcutta", "US/Pacific", "europe/oslo"], ["Europe/Osloo", "+01:00", ""]],
]; // biome-ignore format: a table

for (const [format, good, bad] of rows) {
  test(`${format} takes what its standard says`, () => {
    for (const text of good) assert.equal(textFormats[format]?.(text), true, text);
    for (const text of bad) assert.equal(textFormats[format]?.(text), false, text);
  });
}

test("every format is in the table", () => {
  assert.deepEqual(rows.map(([format]) => format).toSorted(), Object.keys(textFormats).toSorted());
});

test("an amount has the digits of its currency", () => {
  assert.deepEqual(["EUR", "JPY", "KWD", "no such"].map(minorDigits), [2, 0, 3, 2]);
});
