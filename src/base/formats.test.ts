/** What each format takes and refuses. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { currencyDigits } from "./currency-codes.ts";
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
  ["country", ["NO", "DE", "GB", "AX", "BQ"], ["no", "ZZ", "EU", "XX", "NOR", "UK", "XK", "SU", "AN", "FX", "AC", "CS", "UN", "EZ", "YU", " NO", ""]],
  ["currency", ["NOK", "EUR", "CLF", "XAU", "XCG", "ZWG"], ["eur", "ABC", "BGN", "HRK", "ZWL", "DEM", ""]],
  ["language", ["nb", "en-GB", "zh-Hant", "zh-min-nan", "sl-rozaj-biske-1994", "de-DE-u-co-phonebk", "en-a-bbb-x-a-ccc", "es-419", "art-lojban"],
    ["", "x_y", "1", "en-", "-en", "en--GB", "a", "de-1996-1996", "en-a-bb-a-cc", "en-u", "en-GB-GB", "abcdefghi", "en\n"]],
  ["timezone", ["Europe/Oslo", "UTC", "Asia/Kolkata", "Asia/Calcutta", "US/Pacific", "europe/oslo", "Etc/GMT+5"], ["Europe/Osloo", "+01:00", "Factory", "CEST", ""]],
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
  assert.deepEqual(["EUR", "HUF", "JPY", "KWD", "CLF", "XAU", "no such"].map(minorDigits), [2, 2, 0, 3, 4, 4, 2]);
});

const letters = Array.from({ length: 26 }, (_, index) => String.fromCharCode(65 + index));
const pairs = letters.flatMap((one) => letters.map((other) => one + other));

test("a country is one of the 249 codes that ISO 3166-1 has assigned", () => {
  const taken = pairs.filter((code) => textFormats["country"]?.(code));
  assert.equal(taken.length, 249);
  // An independent list, which a tool of the tests brings.
  const text = readFileSync("node_modules/@faker-js/faker/lib/locales/en/address/country_code.js", "utf8");
  assert.deepEqual(taken, [...new Set(text.match(/(?<=")[A-Z]{2}(?=")/g))].toSorted());
  // The runtime knows these besides: reserved, withdrawn, or for private use.
  const regions = new Intl.DisplayNames("en", { type: "region", fallback: "none" });
  const others = pairs.filter((code) => regions.of(code) !== undefined && !taken.includes(code));
  assert.equal(
    others.join(" "),
    "AC AN BU CP CQ CS DD DG DY EA EU EZ FX HV IC NH QO RH SU TA TP UK UN VD XA XB XK YD YU ZR ZZ",
  );
  assert.ok(taken.every((code) => regions.of(code) !== undefined));
});

test("a currency is one that ISO 4217 lists as in use, which the runtime's list is not", () => {
  const known = Intl.supportedValuesOf("currency");
  assert.equal(currencyDigits.size, 178);
  assert.equal(known.filter((code) => !currencyDigits.has(code)).join(" "), "ANG BGN CUC HRK SLL ZWL");
  assert.equal(
    [...currencyDigits.keys()]
      .filter((code) => !known.includes(code))
      .toSorted()
      .join(" "),
    "BOV CHE CHW CLF COU MXV USN UYI UYW VED XAD XAG XAU XBA XBB XBC XBD XPD XPT XTS XUA XXX",
  );
});

test("a time zone that the runtime lists is one", () => {
  assert.deepEqual(Intl.supportedValuesOf("timeZone").filter((name) => !textFormats["timezone"]?.(name)), []); // biome-ignore format: short
});
