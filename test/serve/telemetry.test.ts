/** Each request has a span and a duration (R1.4, R1.5), without confidential data. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { context, propagation, SpanKind } from "@opentelemetry/api";
import type { Observe, Observer } from "../../src/runtime/context/observation.ts";
import { createTelemetry, startSending, traceparentOf } from "../../src/runtime/telemetry.ts";
import { tableRows } from "../docs/fences.ts";
import type { Reply, Sent } from "./client.ts";
import { by, documentText, serve, served, stores } from "./scenario.ts";
import { type Recorded, type RecordedSpan, type RecordedValue, registerSdk } from "./telemetry-sdk.ts";

test("R1.5 without an SDK nothing comes of it", () => {
  assert.equal(traceparentOf(context.active()), undefined);
  const sending = startSending("POST", new URL("https://hooks.example/a"), undefined);
  assert.deepEqual(sending.headers, {});
  sending.ended(200);
});

const traced = "4bf92f3577b34da6a3ce929d0e0e4736";
const caller = `00-${traced}-00f067aa0ba902b7-01`;

let recorded: Recorded;

function withSdk(url: () => string): Observe {
  recorded = registerSdk();
  return createTelemetry(url);
}

served(
  "telemetry",
  documentText("pantries"),
  (subject) => {
    after(() => recorded.forget());

    /** What one request left behind. */
    const follow = async (
      sent: Sent | string,
    ): Promise<{ readonly reply: Reply; readonly span: RecordedSpan; readonly value: RecordedValue }> => {
      recorded.spans.length = 0;
      recorded.values.length = 0;
      const reply = typeof sent === "string" ? (await subject.client.raw(sent, 1))[0] : await subject.client.send(sent);
      const [span, ...spans] = recorded.spans;
      const [value, ...values] = recorded.values;
      assert(reply && span && value);
      assert.deepEqual([spans, values], [[], []], "one of each");
      assert(span.ended);
      assert.equal(span.kind, SpanKind.SERVER);
      return { reply, span, value };
    };

    const rows: readonly (readonly [sent: Sent | string, name: string, path: string, attributes: object])[] = [
      [
        { method: "GET", path: "/v1/pantries?limit=2&q=secret" },
        "GET /v1/pantries",
        "/v1/pantries",
        { "http.response.status_code": 400 },
      ],
      [
        { method: "PUT", path: "/v1/pantries/cellar", body: { opened: "2026-01-01", name: "Cellar" } },
        "PUT /v1/pantries/{id}",
        "/v1/pantries/cellar",
        { "http.response.status_code": 201 },
      ],
      [
        { method: "GET", path: "/v1/pantries/cellar" },
        "GET /v1/pantries/{id}",
        "/v1/pantries/cellar",
        { "http.response.status_code": 200 },
      ],
      [
        { method: "HEAD", path: "/v1/pantries/cellar" },
        "HEAD /v1/pantries/{id}",
        "/v1/pantries/cellar",
        { "http.response.status_code": 200 },
      ],
      [
        { method: "GET", path: "/v1/pantries/cellar/jars" },
        "GET /v1/pantries/{pantry}/jars",
        "/v1/pantries/cellar/jars",
        { "http.response.status_code": 200 },
      ],
      [
        { method: "GET", path: "/v1/pantries/attic" },
        "GET /v1/pantries/{id}",
        "/v1/pantries/attic",
        { "http.response.status_code": 404 },
      ],
      [
        { method: "POST", path: "/v1/pantries/cellar/jars", body: { label: "" } },
        "POST /v1/pantries/{pantry}/jars",
        "/v1/pantries/cellar/jars",
        { "http.response.status_code": 422 },
      ],
      [
        { method: "POST", path: "/v1/pantries/cellar" },
        "POST /v1/pantries/{id}",
        "/v1/pantries/cellar",
        { "http.response.status_code": 405 },
      ],
      [
        { method: "OPTIONS", path: "/v1/pantries" },
        "OPTIONS /v1/pantries",
        "/v1/pantries",
        { "http.response.status_code": 204 },
      ],
      [{ method: "GET", path: "/nowhere/1" }, "GET", "/nowhere/1", { "http.response.status_code": 404 }],
      [{ method: "GET", path: "/livez" }, "GET /livez", "/livez", { "http.response.status_code": 200 }],
      [
        "PROPFIND /v1/pantries HTTP/1.1\r\nHost: x\r\n\r\n",
        "HTTP /v1/pantries",
        "/v1/pantries",
        { "http.response.status_code": 501, "error.type": "not-implemented" },
      ],
      [
        "GET http://x/v1/pantries?a=b HTTP/1.1\r\nHost: x\r\nExpect: more\r\n\r\n",
        "GET",
        "/v1/pantries",
        { "http.response.status_code": 417 },
      ],
    ];
    for (const [sent, name, path, expected] of rows) {
      const asked = typeof sent === "string" ? sent.split(" HTTP")[0] : `${sent.method} ${sent.path}`;
      test(`R1.5 ${asked} is ${name}`, async () => {
        const { reply, span, value } = await follow(sent);
        const known = span.name.split(" ")[0];
        const route = name.split(" ")[1];
        const figures = {
          "http.request.method": known === "HTTP" ? "_OTHER" : known,
          "url.scheme": "http",
          ...(route === undefined ? {} : { "http.route": route }),
          ...expected,
        };
        assert.equal(span.name, name);
        assert.deepEqual(span.attributes, {
          ...figures,
          ...(known === "HTTP" ? { "http.request.method_original": "PROPFIND" } : {}),
          "url.path": path,
          "server.address": "127.0.0.1",
          "server.port": subject.running.port,
          "http.response.header.request-id": [reply.headers["request-id"]],
        });
        assert.equal(span.failed, "error.type" in expected, "R1.5 4xx is no error of a server's");
        const { value: seconds, ...histogram } = value;
        assert.deepEqual(histogram, {
          name: "http.server.request.duration",
          unit: "s",
          boundaries: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
          attributes: figures,
        });
        assert(seconds >= 0 && seconds < 60, "seconds, not milliseconds");
      });
    }

    test("R1.5 the attributes are those of the reference", async () => {
      const seen = new Map<string, boolean>();
      for (const [sent] of rows) {
        const { span, value } = await follow(sent);
        for (const name of Object.keys(span.attributes))
          seen.set(name, (seen.get(name) ?? false) || Object.hasOwn(value.attributes, name));
      }
      const shown = tableRows("docs/reference/http.md", "Telemetry").flatMap(([names = "", , figures = ""]) =>
        names.split(", ").map((name): [string, boolean] => [name.replaceAll("`", ""), figures === "yes"]),
      );
      assert.deepEqual(new Map(shown), seen);
    });

    test("R1.5 what came by TLS is https", async () => {
      const { span, value } = await follow({
        method: "GET",
        path: "/v1/pantries",
        headers: { "X-Forwarded-Proto": "https" },
      });
      assert.equal(span.attributes["url.scheme"], "https");
      assert.equal(value.attributes["url.scheme"], "https");
    });

    test("R1.5 neither credentials nor queries nor bodies are told", async () => {
      const { span, value } = await follow({
        method: "POST",
        path: "/v1/pantries?token=hunter2",
        headers: { ...by("hunter2"), Cookie: "hunter2" },
        body: { id: "hunter2", opened: "2026-01-01", name: "hunter2" },
      });
      assert(!JSON.stringify([span, value]).includes("hunter2"));
    });

    test("R1.4 a caller's trace goes on, with its state", async () => {
      const headers = { Traceparent: caller, Tracestate: "vendor=1" };
      const { span } = await follow({ method: "GET", path: "/v1/pantries", headers });
      assert.equal(span.context.traceId, traced);
      assert.equal(span.parent?.spanId, "00f067aa0ba902b7");
      assert.equal(span.context.traceState?.serialize(), "vendor=1");
    });

    for (const field of [
      "",
      "nonsense",
      caller.toUpperCase(),
      `ff${caller.slice(2)}`,
      `00-${"0".repeat(32)}-00f067aa0ba902b7-01`,
      `00-${traced}-${"0".repeat(16)}-01`,
      [caller, caller],
    ]) {
      test(`R1.4 another one begins silently at ${JSON.stringify(field)}`, async () => {
        const { reply, span } = await follow({ method: "GET", path: "/v1/pantries", headers: { Traceparent: field } });
        assert.equal(reply.status, 200);
        assert.equal(span.parent, undefined);
        assert.notEqual(span.context.traceId, traced);
      });
    }
  },
  { observe: withSdk, proxies: ["127.0.0.1"] },
);

