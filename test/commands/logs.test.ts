/** The log of the real command: a line for each request, stack traces only there, and no line lost when it stops. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { addressOf, nonet, type Running, temporaryFolder } from "./process.ts";
import { shelf } from "./shelf.ts";

type Members = Readonly<Record<string, unknown>>;

/** What it has logged as JSON. */
function linesOf({ output }: Running): readonly Members[] {
  return output
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Members);
}

function serveShelf(t: TestContext, ...options: readonly string[]): Running {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, "shelf.md"), shelf());
  return nonet(t, ["serve", "shelf.md", "--port", "0", "--data", "memory", ...options], { folder });
}

test("R1.3 a line for each request, and at a normal stop not one is lost", async (t) => {
  const running = serveShelf(t, "--log", "info", "--log-format", "json");
  const [, address = ""] = await running.says(/"local":"(http:[^"]+)"/);
  const ids: (string | null)[] = [];
  for (let round = 0; round < 20; round++) {
    const some = Array.from({ length: 50 }, async () => {
      const reply = await fetch(`${address}/books?limit=1&q=hunter2`, { headers: { Authorization: "Bearer hunter2" } });
      await reply.text();
      ids.push(reply.headers.get("request-id"));
    });
    await Promise.all(some);
  }
  running.signal("SIGTERM");
  assert.equal(await running.ended, 0);
  const lines = linesOf(running);
  // Nothing but the log is written, so that whoever reads it need not tell lines apart.
  assert.equal(running.output.trimEnd().split("\n").length, lines.length);
  const requests = lines.filter(({ msg }) => msg === "GET /books");
  assert.equal(requests.length, 1000);
  assert.deepEqual(new Set(requests.map(({ request_id }) => request_id)), new Set(ids));
  for (const { level, service, status, time } of requests) {
    assert.deepEqual([level, service, status], ["info", "shelf", 400]);
    assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  }
  assert.deepEqual(
    lines.filter(({ msg }) => msg !== "GET /books").map(({ msg, signal }) => [msg, signal]),
    [
      ["serving", undefined],
      ["stopping", "SIGTERM"],
      ["stopped", undefined],
    ],
  );
  assert.doesNotMatch(running.output, /hunter2/);
});

test("unless more is asked for, requests are not logged, and the report is for people", async (t) => {
  const running = serveShelf(t);
  const address = await addressOf(running);
  await (await fetch(`${address}/books`)).text();
  running.signal("SIGINT");
  assert.equal(await running.ended, 0);
  assert.deepEqual(linesOf(running), []);
  assert.match(running.output, /Operations and permissions/);
});

test("as text it has the same lines", async (t) => {
  const running = serveShelf(t, "--log", "debug", "--log-format", "text");
  const address = await addressOf(running);
  await (await fetch(`${address}/books`)).text();
  await (await fetch(`${address}/livez`)).text();
  await running.says(/^\d\d:\d\d:\d\d\.\d{3} debug GET \/livez request_id=req_\w+ .*status=200/m);
  assert.match(
    running.output,
    /^\d\d:\d\d:\d\d\.\d{3} info {2}GET \/books request_id=req_\w+ .*status=200 milliseconds=/m,
  );
});

test("R7.4 what fails is told with its stack in the log alone, under the id that the caller has, without secrets", async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, "shelf.md"), shelf());
  writeFileSync(
    join(folder, "shelf.ts"),
    `import { handlers } from "nonet";
export default handlers({ before: { addBook() { throw new Error("no way to postgres://ann:hunter2@db"); } } });
`,
  );
  const args = ["serve", "shelf.md", "--port", "0", "--data", "memory", "--handlers", "shelf.ts"];
  const running = nonet(t, args, { folder });
  const address = await addressOf(running);
  const reply = await fetch(`${address}/books`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ title: "Emma" }),
  });
  const text = await reply.text();
  assert.equal(reply.status, 500, text);
  assert.doesNotMatch(text, /postgres|shelf\.ts| at /);
  running.signal("SIGTERM");
  assert.equal(await running.ended, 0);
  const requestId = reply.headers.get("request-id");
  const [failure, request, ...more] = linesOf(running).filter((line) => line["request_id"] === requestId);
  assert.deepEqual(more, []);
  assert.partialDeepStrictEqual(failure, {
    level: "error",
    msg: "failed",
    error: "no way to postgres://[redacted]@db",
  });
  assert.match(String(failure?.["stack"]), /shelf\.ts/);
  assert.partialDeepStrictEqual(request, { level: "error", msg: "POST /books", status: 500, code: "internal" });
  assert.doesNotMatch(running.output, /hunter2/);
});
