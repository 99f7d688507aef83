/** Tests when a failing endpoint is disabled (R6.9). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { afterFailure, type Health, isTired } from "./health.ts";

const hour = 3_600_000;

/** Hours of the failures, and whether the last one disables the endpoint. */
const cases: readonly (readonly [what: string, failures: readonly number[], tired: boolean])[] = [
  ["one failure, however long ago", [0], false],
  ["two, five days apart: in between there was nothing to send", [0, 121], false],
  ["many within an hour, and one five days later", [0, 0.1, 0.5, 1, 121], false],
  ["twelve hours apart, and still after five days", [0, 12, 40, 80, 120], true],
  ["not quite five days", [0, 12, 119.9], false],
  ["too far apart to be one trouble, until two are near", [0, 30, 60, 73, 150], false],
  ["counted from the first of the two that are near", [0, 30, 60, 73, 180], true],
  ["eleven hours are too near, but the next one counts", [0, 11, 13, 120], true],
];

test("five days of failures, and no hiccup, disable an endpoint", () => {
  for (const [what, failures, tired] of cases) {
    let health: Health | undefined;
    for (const at of failures) health = afterFailure(health, at * hour);
    assert.equal(isTired(health as Health, (failures.at(-1) ?? 0) * hour), tired, what);
  }
});