for (const store of stores) {
  test(`R1.5 a failure is an error, by its code, and says nothing more (${store})`, async () => {
    await using subject = await serve(documentText("pantries"), {
      store,
      observe: withSdk,
      around: (inner) => ({ ...inner, transaction: () => Promise.reject(new Error("the disk hunter2 is gone")) }),
    });
    recorded.spans.length = 0;
    const body = { opened: "2026-01-01", name: "Cellar" };
    const reply = await subject.client.send({ method: "PUT", path: "/v1/pantries/cellar", body });
    assert.equal(reply.status, 500);
    const [span] = recorded.spans;
    assert.equal(span?.failed, true);
    assert.equal(span.attributes["error.type"], "internal");
    assert.equal(recorded.values.at(-1)?.attributes["error.type"], "internal");
    assert(!JSON.stringify(recorded).includes("hunter2"));
    recorded.forget();
  });

  test(`R1.4 what runs for a request is in its span, and may be told to others (${store})`, async () => {
    const observers: Observer[] = [];
    const inside: (string | undefined)[] = [];
    await using subject = await serve(documentText("pantries"), {
      store,
      observe: (url) => {
        const observe = withSdk(url);
        return (begun) => {
          const observer = observe(begun);
          observers.push(observer);
          return observer;
        };
      },
      around: (inner) => ({
        ...inner,
        transaction: (work) => {
          inside.push(traceparentOf(context.active()));
          return inner.transaction(work);
        },
      }),
    });
    recorded.spans.length = 0;
    const body = { opened: "2026-01-01", name: "Cellar" };
    await subject.client.send({
      method: "PUT",
      path: "/v1/pantries/cellar",
      headers: { Traceparent: caller },
      body,
    });
    const own = `00-${traced}-${recorded.spans[0]?.context.spanId}-01`;
    assert.deepEqual(inside, [own]);
    assert.equal(observers[0]?.traceparent?.(), own);
    recorded.forget();
  });
}

