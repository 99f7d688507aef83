/** What watches a service that a command runs: its figures, its health, and the port where an operator finds both. */
import process from "node:process";
import type { Admin } from "../operate/admin.ts";
import { createHealthReport } from "../operate/health-report.ts";
import type { Log } from "../operate/log.ts";
import { isOperator } from "../operate/operator.ts";
import { createOversight, type Oversight } from "../operate/oversight.ts";
import { createBacklog, watchService } from "../operate/service-figures.ts";
import type { HealthStatus, HealthTelling } from "../serve/health.ts";
import { explained } from "./listening.ts";
import { clock, type Served } from "./served.ts";
import { releaseVersion } from "./version.ts";

export interface OverseeingOptions {
  readonly "admin-port": number | undefined;
  readonly "admin-host": string;
  readonly "operator-token": string | undefined;
  /** Milliseconds. */
  readonly "log-slow": number;
}

export interface Overseeing {
  readonly oversight: Oversight;
  readonly health: HealthTelling;
  /** The operator's port; undefined where there is none. */
  readonly admin: Admin | undefined;
  /** From now on it is known what is served. */
  follow(current: () => Served): void;
  close(): Promise<void>;
}

/** `log` may be opened already. @throws UsageError when the operator's port cannot be listened on. */
export async function oversee(options: OverseeingOptions, log: Log): Promise<Overseeing> {
  const { "admin-port": port, "admin-host": host, "operator-token": token } = options;
  const otel = Symbol.for("opentelemetry.js.api.1") in globalThis;
  // Most services are started by people who look at them; what only machines ask for is loaded for these alone.
  const figures = port === undefined && !otel ? undefined : (await import("../operate/figures.ts")).createFigures();
  const stopProcess =
    figures === undefined ? undefined : (await import("../operate/process-figures.ts")).watchProcess(figures);
  if (figures !== undefined && otel) (await import("../operate/figures-otel.ts")).tellOpenTelemetry(figures);
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
  const details: HealthTelling["details"] = (told) =>
    current === undefined ? Promise.resolve({ status: "fail", output: "starting" }) : report(told);
  const admin =
    port === undefined || figures === undefined
      ? undefined
      : await (await import("../operate/admin.ts"))
          .openAdmin({
            ...{ host, port, token, figures, status, health: details },
            report: (thrown) => log.failed(thrown, "admin"),
          })
          .catch((thrown: unknown) => {
            throw explained({ host, port }, thrown, "--admin-");
          });
  return {
    oversight: createOversight({ log, figures, slowMilliseconds: options["log-slow"] }),
    health: {
      mayAsk: ({ headers }) => isOperator(token, headers.get("authorization")),
      details,
    },
    admin,
    follow(served) {
      current = served;
      if (figures === undefined) return;
      watchService(figures, served, backlog, now);
      figures.ask("nonet.info", () => [{ labels: infoOf(served()), value: 1 }]);
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
