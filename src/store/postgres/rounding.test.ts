/** What a column of an existing table makes of a value; `served in place` of test/commands compares with PostgreSQL itself. */
import assert from "node:assert/strict";
import test from "node:test";
import { roundingOf } from "./rounding.ts";

const rows: readonly (readonly [type: string, value: string | number | null, stored: string | number | null])[] = [
  ["numeric(8,2)", 1.239, 1.24],
  ["numeric(8,2)", -1.5, -1.5],
  ["numeric(8)", 2.5, 3],
  ["numeric", 0.123456789, 0.123456789],
  ["numeric(5,-2)", 1234, 1234],
  ["real", 0.1234567891, 0.12345679],
  ["real", 16777217, 16777216],
  ["real", 1e-7, 1e-7],
  ["real", null, null],
  ["double precision", 0.1234567891, 0.1234567891],
  ["timestamp(0) without time zone", "2026-01-01T00:00:00.500Z", "2026-01-01T00:00:01.000Z"],
  ["timestamp(2) with time zone", "2026-01-01T00:00:00.126Z", "2026-01-01T00:00:00.130Z"],
  ["timestamp(3) with time zone", "2026-01-01T00:00:00.126Z", "2026-01-01T00:00:00.126Z"],
  ["timestamp with time zone", "2026-01-01T00:00:00.126Z", "2026-01-01T00:00:00.126Z"],
  ["time without time zone", "10:11", "10:11:00"],
  ["time without time zone", "10:11:12", "10:11:12"],
  ["character(5)", "ab  ", "ab"],
  ["character varying(5)", "ab  ", "ab  "],
]; // biome-ignore format: a table

for (const [type, value, stored] of rows)
  test(`${type}: ${value} is ${stored}`, () => {
    assert.equal(roundingOf(type)?.(value) ?? value, stored);
  });
