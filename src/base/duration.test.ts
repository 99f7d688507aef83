/** Durations: what is one, in which parts; months are of the calendar, never a number of days. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  addDuration,
  isDuration,
  parseClockDuration,
  parseDuration,
  parseIsoDuration,
  printMilliseconds,
} from "./duration.ts";

const hour = 3_600_000;
const read: readonly (readonly [text: string, milliseconds: number, months: number])[] = [
  ["72h", 72 * hour, 0],
  ["30m", hour / 2, 0],
  ["5s", 5000, 0],
  ["365d", 365 * 24 * hour, 0],
  ["12mo", 0, 12],
  ["250ms", 250, 0],
  ["1h30m", 1.5 * hour, 0],
  ["2w", 14 * 24 * hour, 0],
  ["1y6mo", 0, 18],
  ["1m1ms", 60_001, 0],
  ["0s", 0, 0],
];
for (const [text, milliseconds, months] of read) {
  test(`${text} is a duration`, () => assert.deepEqual(parseDuration(text), { milliseconds, months }));
}

for (const text of [
  "",
  "5",
  "h",
  "5 s",
  "-5s",
  "1.5h",
  "30m1h",
  "5S",
  "1h1h",
  "99999999999999999d",
  "5min",
  "١h",
  "5s\n",
]) {
  test(`${JSON.stringify(text)} is none`, () => assert.equal(isDuration(text), false));
}

test("clock time has no months, not even none", () => {
  assert.equal(parseClockDuration("90s"), 90_000);
  assert.equal(parseClockDuration("12mo"), undefined);
  assert.equal(parseClockDuration("0mo5s"), undefined);
});

test("the printed form is canonical and reads back", () => {
  assert.equal(printMilliseconds(72 * hour), "3d");
  assert.equal(printMilliseconds(0), "0s");
  const any = fc.record(
    { milliseconds: fc.nat({ max: 2 ** 31 - 1 }), months: fc.nat({ max: 1200 }) },
    { noNullPrototype: true },
  );
  const printed = ({ milliseconds, months }: { readonly milliseconds: number; readonly months: number }): string =>
    (months === 0 ? "" : `${months}mo`) + (milliseconds === 0 && months > 0 ? "" : printMilliseconds(milliseconds));
  fc.assert(fc.property(any, (duration) => assert.deepEqual(parseDuration(printed(duration)), duration)));
});

test("months are added at the last day where the month is too short", () => {
  const added = (from: string, months: number): string =>
    new Date(addDuration(Date.parse(from), { months, milliseconds: hour })).toISOString();
  assert.equal(added("2026-01-31T12:00:00Z", 1), "2026-02-28T13:00:00.000Z");
  assert.equal(added("2027-12-31T00:00:00Z", 2), "2028-02-29T01:00:00.000Z");
  assert.equal(added("2026-03-15T00:00:00Z", 12), "2027-03-15T01:00:00.000Z");
});

const iso: readonly (readonly [text: string, milliseconds: number, months: number])[] = [
  ["PT48H", 48 * hour, 0],
  ["PT1H30M", 1.5 * hour, 0],
  ["P2D", 48 * hour, 0],
  ["P1W", 7 * 24 * hour, 0],
  ["P1Y2M3DT4H5M6S", 3 * 24 * hour + 4 * hour + 5 * 60_000 + 6000, 14],
  ["P1M", 0, 1],
  ["PT1M", 60_000, 0],
  ["PT0.5S", 500, 0],
  ["PT0,005S", 5, 0],
  ["PT172800S", 48 * hour, 0],
  ["P0D", 0, 0],
];
for (const [text, milliseconds, months] of iso) {
  test(`${text} is a duration of ISO 8601`, () => assert.deepEqual(parseIsoDuration(text), { milliseconds, months }));
}

for (const text of [
  "",
  "P",
  "PT",
  "P1DT",
  "-PT1H",
  "+PT1H",
  "PT1.5H",
  "PT1H1D",
  "PT1S1M",
  "pt1h",
  "1H",
  "48h",
  "PT1.S",
  "PT1.0001S",
  "P99999999999999999D",
  "PT1H\n",
]) {
  test(`${JSON.stringify(text)} is none of ISO 8601`, () => assert.equal(parseIsoDuration(text), undefined));
}
