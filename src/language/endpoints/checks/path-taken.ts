/** A `GET` at a path that every service uses itself. */
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
    // A base address with a path keeps operations apart from them.
    if (/^(?:\{base_url\}|https?:\/\/[^/]*)\/+[^/]/.test(model.endpoints.base ?? "")) return;
    const reserved = reservedIn(model);
    for (const { method, path, at, name } of routesOf(model)) {
      if (method !== "GET" || !Object.hasOwn(reserved, path)) continue;
      const message = `\`${name}\` has the path \`${path}\`, which the service uses for ${reserved[path]}`;
      yield { at, message, help: "give it another path" };
    }
  },
};
