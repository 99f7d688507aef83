/**
 * Serves the operator's port: `/metrics` for Prometheus, `/livez`, and `/readyz` with details. It is separate from the
 * service's port, so that no route, proxy rule or document can publish it by mistake.
 */
import type { HttpRequest, HttpResponse } from "../http/message.ts";
import { listen } from "../http/node-server.ts";
import { createForwarding } from "../http/proxies.ts";
import { type Health, healthResponse, type HealthStatus } from "../runtime/health.ts";
import type { Metrics } from "./metrics.ts";
import { metricsText, textMedia } from "./metrics-prometheus.ts";
import { isOperator } from "./health-report.ts";

export interface AdminOptions {
  readonly host: string;
  readonly port: number;
  /** The operator's bearer token; absent: no authentication. */
  readonly token: string | undefined;
  readonly serviceMetrics: Metrics;
  readonly status: () => Promise<HealthStatus>;
  readonly health: (status: HealthStatus) => Promise<Health>;
  /** Receives errors that no client caused. */
  readonly report: (failure: unknown) => void;
}

export interface Admin {
  readonly port: number;
  close(): Promise<void>;
}

const requestMilliseconds = 10_000;

export async function openAdmin(options: AdminOptions): Promise<Admin> {
  const fail = (thrown: unknown): HttpResponse => {
    options.report(thrown);
    return plain(500, "it failed; the log says why");
  };
  const server = await listen({
    ...{ host: options.host, port: options.port, requestMilliseconds, forwarding: createForwarding([]) },
    service: () => ({
      response: (request) => respond(options, request).catch(fail),
      reject: (code, { status = 400 } = {}) => plain(status, code),
      fail,
      drain: () => Promise.resolve(),
    }),
  });
  return { port: server.port, close: () => server.close(0) };
}

async function respond(options: AdminOptions, request: HttpRequest): Promise<HttpResponse> {
  const { serviceMetrics, health, status, token } = options;
  const [path] = request.target.split("?", 1);
  if (request.method !== "GET" && request.method !== "HEAD") return plain(405, "only GET", ["Allow", "GET, HEAD"]);
  const may = token === undefined || isOperator(token, request.headers.get("authorization"));
  switch (path) {
    case "/livez":
      return healthResponse({ status: "pass" });
    case "/readyz": {
      const present = await status();
      return healthResponse(may ? await health(present) : { status: present });
    }
    case "/metrics":
      if (!may) return plain(401, "this needs the operator's token", ["WWW-Authenticate", "Bearer"]);
      return {
        status: 200,
        headers: ["Content-Type", textMedia, ...plainHeaders],
        body: metricsText(await serviceMetrics.read()),
      };
    default:
      return plain(404, "there are /metrics, /livez and /readyz");
  }
}

const plainHeaders = ["Cache-Control", "no-store", "X-Content-Type-Options", "nosniff"];

function plain(status: number, message: string, headers: readonly string[] = []): HttpResponse {
  return {
    status,
    headers: ["Content-Type", "text/plain; charset=utf-8", ...plainHeaders, ...headers],
    body: `${message}\n`,
  };
}
