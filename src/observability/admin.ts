/**
 * The operator's own port: `/metrics` for Prometheus, `/livez`, and `/readyz` with its details. It is apart from the service's
 * port so that nothing of it is public by a slip: no route, no proxy's rule and no document can open it.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";
import { type Health, healthResponse, type HealthStatus } from "../runtime/health.ts";
import type { Metrics } from "./metrics.ts";
import { metricsText, textMedia } from "./metrics-prometheus.ts";
import { isOperator } from "./operator-token.ts";

const { createServer } = process.getBuiltinModule("node:http");

export interface AdminOptions {
  readonly host: string;
  readonly port: number;
  /** Who asks has to send it; absent: whoever reaches the port may ask. */
  readonly token: string | undefined;
  readonly serviceMetrics: Metrics;
  readonly status: () => Promise<HealthStatus>;
  readonly health: (status: HealthStatus) => Promise<Health>;
  /** Told of what fails and is no caller's fault. */
  readonly report: (failure: unknown) => void;
}

export interface Admin {
  readonly port: number;
  close(): Promise<void>;
}

interface Reply {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body?: string | Uint8Array;
}

export async function openAdmin(options: AdminOptions): Promise<Admin> {
  const server = createServer(
    { maxHeaderSize: 16_384, requestTimeout: 10_000, headersTimeout: 10_000 },
    (request, response) => {
      replyTo(options, request)
        .catch((thrown: unknown): Reply => {
          options.report(thrown);
          return plain(500, "it failed; the log says why");
        })
        .then((reply) => send(request, response, reply))
        .catch(options.report);
    },
  );
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, resolve);
  });
  // Whoever watches does not keep a process that has nothing else to do.
  server.unref();
  return { port: (server.address() as AddressInfo).port, close: () => close(server) };
}

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}

async function replyTo(options: AdminOptions, request: IncomingMessage): Promise<Reply> {
  const { serviceMetrics, health, status, token } = options;
  const path = (request.url ?? "").split("?", 1)[0];
  if (request.method !== "GET" && request.method !== "HEAD") return plain(405, "only GET", ["Allow", "GET, HEAD"]);
  const may = token === undefined || isOperator(token, request.headers.authorization);
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

function plain(status: number, message: string, headers: readonly string[] = []): Reply {
  return {
    status,
    headers: ["Content-Type", "text/plain; charset=utf-8", ...plainHeaders, ...headers],
    body: `${message}\n`,
  };
}

function send(request: IncomingMessage, response: ServerResponse, { status, headers, body = "" }: Reply): void {
  response.writeHead(status, [...headers, "Content-Length", String(Buffer.byteLength(body))]);
  response.end(request.method === "HEAD" ? undefined : body);
}
