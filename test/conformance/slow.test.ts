/** Slow machines: what comes late is not broken, and what does not come, or comes at a wrong time, is. */
import assert from "node:assert/strict";
import { request as forward, type RequestListener } from "node:http";
import { describe, test, type TestContext } from "node:test";
import type { Receiver } from "../../src/conformance/receiver.ts";
import type { Report } from "../../src/conformance/result.ts";
import { type Block, crud, documentOf } from "../enforced/document.ts";
import { run } from "../serve/running.ts";
import { httpServer } from "./http-server.ts";
import { serveTimed } from "./mutants/served.ts";
import { type ServedTest, testRunning, testServed } from "./served.ts";

function brokenIn({ cases }: Report): readonly string[] {
  return cases.flatMap((one) => (one.kind === "broken" ? [one.id] : []));
}

function reasonsIn({ cases }: Report): string {
  return cases.map((one) => (one.kind === "not tried" ? one.reason : "")).join("\n");
}

/** Selects the cases of the line of a text. */
function lineOf(document: string, text: string): readonly string[] {
  return [String(document.slice(0, document.indexOf(text)).split("\n").length)];
}

// ── Responses ────────────────────────────────────────────────────────────────────────────────────────────────────────

const things = documentOf({
  resources: { Thing: { id: "id(thi)", name: "string(1..40)" } },
  endpoints: { endpoints: crud },
});

interface Slow extends Omit<ServedTest, "served"> {
  /** The document that is served, if it is not the one with which it is tested. */
  readonly served?: string;
  /** Returns how long a request waits before the service gets it, in milliseconds. */
  readonly delay: (method: string, url: string) => number;
}

/** Tests a service behind a slow network. */
async function testSlow(t: TestContext, text: string, { delay, served = text, ...rest }: Slow): Promise<Report> {
  await using running = await serveTimed(served, { store: "memory" });
  const respond: RequestListener = (incoming, response) => {
    const { headers, method = "", url = "" } = incoming;
    const pass = (): void => {
      const options = { host: "127.0.0.1", port: running.port, method, path: url, headers, agent: false };
      const sent = forward(options, (answer) => {
        response.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(response);
      });
      sent.on("error", () => response.destroy());
      incoming.pipe(sent);
    };
    setTimeout(pass, delay(method, url)).unref();
  };
  const url = await httpServer(t, respond);
  return await testRunning(text, { ...running, url }, rest);
}

void describe("a response that takes longer than a client waits", () => {
  /** Delays the requests of one operation: the first ones, or all of them. */
  const delayed = (slowest: number) => {
    let count = 0;
    return (method: string) => (method === "PATCH" && (count += 1) <= slowest ? 5000 : 0);
  };
  const options = { timeoutMilliseconds: 1000, only: ["purpose"] };

  void test("is no mistake if it happens once", async (t) => {
    assert.deepEqual(brokenIn(await testSlow(t, things, { ...options, delay: delayed(1) })), []);
  });

  void test("is found if the operation never responds", async (t) => {
    const report = await testSlow(t, things, { ...options, delay: delayed(Number.POSITIVE_INFINITY) });
    const got = report.cases.flatMap((one) => (one.kind === "broken" ? [one.got] : []));
    assert.ok(got.includes("no response within 1s"), got.join("\n"));
  });
});

// ── Timers ───────────────────────────────────────────────────────────────────────────────────────────────────────────

function timed(moves: Block): string {
  return documentOf({
    resources: { Thing: { id: "id(thi)", name: "string(1..40)" } },
    states: { Thing: { states: ["new", "ready", "lost"], start: "new", final: ["lost", "ready"], moves } },
    endpoints: { endpoints: crud },
  });
}

const soon = timed({ "new -> ready": "after 1s" });

