/** The client of a test clock: what it sends, and the reason why a clock that does not work is not used. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { NotTried } from "../../src/conformance/case.ts";
import type { NoResponse, Request, Response } from "../../src/conformance/interaction.ts";
import { createTestClock } from "../../src/conformance/test-clock.ts";

const url = "http://127.0.0.1:8080/.well-known/test-clock";
const start = Date.parse("2026-01-31T12:00:00.000Z");

function reveals(now: unknown, status = 200): Response {
  return { status, headers: {}, text: JSON.stringify({ now }), json: { now } as Response["json"] };
}

test("the clock is read, and moved by what is asked for", async () => {
  const sent: Request[] = [];
  let time = start;
  const clock = createTestClock((request) => {
    sent.push(request);
    if (request.method === "POST") time += 5_400_500;
    return Promise.resolve(reveals(new Date(time).toISOString()));
  }, url);
  assert.equal(await clock.now(), start);
  await clock.advance(5_400_500);
  assert.equal(await clock.now(), start + 5_400_500);
  assert.deepEqual(sent[2], {
    method: "POST",
    url,
    headers: { "Content-Type": "application/json" },
    body: '{"advance":"PT5400.5S"}',
  });
});

test("a clock may show whole seconds", async () => {
  let time = start + 999;
  const clock = createTestClock((request) => {
    if (request.method === "POST") time += 1;
    return Promise.resolve(reveals(new Date(time).toISOString().replace(/\.\d+/, "")));
  }, url);
  await clock.advance(1);
});

const html: Response = { status: 200, headers: {}, text: "<html>", json: undefined };
const broken: readonly (readonly [get: Response | NoResponse, post: Response | NoResponse, reason: string])[] = [
  [{ problem: "no response within 10s" }, html, `GET ${url} gives no response within 10s`],
  [reveals("2026-01-31T12:00:00Z", 404), html, `GET ${url} gives the status 404`],
  [html, html, `GET ${url} gives no time in \`now\`: <html>`],
  [reveals(1_769_860_800), html, `GET ${url} gives no time in \`now\`: {"now":1769860800}`],
  [reveals("tomorrow"), html, `GET ${url} gives no time in \`now\`: {"now":"tomorrow"}`],
  [reveals("2026-01-31T12:00:00Z"), reveals("2026-01-31T12:00:00Z", 204), `POST ${url} gives the status 204`],
  [
    reveals("2026-01-31T12:00:00Z"),
    reveals("2026-01-31T12:00:01Z"),
    "after 2d from 2026-01-31T12:00:00.000Z it shows 2026-01-31T12:00:01.000Z",
  ],
];
for (const [get, post, reason] of broken)
  test(`a clock that does not work: ${reason}`, async () => {
    const clock = createTestClock(({ method }) => Promise.resolve(method === "GET" ? get : post), url);
    await assert.rejects(clock.advance(172_800_000), (thrown) => {
      assert(thrown instanceof NotTried);
      assert.equal(thrown.reason, `the test clock does not work: ${reason}`);
      assert.match(thrown.remedy ?? "", /nonet serve --test-clock/);
      return true;
    });
  });
