/** The format of log lines, and data that no line may contain. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { textOf } from "../../src/observability/log-text.ts";
import { createLog, type Level, levels, type Line } from "../../src/observability/log.ts";
import { createRedact } from "../../src/observability/redact.ts";
import { requestLog } from "../../src/observability/request-log.ts";
import type { Observation } from "../../src/runtime/context/observation.ts";
import { readHeaders } from "../../src/http/message.ts";

const at = Date.parse("2026-11-22T10:20:30.456Z");

function logged(level: Level | "off" = "debug", secrets: readonly string[] = []) {
  const lines: Line[] = [];
  const log = createLog(
    { write: (line) => lines.push(line), close: () => Promise.resolve() },
    { level, now: () => at, redact: createRedact(secrets) },
  );
  return { log, lines };
}

test("a level lets through what is as grave, and off nothing", () => {
  for (const level of ["off", ...levels] as const) {
    const { log, lines } = logged(level);
    for (const one of levels) {
      log.write(one, one);
      assert.equal(log.writes(one), lines.some((line) => line.level === one), `${one} at ${level}`); // biome-ignore format: short
    }
    assert.deepEqual(
      lines.map((line) => line.level),
      levels.slice(0, level === "off" ? 0 : levels.indexOf(level) + 1),
    );
  }
});

const redactions: readonly (readonly [text: string, shown: string])[] = [
  ["connect to postgres://ann:hunter2@db/shop failed", "connect to postgres://[redacted]@db/shop failed"],
  ["rediss://:hunter2@cache", "rediss://[redacted]@cache"],
  ["https://hooks.example/a?x=1", "https://hooks.example/a?x=1"],
  ["Authorization: Bearer abcdefgh.12345", "Authorization: [redacted] [redacted]"],
  ["sent Bearer abcdefgh.12345 twice", "sent Bearer [redacted] twice"],
  ["sent Basic YW5uOmh1bnRlcjI=", "sent Basic [redacted]"],
  ["token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.abc_-9 is over", "token [redacted] is over"],
  ['{"password":"hunter2","name":"Ann"}', '{"password":"[redacted]","name":"Ann"}'],
  ["the api_key=abc&b=2", "the api_key=[redacted]&b=2"],
  ["door is s3cret-door, s3cret-door-2", "door is [redacted], [redacted]"],
  ["a short one is a word: cat", "a short one is a word: cat"],
  ["no parcel with this basic idea", "no parcel with this basic idea"],
];
for (const [text, shown] of redactions) {
  test(`of \`${text}\` the log shows \`${shown}\``, () => {
    assert.equal(createRedact(["s3cret-door", "s3cret-door-2", "cat", ""])(text), shown);
  });
}

test("a failure is told with its stack and its causes, and without secrets", () => {
  const { log, lines } = logged("error", ["s3cret-door"]);
  const cause = new Error("postgres://ann:hunter2@db said no to s3cret-door");
  log.failed(new Error("cannot open s3cret-door", { cause }), "req_1");
  log.failed("not even an error", "req_2");
  const [first, second] = lines;
  assert.equal(first?.members["error"], "cannot open [redacted]");
  assert.match(String(first?.members["stack"]), /cannot open \[redacted\]\n +at .*log\.test\.ts/);
  assert.match(
    String(first?.members["stack"]),
    /caused by Error: postgres:\/\/\[redacted\]@db said no to \[redacted\]/,
  );
  assert.doesNotMatch(JSON.stringify(lines), /hunter2|s3cret/);
  assert.equal(second?.members["error"], "not even an error");
});

const texts: readonly (readonly [line: Partial<Line>, shown: string])[] = [
  [{ message: "serving", members: { url: "http://127.0.0.1:8080" } }, '10:20:30.456 info  serving url=http://127.0.0.1:8080\n'], // biome-ignore format: a row
  [{ message: "GET /parcels/{parcel}", members: { status: 200, caller: undefined } }, "10:20:30.456 info  GET /parcels/{parcel} status=200\n"], // biome-ignore format: a row
  // Neither a value nor a message makes a line of its own, or moves the cursor of a terminal.
  [{ message: "a\nb", members: { caller: "ann\n10:20:30.456 info  all is well" } }, '10:20:30.456 info  a\\u000ab caller="ann\\n10:20:30.456 info  all is well"\n'], // biome-ignore format: a row
  [{ message: "x", members: { caller: "\u001b[2Jann\u202e" } }, '10:20:30.456 info  x caller="\\u001b[2Jann\\u202e"\n'], // biome-ignore format: a row
  [{ level: "error", message: "failed", members: { stack: "Error: a\n    at b\u001b[2J" } }, "10:20:30.456 error failed\n  Error: a\n      at b\\u001b[2J\n"], // biome-ignore format: a row
];
for (const [line, shown] of texts) {
  test(`for people it is ${JSON.stringify(shown)}`, () => {
    assert.equal(textOf({ level: "info", at, message: "", members: {}, ...line }, false), shown);
  });
}

const ended: Observation = { requestId: "req_1", status: 200, seconds: 0.001_234_5, route: "/parcels/{parcel}" };
const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

interface RequestRow {
  readonly what: string;
  readonly method?: string;
  readonly headers?: readonly string[];
  readonly own?: string;
  readonly observation?: Partial<Observation>;
  readonly level?: Level;
  readonly members?: object;
  readonly message?: string;
}

const requests: readonly RequestRow[] = [
  { what: "a request", members: { request_id: "req_1", method: "GET", route: "/parcels/{parcel}", status: 200, milliseconds: 1.23 } }, // biome-ignore format: a row
  { what: "a refused one", observation: { status: 404, code: "not-found", caller: "ann" }, level: "info", members: { code: "not-found", caller: "ann" } }, // biome-ignore format: a row
  { what: "one that failed", observation: { status: 500, code: "internal" }, level: "error", members: { status: 500 } }, // biome-ignore format: a row
  { what: "one that was shed", observation: { status: 503, code: "overloaded" }, level: "warn", members: { code: "overloaded" } }, // biome-ignore format: a row
  { what: "a probe", observation: { route: "/readyz" }, level: "debug", members: { route: "/readyz" } },
  { what: "a probe of one that is not ready", observation: { route: "/readyz", status: 503 }, level: "debug", members: { status: 503 } }, // biome-ignore format: a row
  { what: "a method of the caller's own", method: "GET\r\nX", message: "_OTHER /parcels/{parcel}", members: { method: "_OTHER" } }, // biome-ignore format: a row
  { what: "the caller's trace", headers: ["traceparent", traceparent], members: { trace_id: traceparent.slice(3, 35), span_id: traceparent.slice(36, 52) } }, // biome-ignore format: a row
  { what: "the service's own trace before that", headers: ["traceparent", traceparent], own: `00-${"a".repeat(32)}-${"b".repeat(16)}-01`, members: { trace_id: "a".repeat(32) } }, // biome-ignore format: a row
  { what: "no trace", headers: ["traceparent", "00-0-0-01"], members: { trace_id: undefined, span_id: undefined } },
  { what: "the caller's id, cut", headers: ["X-Request-Id", "x".repeat(200)], members: { request_id: "req_1", client_request_id: "x".repeat(100) } }, // biome-ignore format: a row
];
for (const {
  what,
  method = "GET",
  headers = [],
  own,
  observation = {},
  level = "info",
  members,
  message,
} of requests) {
  test(`the line of ${what}`, () => {
    const { log, lines } = logged();
    const httpRequest = {
      method,
      target: "/parcels/par_1?token=hunter2",
      headers: readHeaders(["Authorization", "Bearer hunter2", ...headers]),
      address: "192.0.2.1",
      secure: true,
      body: () => assert.fail("nobody reads the body"),
    };
    requestLog(log)({ requestId: "req_1", httpRequest }, () => own)({ ...ended, ...observation });
    assert.equal(lines.length, 1);
    const [line] = lines;
    assert.equal(line?.level, level);
    assert.equal(line?.message, message ?? `GET ${observation.route ?? "/parcels/{parcel}"}`);
    for (const [name, value] of Object.entries(members ?? {})) assert.equal(line.members[name], value, name);
    assert.doesNotMatch(JSON.stringify(lines), /hunter2|par_1|192\.0\.2/);
  });
}
