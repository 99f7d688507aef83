/** Monitors a service: metrics, health, and the operator's port. */
import process from "node:process";
import type { Clock } from "../base/clock.ts";
import type { Admin } from "../observability/admin.ts";
import { createHealthReport, isOperator } from "../observability/health-report.ts";
import type { Log } from "../observability/log.ts";
import { createMonitoring, type Monitoring } from "../observability/monitoring.ts";
import { createBacklog, watchService } from "../observability/service-metrics.ts";
import type { HealthStatus, HealthDisclosure } from "../runtime/health.ts";
import { explained } from "./listen.ts";
import type { Served } from "./compose.ts";
import { releaseVersion } from "./terminal.ts";

export interface MonitoringOptions {
  readonly "admin-port": number | undefined;
  readonly "admin-host": string;
  readonly "operator-token": string | undefined;
  /** The duration in milliseconds from which store operations are logged. */
  readonly "log-slow": number;
}

export interface StartedMonitoring {
  readonly monitoring: Monitoring;
  readonly health: HealthDisclosure;
  /** The operator's port, if it is configured. */
  readonly admin: Admin | undefined;
  /** Starts monitoring the served document. */
  follow(current: () => Served): void;
  close(): Promise<void>;
}

/** Starts the monitoring; `log` must be open. @throws UsageError if the operator's port is not available. */
export async function startMonitoring(options: MonitoringOptions, log: Log, clock: Clock): Promise<StartedMonitoring> {
  const { "admin-port": port, "admin-host": host, "operator-token": token } = options;
  const otel = Symbol.for("opentelemetry.js.api.1") in globalThis;
  // Metrics are loaded only if a machine reads them: most services are started by developers.
  const serviceMetrics =
    port === undefined && !otel ? undefined : (await import("../observability/metrics.ts")).createMetrics();
  const stopProcess =
    serviceMetrics === undefined
      ? undefined
      : (await import("../observability/process-metrics.ts")).watchProcess(serviceMetrics);
  if (serviceMetrics !== undefined && otel)
    (await import("../observability/metrics-opentelemetry.ts")).exportToOpenTelemetry(serviceMetrics);
  const now = (): number => clock.now();
  const backlog = createBacklog(now);
  let current: (() => Served) | undefined;
  const known = (): Served => {
    if (current === undefined) throw new Error("nothing is served yet");
    return current();
  };
  const report = createHealthReport({ current: known, now, backlog, version: releaseVersion() });
  const status = (): Promise<HealthStatus> =>
    current === undefined ? Promise.resolve("fail") : known().service.health();
  const details: HealthDisclosure["details"] = (health) =>
    current === undefined ? Promise.resolve({ status: "fail", output: "starting" }) : report(health);
  const admin =
    port === undefined || serviceMetrics === undefined
      ? undefined
      : await (await import("../observability/admin.ts"))
          .openAdmin({
            ...{ host, port, token, serviceMetrics, status, health: details },
            report: (thrown) => log.failed(thrown, "admin"),
          })
          .catch((thrown: unknown) => {
            throw explained({ host, port }, thrown, "--admin-");
          });
  return {
    monitoring: createMonitoring({ log, serviceMetrics, slowMilliseconds: options["log-slow"] }),
    health: {
      canReadHealth: ({ headers }) => isOperator(token, headers.get("authorization")),
      details,
    },
    admin,
    follow(served) {
      current = served;
      if (serviceMetrics === undefined) return;
      watchService(serviceMetrics, served, backlog, now);
      serviceMetrics.observe("nonet.info", () => [{ labels: infoOf(served()), value: 1 }]);
    },
    async close() {
      stopProcess?.();
      await admin?.close();
    },
  };
}

function infoOf({ data, plan }: Served): readonly string[] {
  const store = data === "memory" ? "memory" : /^postgres/i.test(data) ? "postgres" : "sqlite";
  return [plan.service, releaseVersion(), process.version, store];
}
