/**
 * Defines all metrics of a service as data; the reference documentation and the Prometheus names are generated from it. Names
 * follow OpenTelemetry's semantic conventions.
 */

export interface MetricDefinition {
  readonly kind: "counter" | "gauge" | "histogram";
  /** The unit in UCUM notation; counted things are in braces. */
  readonly unit: string;
  readonly about: string;
  readonly labels?: readonly string[];
  /**
   * Label values of a counter that start with 0. Prometheus detects no increase if a counter first appears with 1, so an alert
   * on a single event would never fire.
   */
  readonly known?: readonly (readonly string[])[];
  /** The upper bounds of a histogram. */
  readonly bounds?: readonly number[];
}

/** The bounds in seconds that OpenTelemetry recommends for requests. */
const requestBounds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
const storeBounds = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const lateBounds = [0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600];

const all = {
  "http.server.request.duration": {
    kind: "histogram",
    unit: "s",
    about: "requests by template of the path and class of the status; `_OTHER` where the path or the method is unknown",
    labels: ["method", "route", "status"],
    bounds: requestBounds as readonly number[],
  },
  "http.server.active_requests": {
    kind: "gauge",
    unit: "{request}",
    about: "requests that have begun and are not answered",
  },
  "nonet.requests.refused": {
    kind: "counter",
    unit: "{request}",
    about:
      "requests by the code of the error: `rate-limited` is a limit, `quota-exceeded` a quota, `overloaded` was shed",
    labels: ["code"],
    known: [["overloaded"], ["rate-limited"], ["quota-exceeded"], ["unauthenticated"]],
  },
  "nonet.streams": { kind: "gauge", unit: "{stream}", about: "event streams that are open" },
  "nonet.delivery.duration": {
    kind: "histogram",
    unit: "s",
    about: "attempts to deliver to a webhook: `delivered`, `again` is tried later, `failed` is given up",
    labels: ["outcome"],
    bounds: requestBounds as readonly number[],
  },
  "nonet.deliveries.waiting": { kind: "gauge", unit: "{delivery}", about: "deliveries that have not arrived yet" },
  "nonet.deliveries.oldest": { kind: "gauge", unit: "s", about: "how long the oldest of them has waited" },
  "nonet.webhooks.disabled": {
    kind: "counter",
    unit: "{webhook}",
    about: "endpoints that were disabled since they take nothing",
    known: [[]],
  },
  "nonet.journal.lag": {
    kind: "gauge",
    unit: "{entry}",
    about: "entries of the journal that have not been looked at for webhooks",
  },
  "nonet.timer.delay": {
    kind: "histogram",
    unit: "s",
    about: "how late what time does was done: `done`, `refused` by the document's own rules, `failed`",
    labels: ["outcome"],
    bounds: lateBounds as readonly number[],
  },
  "nonet.timers.overdue": { kind: "gauge", unit: "s", about: "how long the record that is due longest has been due" },
  "nonet.store.operation.duration": {
    kind: "histogram",
    unit: "s",
    about: "the store's work: `read`, `list`, `transaction`; of a transaction until it is durable",
    labels: ["operation"],
    bounds: storeBounds as readonly number[],
  },
  "nonet.store.failures": {
    kind: "counter",
    unit: "{failure}",
    about: "operations that the store did not do: `busy`, `disk`, `unreachable`, `closed`, or `other`",
    labels: ["kind"],
    known: [["busy"], ["disk"], ["unreachable"], ["closed"], ["other"]],
  },
  "nonet.store.retries": {
    kind: "counter",
    unit: "{transaction}",
    about: "transactions begun again on PostgreSQL: others were in the way, or the connection was lost",
  },
  "nonet.store.connections": {
    kind: "gauge",
    unit: "{connection}",
    about: "connections to PostgreSQL: `used`, `idle`",
    labels: ["state"],
  },
  "nonet.store.waiting": {
    kind: "gauge",
    unit: "{request}",
    about: "what waits for a connection to PostgreSQL",
  },
  "nodejs.eventloop.delay.p50": {
    kind: "gauge",
    unit: "s",
    about: "delay of the event loop since the last reading, median",
  },
  "nodejs.eventloop.delay.p99": { kind: "gauge", unit: "s", about: "the same, 99th percentile" },
  "nodejs.eventloop.delay.max": { kind: "gauge", unit: "s", about: "the same, longest" },
  "nodejs.eventloop.utilization": { kind: "gauge", unit: "1", about: "share of the time that the event loop was busy since the last reading" }, // biome-ignore format: a row
  "v8js.memory.heap.used": { kind: "gauge", unit: "By", about: "JavaScript heap in use" },
  "v8js.memory.heap.limit": { kind: "gauge", unit: "By", about: "what it may grow to" },
  "process.memory.usage": { kind: "gauge", unit: "By", about: "resident memory" },
  "process.cpu.time": { kind: "counter", unit: "s", about: "processor time, of user and system" },
  "process.uptime": { kind: "gauge", unit: "s", about: "since the process started" },
  "process.open_file_descriptors": {
    kind: "gauge",
    unit: "{file_descriptor}",
    about: "open files and sockets; on Linux",
  },
  "nonet.info": {
    kind: "gauge",
    unit: "{process}",
    about: "always 1; what runs",
    labels: ["service", "version", "node", "store"],
  },
} as const;

export type MetricName = keyof typeof all;

export const metricDefinitions: readonly (readonly [MetricName, MetricDefinition])[] = Object.entries(
  all satisfies Readonly<Record<string, MetricDefinition>>,
) as [MetricName, MetricDefinition][];
