/** Figures of requests, from the one observation of each. */
import type { Figures } from "./figures.ts";
import type { Watch } from "./watching.ts";

const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
/** As the conventions of OpenTelemetry name what a caller made up. */
const other = "_OTHER";

export function requestFigures(figures: Figures): Watch {
  let active = 0;
  figures.ask("http.server.active_requests", () => [{ labels: [], value: active }]);
  return ({ exchange: { method } }) => {
    active += 1;
    return ({ code, route = other, seconds, status }) => {
      active -= 1;
      const labels = [methods.has(method) ? method : other, route, `${Math.floor(status / 100)}xx`];
      figures.record("http.server.request.duration", seconds, labels);
      if (code !== undefined) figures.add("nonet.requests.refused", [code]);
    };
  };
}
