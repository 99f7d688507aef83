/** Figures of requests, from the one observation of each. */
import type { Metrics } from "./metrics.ts";
import type { Watch } from "./observers.ts";

const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
/** As the conventions of OpenTelemetry name what a caller made up. */
const other = "_OTHER";

export function requestMetrics(serviceMetrics: Metrics): Watch {
  let active = 0;
  serviceMetrics.observe("http.server.active_requests", () => [{ labels: [], value: active }]);
  return ({ httpRequest: { method } }) => {
    active += 1;
    return ({ code, route = other, seconds, status }) => {
      active -= 1;
      const labels = [methods.has(method) ? method : other, route, `${Math.floor(status / 100)}xx`];
      serviceMetrics.record("http.server.request.duration", seconds, labels);
      if (code !== undefined) serviceMetrics.add("nonet.requests.refused", [code]);
    };
  };
}
