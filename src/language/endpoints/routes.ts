/** Lists every method and path that a document uses: for operations, inbound events, webhooks and streams. */
import type { Model } from "../model.ts";
import { onceForModel } from "../analysis/per-model.ts";
import { pathSegments, segmentShape } from "./resolve.ts";

export interface Route {
  /** The name of the operation, event, webhook or stream at the route. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** The segments of the path, each parameter as `{}`; a slash at the end is a segment without text. */
  readonly shape: readonly string[];
  /** The path of the statement, as in `SourceLocations`. */
  readonly at: string;
}

export const routesOf: (model: Model) => readonly Route[] = onceForModel((model) => {
  const { webhook, stream } = model.events.delivery ?? {};
  const addresses = [
    ...Object.entries(model.endpoints.endpoints).map(([name, endpoint]) => {
      return { name, ...endpoint, at: `endpoints/endpoints/${name}/at` };
    }),
    ...Object.entries(model.events.in ?? {}).map(([name, event]) => ({ name, ...event, at: `events/in/${name}/at` })),
    ...(webhook === undefined ? [] : [{ name: "webhook", ...webhook, at: webhookAt }]),
    ...(stream === undefined ? [] : [{ name: "stream", ...stream, at: streamAt }]),
  ];
  return addresses.map(({ name, method, path, at }) => ({ name, method, path, at, shape: shapeOf(path) }));
});

/** The operations on webhooks at paths below the one that registers webhooks. */
const belowWebhooks: readonly (readonly [method: string, rest: string])[] = [
  ["GET", ""],
  ["GET", "/{id}"],
  ["PATCH", "/{id}"],
  ["DELETE", "/{id}"],
  ["POST", "/{id}/enable"],
  ["POST", "/{id}/disable"],
  ["POST", "/{id}/rotate-secret"],
  ["GET", "/{id}/secret"],
  ["POST", "/{id}/recover"],
  ["GET", "/{webhook}/deliveries"],
  ["GET", "/{webhook}/deliveries/{id}"],
  ["POST", "/{webhook}/deliveries/{id}/resend"],
];

const webhookAt = "events/delivery/webhook/subscribe";
const streamAt = "events/delivery/stream/at";

/** All routes, including those that webhooks and the stream add without a line in the document. */
export const allRoutesOf: (model: Model) => readonly Route[] = onceForModel((model) => {
  const { webhook, stream } = model.events.delivery ?? {};
  const below = webhook?.method === "POST" ? belowWebhooks : [];
  const added = [
    ...below.map(([method, rest]) => ({ name: "webhook", method, path: `${webhook?.path}${rest}`, at: webhookAt })),
    ...(stream?.method === "GET" ? [{ ...stream, name: "stream", path: `${stream.path}/{id}`, at: streamAt }] : []),
  ];
  return [
    ...routesOf(model),
    ...added.map(({ name, method, path, at }) => ({ name, method, path, at, shape: shapeOf(path) })),
  ];
});

function shapeOf(path: string): readonly string[] {
  return pathSegments(path).map(segmentShape);
}