test("R1.4 what the service sends is a child of what caused it", () => {
  recorded = registerSdk();
  const url = new URL("https://hooks.example/a?key=hunter2");
  const rows = [
    [200, undefined, undefined],
    [410, undefined, "410"],
    [undefined, "blocked-address", "blocked-address"],
  ] as const;
  for (const [status, failure, expected] of rows) {
    recorded.spans.length = 0;
    const sending = startSending("POST", url, caller);
    const [span] = recorded.spans;
    assert.equal(sending.headers["traceparent"], `00-${traced}-${span?.context.spanId}-01`);
    assert.equal(span?.ended, false);
    sending.ended(status, failure);
    assert.equal(span.ended, true);
    assert.equal(span.name, "POST");
    assert.equal(span.kind, SpanKind.CLIENT);
    assert.equal(span.parent?.spanId, "00f067aa0ba902b7");
    assert.deepEqual(span.attributes, {
      "http.request.method": "POST",
      "server.address": "hooks.example",
      "server.port": 443,
      "url.scheme": "https",
      ...(status === undefined ? {} : { "http.response.status_code": status }),
      ...(expected === undefined ? {} : { "error.type": expected }),
    });
    assert.equal(span.failed, expected !== undefined);
  }
  recorded.spans.length = 0;
  startSending("POST", url, undefined).ended(204);
  assert.equal(recorded.spans[0]?.parent, undefined, "without a cause it is a trace of its own");
  assert.deepEqual(propagation.fields(), ["traceparent", "tracestate"]);
  recorded.forget();
});
