/** Every method and path that a document gives away: of operations, inbound events, webhooks and streams. */
import type { Model } from "../model.ts";
import { pathSegments } from "./meaning.ts";

export interface Route {
  /** What it belongs to, as the document names it. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** Its segments, each parameter as `{}`. */
  readonly shape: readonly string[];
  /** A path as in `Places`. */
  readonly at: string;
}

export function routesOf(model: Model): readonly Route[] {
  const { webhook, stream } = model.events.delivery ?? {};
  const addresses = [
    ...Object.entries(model.endpoints.endpoints).map(([name, endpoint]) => {
      return { name, ...endpoint, at: `endpoints/endpoints/${name}/at` };
    }),
    ...Object.entries(model.events.in ?? {}).map(([name, event]) => ({ name, ...event, at: `events/in/${name}/at` })),
    ...(webhook === undefined ? [] : [{ name: "webhook", ...webhook, at: "events/delivery/webhook/subscribe" }]),
    ...(stream === undefined ? [] : [{ name: "stream", ...stream, at: "events/delivery/stream/at" }]),
  ];
  return addresses.map(({ name, method, path, at }) => {
    const shape = pathSegments(path).map((segment) => (segment.kind === "literal" ? segment.text : "{}"));
    return { name, method, path, at, shape };
  });
}