void describe("a timer of a second", () => {
  void test("breaks nothing if each request takes long", async (t) => {
    const report = await testSlow(t, soon, { only: lineOf(soon, "after 1s"), delay: () => 500 });
    assert.deepEqual(brokenIn(report), []);
    assert.match(reasonsIn(report), /^the responses took longer than/m);
  });

  const rows: readonly (readonly [what: string, moves: Block])[] = [
    ["does not fire", {}],
    ["fires a minute late", { "new -> ready": "after 1m" }],
    ["leads to another state", { "new -> lost": "after 1s" }],
  ];
  for (const [what, moves] of rows)
    void test(`is found if it ${what}`, async () => {
      const report = await testServed(soon, { served: timed(moves), only: ["states"], eventMilliseconds: 500 });
      assert.ok(
        brokenIn(report).some((id) => id.startsWith("states/Thing/moves/new -> ready")),
        brokenIn(report).join("\n"),
      );
    });
});

/** A document whose responses do not show the state. */
function hidden(moves: Block): string {
  return documentOf({
    resources: {
      Thing: { id: "id(thi)", name: "string(1..40)" },
      views: { Bare: { of: "Thing", fields: ["id", "name"] } },
    },
    states: { Thing: { states: ["new", "ready", "done"], start: "new", final: "done", moves } },
    endpoints: {
      endpoints: {
        addThing: { at: "POST /things", gives: "Bare" },
        getThing: { at: "GET /things/{id}", gives: "Bare" },
        finish: { at: "POST /things/{id}/finish", gives: "Bare" },
      },
    },
  });
}

void describe("a timer that no response shows", () => {
  const moves = { "new -> ready": "after 1m", "ready -> done": "by finish" };
  const options = { only: ["states"], eventMilliseconds: 500 };
  const finished = "states/Thing/moves/ready -> done";

  void test("may fire a moment after the clock has moved, in another process", async () => {
    await using running = await run(hidden(moves), { store: "memory" });
    const timers = new Set<NodeJS.Timeout>();
    const tick = async (): Promise<number> => {
      timers.add(setTimeout(() => void running.tick(), 700));
      return 0;
    };
    const report = await testRunning(hidden(moves), { ...running, tick }, options);
    for (const timer of timers) clearTimeout(timer);
    assert.deepEqual(brokenIn(report), []);
    assert.match(reasonsIn(report), /it held at a second try/);
  });

  void test("is found if it does not fire", async () => {
    const served = hidden({ ...moves, "new -> ready": "after 1y" });
    const report = await testServed(hidden(moves), { served, ...options });
    assert.ok(
      brokenIn(report).some((id) => id.startsWith(finished)),
      brokenIn(report).join("\n"),
    );
  });
});

// ── Events ───────────────────────────────────────────────────────────────────────────────────────────────────────────

const sending = documentOf({
  resources: { Thing: { id: "id(thi)", name: "string(1..40)" } },
  endpoints: { endpoints: crud },
  events: {
    out: { "thing.added": "addThing" },
    delivery: {
      webhook: { subscribe: "POST /webhooks", for: "anyone", signed: "standard-webhooks", retry: "1h", timeout: "5s" },
    },
  },
});

void describe("an event", () => {
  const eventMilliseconds = 300;
  const only = lineOf(sending, "thing.added");

  void test("may be late on a slow machine", async () => {
    const hidden = 8 * eventMilliseconds;
    const receiver = (one: Receiver): Receiver => ({
      ...one,
      received: (path) => one.received(path).filter(({ arrivedAt }) => Date.now() - arrivedAt > hidden),
    });
    const { cases } = await testServed(sending, { eventMilliseconds, only, receiver });
    const found = cases.find(({ id }) => id === "events/out/thing.added: webhook");
    assert.equal(found?.kind, "holds");
  });

  void test("is missing if it does not come with more patience either", async () => {
    await using running = await run(sending, { store: "memory" });
    const receiver = (one: Receiver): Receiver => ({ ...one, received: () => [] });
    const report = await testRunning(sending, running, { eventMilliseconds, only, receiver });
    assert.ok(brokenIn(report).includes("events/out/thing.added: webhook"), reasonsIn(report));
  });
});
