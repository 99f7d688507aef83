/** A `GET` at a path under which every service has something of its own. */
import type { Check } from "../../analysis/finding.ts";
import type { Model } from "../../model.ts";
import { routesOf } from "../routes.ts";

const reservedPaths: Readonly<Record<string, string>> = {
  "/livez": "its liveness check",
  "/readyz": "its readiness check",
  "/openapi.json": "its OpenAPI document",
  "/.well-known/api-catalog": "its catalogue",
};

/** Only a service with events has a description of them. */
function reservedIn({ events: { delivery = {}, in: inbound = {} } }: Model): Readonly<Record<string, string>> {
  const { webhook, stream } = delivery;
  const hasEvents = webhook !== undefined || stream !== undefined || Object.keys(inbound).length > 0;
  return hasEvents ? { ...reservedPaths, "/asyncapi.json": "its AsyncAPI document" } : reservedPaths;
}

export const check: Check = {
  code: "endpoints/path-taken",
  severity: "error",
  why: "Monitoring and discovery tools rely on these paths in every service.",
  *run({ model }) {
    // With a path of their own below which they are served, operations do not meet them.
    if (/^(?:\{base_url\}|https?:\/\/[^/]*)\/+[^/]/.test(model.endpoints.base ?? "")) return;
    const reserved = reservedIn(model);
    for (const { method, path, at, name } of routesOf(model)) {
      if (method !== "GET" || !Object.hasOwn(reserved, path)) continue;
      const message = `\`${name}\` has the path \`${path}\`, which the service uses for ${reserved[path]}`;
      yield { at, message, help: "give it another path" };
    }
  },
};
