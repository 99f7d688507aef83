/** Tests the outcome of delivery attempts (R6.7, R6.8). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Attempt, nextAttempt, type AttemptOutcome } from "./retry-policy.ts";

const second = 1000;
const minute = 60 * second;
const retry = [5 * second, 5 * minute, 30 * minute];
const now = Date.parse("2026-06-01T12:00:00Z");
const status = (code: number, more: object = {}): Attempt => ({ kind: "answered", status: code, ...more });
const silence = (timedOut: boolean): Attempt => ({ kind: "unanswered", timedOut });

test("each answer has its verdict", () => {
  const cases: readonly (readonly [attempt: Attempt, made: number, outcome: AttemptOutcome])[] = [
    [status(200), 1, { kind: "delivered" }],
    [status(299), 4, { kind: "delivered" }],
    [status(301), 1, { kind: "again", waitMilliseconds: 5 * second }],
    [status(404), 2, { kind: "again", waitMilliseconds: 5 * minute }],
    [status(500), 3, { kind: "again", waitMilliseconds: 30 * minute }],
    [status(500), 4, { kind: "failed", why: "exhausted" }],
    [silence(false), 1, { kind: "again", waitMilliseconds: 5 * second }],
    [silence(false), 4, { kind: "failed", why: "exhausted" }],
    [status(410), 1, { kind: "failed", why: "gone" }],
    [status(400, { delivery: "abort-message" }), 1, { kind: "failed", why: "aborted" }],
    [status(200, { delivery: "abort-message" }), 1, { kind: "delivered" }],
    // After an overload response the delay is at least a minute.
    [status(429), 1, { kind: "again", waitMilliseconds: minute }],
    [status(502), 1, { kind: "again", waitMilliseconds: minute }],
    [status(504), 1, { kind: "again", waitMilliseconds: minute }],
    [silence(true), 1, { kind: "again", waitMilliseconds: minute }],
    [status(503), 1, { kind: "again", waitMilliseconds: 5 * second }],
    [status(429), 2, { kind: "again", waitMilliseconds: 5 * minute }],
    // `retry-after` counts between one and two times the scheduled delay.
    [status(503, { receiverRetryAfter: "7" }), 1, { kind: "again", waitMilliseconds: 7 * second }],
    [status(503, { receiverRetryAfter: "1" }), 1, { kind: "again", waitMilliseconds: 5 * second }],
    [status(503, { receiverRetryAfter: "86400" }), 1, { kind: "again", waitMilliseconds: 10 * second }],
    [status(429, { receiverRetryAfter: "90" }), 1, { kind: "again", waitMilliseconds: 90 * second }],
    [status(503, { receiverRetryAfter: "Mon, 01 Jun 2026 12:00:08 GMT" }), 1, { kind: "again", waitMilliseconds: 8 * second }],
    [status(503, { receiverRetryAfter: "soon" }), 1, { kind: "again", waitMilliseconds: 5 * second }],
  ]; // biome-ignore format: a table
  for (const [attempt, made, outcome] of cases) {
    assert.deepEqual(nextAttempt(attempt, { made, retry, random: 0.5, now }), outcome, JSON.stringify([attempt, made]));
  }
});

test("waits are spread by a fifth", () => {
  const wait = (random: number) => nextAttempt(status(500), { made: 1, retry, random, now });
  assert.deepEqual(wait(0), { kind: "again", waitMilliseconds: 4 * second });
  assert.deepEqual(wait(1), { kind: "again", waitMilliseconds: 6 * second });
});

test("one attempt is all where the document wants no other", () => {
  assert.deepEqual(nextAttempt(status(500), { made: 1, retry: [], random: 0, now }), {
    kind: "failed",
    why: "exhausted",
  });
});
