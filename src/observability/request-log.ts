/**
 * One line of the log for each request, from the one observation of it. Nothing that a caller wrote freely is in it but the
 * id that it gave its request: no path (identifiers and tokens are in paths), no query, no header field, no body (R1.5).
 */
import type { Begun, Observation } from "../runtime/context/observation.ts";
import type { Level, Log } from "./log.ts";
import type { Watch } from "./observers.ts";

/** Others are shown as `_OTHER`, as the conventions of OpenTelemetry have it: they are a caller's own words. */
const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
/** Under which callers give their requests ids of their own. */
const clientIds = ["x-request-id", "request-id", "x-correlation-id"];
const longestClientId = 100;

export function requestLog(log: Log): Watch {
  return (begun, traceparent) => (observation) => {
    const level = levelOf(observation);
    if (!log.writes(level)) return;
    const { httpRequest } = begun;
    const method = methods.has(httpRequest.method) ? httpRequest.method : "_OTHER";
    log.write(level, `${method} ${observation.route ?? "-"}`, {
      request_id: observation.requestId,
      method,
      route: observation.route,
      operation: observation.operation,
      status: observation.status,
      // Microseconds are noise beyond this.
      milliseconds: Math.round(observation.seconds * 100_000) / 100,
      caller: observation.caller,
      version: observation.version?.name,
      code: observation.code,
      ...idsOf(begun, traceparent()),
    });
  };
}

/** Asked every few seconds by machines. */
const probes = new Set(["/livez", "/readyz"]);

/** What the service is to blame for is an error; what it had no room for is a warning; a refusal is an answer like others. */
function levelOf({ route, status }: Observation): Level {
  if (route !== undefined && probes.has(route)) return "debug";
  if (status === 503) return "warn";
  return status >= 500 ? "error" : "info";
}

/** Of the service's own trace, else of the caller's; and the id that the caller gave the request (R1.3: never adopted). */
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
