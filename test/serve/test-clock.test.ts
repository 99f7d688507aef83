/** `nonet serve --test-clock`: requests move the time of the whole service, which all that waits for time notices. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { createTestClock } from "../../src/conformance/test-clock.ts";
import { createClient } from "../../src/conformance/http-client.ts";
import { createReceiver } from "../../src/conformance/receiver.ts";
import { webhookProblem } from "../../src/conformance/signature.ts";
import { isResponse, type Response } from "../../src/conformance/interaction.ts";
import { isLoopback } from "../../src/server/listen.ts";
import { addressOf, finishedHere, nonet, root, type Running, temporaryFolder } from "../commands/process.ts";
import { documentText } from "./scenario.ts";

const hour = 3_600_000;
const day = 24 * hour;
const path = "/.well-known/test-clock";
const inDays = (days: number): string => new Date(Date.now() + days * day).toISOString().slice(0, 10);

const document = documentText("orders")
  .replace("paid -> shipped: by ship", "paid -> shipped: [by ship, after 48h]")
  .replace("lasts: 30d", "lasts: 80d")
  .replace("retry: 5s 5m 30m", "retry: 1h 24h")
  .replace("quota: { webhook: 3 per user }", "rate: { getOrder: 3/h per user }")
  .replace(
    "scheme: none",
    `scheme: numbered
sent: header Version
absent: newest
policy: { breaking: new version only, notice: 1d, support: 1d, after sunset: 410 version-gone }
versions: { 2: [rename Order.remark -> note], 1: first }
deprecated: { 1: "since ${inDays(-30)}, sunset ${inDays(60)}, guide https://docs.example/1" }`,
  );

interface Subject {
  readonly running: Running;
  readonly url: string;
  send(method: string, target: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>;
}

async function serve(t: TestContext, args: readonly string[]): Promise<Subject> {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, "orders.md"), document);
  const created = await finishedHere(
    ["key", "create", "orders.md", "--user", "sam", "--role", "shop", "--data", "o.db"],
    {
      folder,
    },
  );
  const key = /or_\w+/.exec(created.output)?.[0] ?? assert.fail(created.output);
  const running = nonet(t, ["serve", "orders.md", "--data", "o.db", "--port", "0", "--webhooks-to-loopback", ...args], {
    folder,
  });
  const url = await addressOf(running);
  const client = createClient({ timeoutMilliseconds: 30_000, maximumBytes: 1_000_000 });
  t.after(() => client.close());
  return {
    running,
    url,
    async send(method, target, body, headers = {}) {
      const fields = {
        Authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...headers,
      };
      const text = typeof body === "string" ? body : JSON.stringify(body);
      const response = await client.send({
        method,
        url: url + target,
        headers: fields,
        ...(body === undefined ? {} : { body: text }),
      });
      assert(isResponse(response), JSON.stringify(response));
      return response;
    },
  };
}

function member(response: Response, name: string): string {
  const value = (response.json as Record<string, unknown> | undefined)?.[name];
  return typeof value === "string" ? value : assert.fail(`${response.status} ${response.text}`);
}

test("a service with a test clock", async (t) => {
  const subject = await serve(t, ["--test-clock"]);
  const advance = async (duration: string): Promise<number> =>
    Date.parse(member(await subject.send("POST", path, { advance: duration }), "now"));
  const addOrder = async (headers: Readonly<Record<string, string>> = {}): Promise<Response> => {
    const response = await subject.send("POST", "/orders", { email: "a@shop.example", margin: 1 }, headers);
    assert(response.status < 300, response.text);
    return response;
  };

  await t.test("says so at its start, in the report and in the log", async () => {
    while (!/"path"|path=/.test(subject.running.output)) await new Promise((resolve) => setTimeout(resolve, 10));
    const { output } = subject.running;
    assert(output.includes(`test clock: anyone on this machine can move the time, at ${subject.url}${path}\n`), output);
    assert.match(output, /warn.*test clock: anyone on this machine can move the time of this service/i);
  });

  await t.test(
    "shows its time, which goes on, and moves it by durations of ISO 8601 and of documents, or to an instant",
    async () => {
      const first = await subject.send("GET", path);
      assert.equal(first.headers["content-type"], "application/json");
      assert.deepEqual(Object.keys(first.json as object), ["now"]);
      assert.match(member(first, "now"), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      let time = Date.parse(member(first, "now"));
      assert(Math.abs(time - Date.now()) < 30_000);
      for (const [duration, milliseconds] of [
        ["PT90M", 1.5 * hour],
        ["1h30m", 1.5 * hour],
        ["P1DT0.5S", day + 500],
        ["0s", 0],
      ] as const) {
        const now = await advance(duration);
        assert(now >= time + milliseconds && now < time + milliseconds + 30_000, duration);
        time = now;
      }
      const to = new Date(time + 2 * hour).toISOString();
      const there = Date.parse(member(await subject.send("POST", path, { now: to }), "now"));
      assert(there >= Date.parse(to) && there < Date.parse(to) + 30_000);
      assert(Date.parse(member(await subject.send("GET", path), "now")) >= there);
      const months = await advance("P1M");
      assert.equal(new Date(months).getUTCMonth(), (new Date(there).getUTCMonth() + 1) % 12);
    },
  );

  await t.test(
    "another body is 400, another media type 415, another method 405, and none of them moves the time",
    async () => {
      const start = Date.parse(member(await subject.send("GET", path), "now"));
      for (const body of [
        "",
        "{",
        "[]",
        '"PT1H"',
        "{}",
        '{"advance":3600}',
        '{"advance":"-PT1H"}',
        '{"advance":"PT"}',
        '{"advance":"48 hours"}',
        '{"advance":"P9999Y"}',
        '{"advance":"P999999999999Y"}',
        '{"advance":"PT1H","now":"2999-01-01T00:00:00Z"}',
        '{"advance":"PT1H","advance":"PT2H"}',
        '{"now":"tomorrow"}',
        '{"now":"2999-01-01"}',
        '{"now":"2020-01-01T00:00:00Z"}',
        '{"later":"PT1H"}',
      ]) {
        const response = await subject.send("POST", path, body);
        assert.deepEqual([response.status, member(response, "code")], [400, "invalid-request"], body);
        assert.equal(response.headers["content-type"], "application/problem+json");
        assert.equal(member(response, "request_id"), response.headers["request-id"]);
      }
      const past = await subject.send("POST", path, { now: "2020-01-01T00:00:00Z" });
      assert.match(member(past, "detail"), /^now must not be before 20/);
      const other = await subject.send("POST", path, { advance: "later" });
      assert.match(member(other, "detail"), /^The body must be \{ "advance": "PT48H" \} or \{ "now": "20/);
      const type = { "Content-Type": "text/plain" };
      assert.equal((await subject.send("POST", path, { advance: "PT1H" }, type)).status, 415);
      for (const method of ["PUT", "DELETE", "PATCH"]) {
        const response = await subject.send(method, path, { advance: "PT1H" });
        assert.deepEqual([response.status, response.headers["allow"]], [405, "GET, HEAD, POST, OPTIONS"], method);
      }
      assert.equal((await subject.send("POST", path, `{"advance":"${"1".repeat(2000)}h"}`)).status, 413);
      assert(Date.parse(member(await subject.send("GET", path), "now")) < start + hour / 2);
    },
  );

  await t.test("a timer has fired when the clock has moved, at once and not before", async () => {
    const id = member(await addOrder(), "id");
    assert.equal((await subject.send("POST", `/orders/${id}/pay`)).status, 200);
    await advance("PT47H");
    assert.equal(member(await subject.send("GET", `/orders/${id}`), "state"), "paid");
    await advance("PT1H");
    assert.equal(member(await subject.send("GET", `/orders/${id}`), "state"), "shipped");
  });

  await t.test("many timers have all fired", async () => {
    const ids: string[] = [];
    for (let count = 0; count < 100; count += 1) ids.push(member(await addOrder(), "id"));
    for (const id of ids) await subject.send("POST", `/orders/${id}/pay`);
    await advance("48h");
    for (const [index, id] of ids.entries()) {
      // Three requests an hour are allowed.
      if (index % 3 === 0) await advance("1h");
      assert.equal(member(await subject.send("GET", `/orders/${id}`), "state"), "shipped");
    }
  });

  await t.test("the window of a rate ends", async () => {
    await advance("PT1H");
    const id = member(await addOrder(), "id");
    const statuses = async (): Promise<number[]> => {
      const all: number[] = [];
      for (let count = 0; count < 4; count += 1) all.push((await subject.send("GET", `/orders/${id}`)).status);
      return all;
    };
    assert.deepEqual(await statuses(), [200, 200, 200, 429]);
    const limited = await subject.send("GET", `/orders/${id}`);
    const seconds = Number(limited.headers["retry-after"]);
    assert(seconds > 3500 && seconds <= 3600, String(seconds));
    await advance(`PT${seconds}S`);
    assert.deepEqual(await statuses(), [200, 200, 200, 429]);
  });

  await t.test("an idempotency key is forgotten after its time", async () => {
    const key = { "Idempotency-Key": '"once"' };
    const first = member(await addOrder(key), "id");
    await advance("PT23H");
    assert.equal(member(await addOrder(key), "id"), first);
    await advance("PT2H");
    assert.notEqual(member(await addOrder(key), "id"), first);
  });

  await t.test("a webhook is retried promptly when its time has come, with the time of the service", async (t) => {
    const hooks = await createReceiver();
    t.after(() => hooks.close());
    hooks.reply("/hook", { status: 500 }, { status: 500 }, { status: 204 });
    const endpoint = await subject.send("POST", "/webhooks", { url: hooks.url("/hook"), events: ["order.placed"] });
    const id = member(await addOrder(), "id");
    assert.equal((await hooks.until("/hook", 1, 30_000)).length, 1);
    // The outcome of the first attempt has to be stored before the clock moves.
    const attempts = async (): Promise<number> => {
      const { json } = await subject.send("GET", `/webhooks/${member(endpoint, "id")}/deliveries`);
      const [delivery] = (json as unknown as { items: { attempts: unknown[] }[] }).items;
      return delivery?.attempts.length ?? 0;
    };
    for (const [tries, duration] of [
      [1, "PT30M"],
      [1, "PT42M"],
      [2, "PT29H"],
    ] as const) {
      while ((await attempts()) < tries) await new Promise((resolve) => setTimeout(resolve, 20));
      await advance(duration);
      // Twenty minutes too early nothing comes; a delay is the declared one, give or take a fifth.
      const expected = duration === "PT30M" ? 1 : tries + 1;
      const received = await hooks.until("/hook", expected, 30_000);
      assert.equal(received.length, expected, duration);
      const last = received.at(-1);
      assert(last !== undefined && Buffer.from(last.body).toString().includes(id));
      const now = Date.parse(member(await subject.send("GET", path), "now"));
      const at = duration === "PT30M" ? now - hour / 2 : now;
      assert.equal(webhookProblem(last, member(endpoint, "secret"), at), undefined);
    }
    assert.equal(new Set(hooks.received("/hook").map(({ headers }) => headers["webhook-id"])).size, 1);
  });

  await t.test("a version ends with its sunset, and a key with its time", async () => {
    const status = async (version: string): Promise<number> =>
      (await subject.send("GET", "/orders/ord_x", undefined, { Version: version })).status;
    assert.deepEqual([await status("1"), await status("2")], [404, 404]);
    await advance("P25D");
    assert.deepEqual([await status("1"), await status("2")], [410, 404]);
    await advance("P40D");
    assert.equal(await status("2"), 401);
  });

  await t.test("the conformance test's client of test clocks moves it", async (t) => {
    const client = createClient({ timeoutMilliseconds: 30_000, maximumBytes: 1000 });
    t.after(() => client.close());
    const clock = createTestClock(client.send, subject.url + path);
    const start = await clock.now();
    await clock.advance(48 * hour + 1);
    assert((await clock.now()) >= start + 48 * hour + 1);
  });
});

test("without the flag there is no test clock", async (t) => {
  const subject = await serve(t, []);
  for (const method of ["GET", "POST"])
    assert.equal((await subject.send(method, path, method === "POST" ? { advance: "PT1H" } : undefined)).status, 404);
  assert(!subject.running.output.includes("test clock"));
});

for (const host of ["0.0.0.0", "::", "192.0.2.1", "127.0.0.1.example.com"])
  test(`a service that listens on ${host} has no test clock`, async () => {
    const args = ["serve", "examples/parcel-lockers.md", "--data", "memory", "--test-clock", "--host", host];
    assert.deepEqual(await finishedHere(args, { folder: root, environment: { DOOR_SECRET: "x" } }), {
      code: 2,
      output: `nonet serve: --test-clock needs --host 127.0.0.1, so that only this machine can move the time; not ${host}\n`,
    });
  });

for (const host of ["127.0.0.1", "127.1.2.3", "::1", "localhost"])
  test(`only this machine reaches ${host}`, () => assert(isLoopback(host)));

test("a service whose pages are off, and whose document changes, keeps its clock", async (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, "orders.md");
  writeFileSync(file, document);
  const args = ["serve", "orders.md", "--data", "memory", "--port", "0", "--test-clock", "--watch", "--pages", "off"];
  const running = nonet(t, args, { folder });
  const url = await addressOf(running);
  const send = async (body: string): Promise<number> => {
    const response = await fetch(url + path, { method: "POST", headers: { "Content-Type": "application/json" }, body });
    return Date.parse(((await response.json()) as { now: string }).now);
  };
  const moved = await send('{"advance":"PT48H"}');
  writeFileSync(file, readFileSync(file, "utf8").replace("margin: integer(0..100)", "margin: integer(0..99)"));
  await running.says(/is served as it is now/);
  assert((await send('{"advance":"PT0S"}')) >= moved);
});
