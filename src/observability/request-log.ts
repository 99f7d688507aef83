/**
 * Logs one line for each request. The only free text of the client in it is its request id: no path (paths contain ids and
 * tokens), query, header or body (R1.5).
 */
import type { Begun, Observation } from "../runtime/context/observation.ts";
import type { Level, Log } from "./log.ts";
import type { Watch } from "./observers.ts";

/** OpenTelemetry's value for unknown methods, which clients could invent, and for unknown routes. */
export const other = "_OTHER";
const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
/** The header fields with the client's request id. */
const clientIds = ["x-request-id", "request-id", "x-correlation-id"];
const longestClientId = 100;

export function methodName(method: string): string {
  return methods.has(method) ? method : other;
}

export function requestLog(log: Log): Watch {
  return (begun, traceparent) => (observation) => {
    const level = levelOf(observation);
    if (!log.writes(level)) return;
    const { httpRequest } = begun;
    const method = methodName(httpRequest.method);
    log.write(level, `${method} ${observation.route ?? "-"}`, {
      request_id: observation.requestId,
      method,
      route: observation.route,
      operation: observation.operation,
      status: observation.status,
      // Five decimal places of a second are enough; more digits would be noise.
      milliseconds: Math.round(observation.seconds * 100_000) / 100,
      caller: observation.caller,
      version: observation.version?.name,
      code: observation.code,
      ...idsOf(begun, traceparent()),
    });
  };
}

/** Paths that load balancers request every few seconds. */
const probes = new Set(["/livez", "/readyz"]);

/** Returns the level of a request: server errors are errors, overload is a warning, other responses are information. */
function levelOf({ route, status }: Observation): Level {
  if (route !== undefined && probes.has(route)) return "debug";
  if (status === 503) return "warn";
  return status >= 500 ? "error" : "info";
}

/** Returns the trace ids of the service's span, or else of the client, and the client's request id (R1.3: never adopted). */
function idsOf({ httpRequest: { headers } }: Begun, requestId: string | undefined): Record<string, string> {
  const parent = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}$/.exec(
    requestId ?? headers.get("traceparent") ?? "",
  );
  const client = clientIds.map((name) => headers.get(name)).find((value) => value !== undefined && value !== "");
  return {
    ...(parent === null ? {} : { trace_id: parent[1] as string, span_id: parent[2] as string }),
    ...(client === undefined ? {} : { client_request_id: client.slice(0, longestClientId) }),
  };
}
