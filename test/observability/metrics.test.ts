/** Metrics: their format for Prometheus, that each matches its description, and the same for an OpenTelemetry SDK. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pass } from "node:timers/promises";
import { metrics } from "@opentelemetry/api";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { openAdmin } from "../../src/observability/admin.ts";
import { createMetrics, type Metrics } from "../../src/observability/metrics.ts";
import { exportToOpenTelemetry } from "../../src/observability/metrics-opentelemetry.ts";
import { metricsText, prometheusName } from "../../src/observability/metrics-prometheus.ts";
import { metricDefinitions } from "../../src/observability/metric-definitions.ts";
import { createHealthReport } from "../../src/observability/health-report.ts";
import { createLog, type Line } from "../../src/observability/log.ts";
import { createMonitoring } from "../../src/observability/monitoring.ts";
import { watchProcess } from "../../src/observability/process-metrics.ts";
import { createBacklog, watchService } from "../../src/observability/service-metrics.ts";
import { createTelemetry } from "../../src/runtime/telemetry.ts";
import { StoreError } from "../../src/store/port/error.ts";
import { tableRows } from "../docs/fences.ts";
import { createReceiver } from "../serve/receiver.ts";
import { by, documentText, serve, stores } from "../serve/scenario.ts";
import { aTool, once, peopleOf, toolLibrary } from "../serve/tool-library.ts";
import { readExposition, valueOf } from "./exposition.ts";

async function textOf(serviceMetrics: Metrics): Promise<string> {
  return metricsText(await serviceMetrics.read());
}

test("a histogram counts what is at most a bound, and each label is escaped", async () => {
  const serviceMetrics = createMetrics();
  const labels = ["GET", '/a/{b}"\\\n', "2xx"];
  for (const seconds of [0.005, 0.005_000_1, 10, 11])
    serviceMetrics.record("http.server.request.duration", seconds, labels);
  serviceMetrics.add("nonet.requests.refused", ["rate-limited"]);
  serviceMetrics.add("nonet.requests.refused", ["rate-limited"], 2);
  serviceMetrics.observe("nonet.streams", () => [{ labels: [], value: 7 }]);
  serviceMetrics.observe("nonet.journal.lag", () => Promise.reject(new Error("the store is gone")));
  serviceMetrics.observe("nonet.timers.overdue", () => []);
  const families = readExposition(await textOf(serviceMetrics));
  const name = "http_server_request_duration_seconds";
  const of = (suffix: string, more: object = {}) =>
    valueOf(families, name + suffix, { route: labels[1] ?? "", ...more });
  assert.deepEqual(
    ["0.005", "0.01", "7.5", "10", "+Inf"].map((le) => of("_bucket", { le })),
    [1, 2, 2, 3, 4],
  );
  assert.equal(of("_count"), 4);
  assert.equal(valueOf(families, "nonet_requests_refused_total", { code: "rate-limited" }), 3);
  assert.equal(valueOf(families, "nonet_streams"), 7);
  // What cannot be told is left out, and the others are there; what an alert waits for begins with 0.
  assert.deepEqual(
    [...families.keys()],
    [
      name,
      "nonet_requests_refused_total",
      "nonet_streams",
      "nonet_webhooks_disabled_total",
      "nonet_store_failures_total",
    ],
  );
  assert.equal(valueOf(families, "nonet_requests_refused_total", { code: "overloaded" }), 0);
  assert.equal(valueOf(families, "nonet_store_failures_total", { kind: "disk" }), 0);
  assert.equal(valueOf(families, "nonet_webhooks_disabled_total"), 0);
});

test("names are made as OpenTelemetry's specification says, and the reference has all of them", () => {
  const rows = tableRows("docs/reference/metrics.md", "All metrics").map((row) =>
    row.map((cell) => cell.replaceAll("`", "")),
  );
  assert.deepEqual(
    rows.map(([prometheus, otel, kind, labels]) => [prometheus, otel, kind, labels]),
    metricDefinitions.map(([name, figure]) => [
      prometheusName(name, figure),
      name,
      figure.kind,
      (figure.labels ?? []).join(", "),
    ]),
  );
  for (const [name, figure] of metricDefinitions) {
    assert.match(prometheusName(name, figure), /^[a-z][a-z0-9_]*$/);
    assert.equal(figure.bounds !== undefined, figure.kind === "histogram", name);
  }
});

for (const store of stores) {
  test(`what a service does is in its figures and its log (${store})`, async () => {
    const serviceMetrics = createMetrics();
    const lines: Line[] = [];
    const log = createLog(
      { write: (line) => lines.push(line), close: () => Promise.resolve() },
      { level: "debug", now: () => 0, redact: (text) => text },
    );
    const oversight = createMonitoring({ log, serviceMetrics, slowMilliseconds: 0 });
    await using subject = await serve(documentText("orders"), {
      store,
      oversight,
      around: (inner) => oversight.store(inner),
    });
    const { running } = subject;
    const seen = { plan: running.plan, store: running.store, service: { streams: () => 0 }, background: { lag: () => Promise.resolve(3) } }; // biome-ignore format: short
    const backlog = createBacklog(() => running.now());
    watchService(
      serviceMetrics,
      () => seen,
      backlog,
      () => running.now(),
    );
    await using receiver = await createReceiver();
    receiver.answer = () => ({ status: 410 });
    const authorization = by(await running.key("mia", "shop"));
    const send = async (path: string, body: object): Promise<unknown> => {
      const reply = await subject.client.send({ method: "POST", path, headers: authorization, body });
      assert(reply.status < 300, reply.text);
      return reply.json;
    };
    const endpoint = (await send("/webhooks", { url: receiver.url })) as { id: string };
    await send("/orders", { email: "a@shop.example", margin: 7, note: "x" });
    await subject.client.send({ method: "GET", path: "/nowhere" });
    await receiver.until(1);
    while (!lines.some(({ message }) => message === "webhook disabled")) await pass(10);

    const families = readExposition(await textOf(serviceMetrics));
    const requests = (labels: object) => valueOf(families, "http_server_request_duration_seconds_count", { ...labels });
    assert.equal(requests({ method: "POST", route: "/orders", status: "2xx" }), 1);
    assert.equal(requests({ method: "GET", route: "_OTHER", status: "4xx" }), 1);
    assert.equal(valueOf(families, "http_server_active_requests"), 0);
    assert.equal(valueOf(families, "nonet_requests_refused_total", { code: "not-found" }), 1);
    assert.equal(valueOf(families, "nonet_delivery_duration_seconds_count", { outcome: "failed" }), 1);
    assert.equal(valueOf(families, "nonet_webhooks_disabled_total"), 1);
    assert.equal(valueOf(families, "nonet_deliveries_waiting"), 0);
    assert.equal(valueOf(families, "nonet_journal_lag"), 3);
    assert((valueOf(families, "nonet_store_operation_duration_seconds_count", { operation: "transaction" }) ?? 0) > 1);

    const [disabled] = lines.filter(({ message }) => message === "webhook disabled");
    assert.deepEqual([disabled?.level, disabled?.members], ["warn", { webhook: endpoint.id, why: "the receiver is gone" }]); // biome-ignore format: short
    const [delivery] = lines.filter(({ message }) => message === "delivery failed");
    assert.partialDeepStrictEqual(delivery, { level: "warn", members: { webhook: endpoint.id, attempt: 1, status: 410 } }); // biome-ignore format: short
    assert(lines.some(({ message, level }) => message === "slow store" && level === "warn"));
    assert.doesNotMatch(JSON.stringify(lines), /shop\.example|127\.0\.0\.1|Bearer/);
  });

  test(`what waits to be delivered is counted, and is late after a while (${store})`, async () => {
    await using subject = await serve(documentText("orders"), { store });
    const { running } = subject;
    await using receiver = await createReceiver();
    receiver.answer = () => ({ status: 500 });
    const authorization = by(await running.key("mia", "shop"));
    const post = (path: string, body: object) => subject.client.send({ method: "POST", path, headers: authorization, body }); // biome-ignore format: short
    await post("/webhooks", { url: receiver.url });
    await post("/orders", { email: "a@shop.example", margin: 7, note: "x" });
    await receiver.until(1);
    let later = 0;
    const now = (): number => running.now() + later;
    const backlog = createBacklog(now);
    const seen = { plan: running.plan, store: running.store, service: { streams: () => 0 }, background: { lag: () => Promise.resolve(0) } }; // biome-ignore format: short
    const health = createHealthReport({ current: () => seen, now, backlog, version: "1.2.3" });
    const fresh = await health("pass");
    assert.partialDeepStrictEqual(fresh, { status: "pass", serviceId: "orders", releaseId: "1.2.3" });
    later = 901_000;
    const late = await health("pass");
    assert.partialDeepStrictEqual(late, {
      status: "warn",
      checks: {
        "deliveries:oldest": [{ status: "warn", observedUnit: "s" }],
        "deliveries:waiting": [{ observedValue: 1 }],
      },
    });
    assert.deepEqual(await health("fail"), {
      status: "fail",
      serviceId: "orders",
      releaseId: "1.2.3",
      checks: { "store:ready": [{ componentType: "datastore", status: "fail" }] },
    });
  });

  test(`what time does is told with how late it was, and a busy store is counted (${store})`, async () => {
    const serviceMetrics = createMetrics();
    const log = createLog({ write: () => {}, close: () => Promise.resolve() }, { level: "off", now: () => 0, redact: (text) => text }); // biome-ignore format: short
    const oversight = createMonitoring({ log, serviceMetrics, slowMilliseconds: undefined });
    let busy = false;
    await using subject = await serve(toolLibrary, {
      store,
      oversight,
      around: (inner) =>
        oversight.store({
          ...inner,
          transaction: (work) => (busy ? Promise.reject(new StoreError("busy", "busy")) : inner.transaction(work)),
        }),
    });
    const { running } = subject;
    const who = await peopleOf(subject);
    busy = true;
    const shed = await subject.client.send({ method: "POST", path: "/tools", headers: { ...who.member, ...once() }, body: aTool() }); // biome-ignore format: short
    busy = false;
    assert.equal(shed.status, 503);
    const families = readExposition(await textOf(serviceMetrics));
    assert.equal(valueOf(families, "nonet_store_failures_total", { kind: "busy" }), 1);
    assert.equal(valueOf(families, "nonet_requests_refused_total", { code: "overloaded" }), 1);
    assert.deepEqual(running.failures, []);
  });
}

test("a timer that is late says by how much", async () => {
  const serviceMetrics = createMetrics();
  const log = createLog({ write: () => {}, close: () => Promise.resolve() }, { level: "off", now: () => 0, redact: (text) => text }); // biome-ignore format: short
  const oversight = createMonitoring({ log, serviceMetrics, slowMilliseconds: undefined });
  oversight.time("done", 1500);
  oversight.time("refused", 0);
  const families = readExposition(await textOf(serviceMetrics));
  const name = "nonet_timer_delay_seconds";
  assert.equal(valueOf(families, `${name}_bucket`, { outcome: "done", le: "1" }), 0);
  assert.equal(valueOf(families, `${name}_bucket`, { outcome: "done", le: "2.5" }), 1);
  assert.equal(valueOf(families, `${name}_count`, { outcome: "refused" }), 1);
});

test("the operator's port tells who may know, and nothing else is there", async () => {
  const serviceMetrics = createMetrics();
  const stop = watchProcess(serviceMetrics);
  let isUp = true;
  const open = (token: string | undefined) =>
    openAdmin({
      host: "127.0.0.1",
      port: 0,
      token,
      serviceMetrics,
      status: () => Promise.resolve(isUp ? "pass" : "fail"),
      health: (status) => Promise.resolve({ status: status === "pass" ? "warn" : "fail", checks: {} }),
      report: (failure) => assert.fail(String(failure)),
    });
  const closed = await open("hunter22");
  const opened = await open(undefined);
  const operator = { Authorization: "Bearer hunter22" };
  type Row = readonly [port: number, path: string, headers: Record<string, string>, status: number, body: RegExp];
  const rows: readonly Row[] = [
    [closed.port, "/metrics", {}, 401, /^this needs the operator's token\n$/],
    [closed.port, "/metrics", { Authorization: "Bearer hunter23" }, 401, /token/],
    [closed.port, "/metrics", { Authorization: "Basic hunter22" }, 401, /token/],
    [closed.port, "/metrics", operator, 200, /^# HELP nodejs_eventloop_delay_p50_seconds /m],
    [closed.port, "/metrics?x=1", operator, 200, /process_uptime_seconds \d/],
    [closed.port, "/readyz", {}, 200, /^\{"status":"pass"\}$/],
    [closed.port, "/readyz", operator, 200, /^\{"status":"warn","checks":\{\}\}$/],
    [closed.port, "/livez", {}, 200, /^\{"status":"pass"\}$/],
    [closed.port, "/", operator, 404, /there are/],
    [closed.port, "/openapi.json", operator, 404, /there are/],
    [opened.port, "/metrics", {}, 200, /# TYPE v8js_memory_heap_used_bytes gauge/],
    [opened.port, "/readyz", {}, 200, /"warn"/],
  ];
  for (const [port, path, headers, status, body] of rows) {
    const reply = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
    assert.equal(reply.status, status, path);
    assert.match(await reply.text(), body, path);
    assert.equal(reply.headers.get("cache-control"), "no-store");
  }
  const posted = await fetch(`http://127.0.0.1:${opened.port}/metrics`, { method: "POST" });
  assert.equal(posted.status, 405);
  isUp = false;
  for (const { port } of [closed, opened]) assert.equal((await fetch(`http://127.0.0.1:${port}/readyz`)).status, 503);
  readExposition(await (await fetch(`http://127.0.0.1:${opened.port}/metrics`)).text());
  stop();
  await closed.close();
  await opened.close();
});

test("R1.5 an SDK of OpenTelemetry is told the same, under the same names and in the same units", async () => {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const provider = new MeterProvider({ readers: [reader] });
  metrics.setGlobalMeterProvider(provider);
  const serviceMetrics = createMetrics();
  exportToOpenTelemetry(serviceMetrics);
  const log = createLog({ write: () => {}, close: () => Promise.resolve() }, { level: "off", now: () => 0, redact: (text) => text }); // biome-ignore format: short
  const oversight = createMonitoring({ log, serviceMetrics, slowMilliseconds: undefined });
  const stop = watchProcess(serviceMetrics);
  {
    await using subject = await serve(toolLibrary, {
      oversight,
      around: (inner) => oversight.store(inner),
      observe: (url) => createTelemetry(url),
    });
    await subject.client.send({ method: "GET", path: "/tools" });
    oversight.time("done", 250);
    await reader.forceFlush();
  }
  stop();
  const [resource] = exporter.getMetrics();
  const told = new Map(
    (resource?.scopeMetrics ?? []).flatMap((scope) => scope.metrics.map((one) => [one.descriptor.name, one] as const)),
  );
  const rows: readonly (readonly [name: string, unit: string, value: (value: unknown) => void, attributes?: object])[] =
    [
      [
        "http.server.request.duration",
        "s",
        (value) =>
          assert.partialDeepStrictEqual(value, {
            count: 1,
            buckets: { boundaries: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10] },
          }),
        { "http.route": "/tools", "http.request.method": "GET" },
      ],
      ["http.server.active_requests", "{request}", (value) => assert.equal(value, 0)],
      ["nonet.timer.delay", "s", (value) => assert.partialDeepStrictEqual(value, { count: 1, sum: 0.25 }), { outcome: "done" }], // biome-ignore format: short
      ["nodejs.eventloop.delay.p99", "s", (value) => assert.equal(typeof value, "number")],
      ["v8js.memory.heap.used", "By", (value) => assert(Number(value) > 1_000_000)],
    ];
  for (const [name, unit, judge, attributes = {}] of rows) {
    const found = told.get(name);
    assert.equal(found?.descriptor.unit, unit, name);
    assert.equal(found.dataPoints.length, 1, name);
    assert.partialDeepStrictEqual(found.dataPoints[0]?.attributes, attributes);
    judge(found.dataPoints[0]?.value);
  }
  await provider.shutdown();
  metrics.disable();
});
