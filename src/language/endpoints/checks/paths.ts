/** Reports paths that one URL can match twice, that the service itself uses, or that are spelled unusually. */
import { kebabCase } from "../../../base/case.ts";
import type { Check } from "../../analysis/finding.ts";
import type { Model } from "../../model.ts";
import { type Route, allRoutesOf, routesOf } from "../routes.ts";

/** Reports two operations with the same method and path. */
const sameRoute: Check = {
  code: "endpoints/same-route",
  severity: "error",
  why: "The service could not tell which of the two a request means.",
  *run({ model }) {
    const first = new Map<string, Route>();
    for (const route of allRoutesOf(model)) {
      const { method, path, shape, name, at } = route;
      const key = `${method} /${shape.join("/")}`;
      const other = first.get(key);
      if (other === undefined) first.set(key, route);
      // Incoming events may share an address (events/same-kind).
      else if (!at.startsWith("events/in/") || other.path !== path || !other.at.startsWith("events/in/"))
        yield {
          at,
          message: `\`${name}\` has \`${method} ${path}\`, as \`${other.name}\` has`,
          help: "change one of the two",
        };
    }
  },
};

/** Reports two paths that the same URL matches. */
const ambiguousPath: Check = {
  code: "endpoints/ambiguous-path",
  severity: "warning",
  why: "The value in the address would decide which of the two operations runs.",
  *run({ model }) {
    // Only paths with the same method, the same number of segments and the same first word can match the same URL.
    const groups = Map.groupBy(routesOf(model), ({ method, shape }) => `${method} ${shape.length} ${shape[0]}`);
    for (const group of groups.values()) {
      const mixed = group.filter(({ shape }) => shape.some(isOpen));
      for (const [index, second] of mixed.entries()) {
        const first = mixed.slice(0, Math.min(index, mostCompared)).find((one) => cross(one, second));
        if (first === undefined) continue;
        yield {
          at: second.at,
          message: `\`${second.path}\` and \`${first.path}\` of \`${first.name}\` can match the same address`,
          help: "let the paths differ in a fixed segment at the same position",
        };
      }
    }
  },
};

/** The most paths of one shape that are compared with each other; it bounds the work for a very large document. */
const mostCompared = 200;

/** Whether some URL matches both paths, and neither path matches all URLs of the other. */
function cross({ shape: one }: Route, { shape: other }: Route): boolean {
  const at = (segment: string, index: number) => [segment, other[index] ?? ""] as const;
  const pairs = one.map(at);
  return (
    pairs.every(([first, second]) => meet(first, second)) &&
    pairs.some(([first, second]) => !covers(second, first)) &&
    pairs.some(([first, second]) => !covers(first, second))
  );
}

function isOpen(segment: string): boolean {
  return segment.includes("{}");
}

/** Returns the text before and after the parameter of a segment. */
function around(segment: string): readonly [before: string, after: string] {
  const [before = "", after = ""] = segment.split("{}");
  return [before, after];
}

/** Whether some text matches both segments. */
function meet(one: string, other: string): boolean {
  if (!isOpen(one)) return covers(other, one);
  if (!isOpen(other)) return covers(one, other);
  const [[start, end], [otherStart, otherEnd]] = [around(one), around(other)];
  const startsMeet = start.startsWith(otherStart) || otherStart.startsWith(start);
  return startsMeet && (end.endsWith(otherEnd) || otherEnd.endsWith(end));
}

/** Whether every text that matches the segment `narrower` also matches the segment `wider`. */
function covers(wider: string, narrower: string): boolean {
  if (wider === narrower) return true;
  if (!isOpen(wider)) return false;
  const [before, after] = around(wider);
  const [start, end] = isOpen(narrower) ? around(narrower) : [narrower, narrower];
  const isLongEnough = isOpen(narrower) || narrower.length > before.length + after.length;
  return start.startsWith(before) && end.endsWith(after) && isLongEnough;
}

const reservedPaths: Readonly<Record<string, string>> = {
  "/livez": "its liveness check",
  "/readyz": "its readiness check",
  "/openapi.json": "its OpenAPI document",
  "/.well-known/api-catalog": "its catalogue",
};

/** Returns the paths that the service itself uses. Only a service with events describes them in AsyncAPI. */
function reservedIn({ events: { delivery = {}, in: inbound = {} } }: Model): Readonly<Record<string, string>> {
  const { webhook, stream } = delivery;
  const hasEvents = webhook !== undefined || stream !== undefined || Object.keys(inbound).length > 0;
  return hasEvents ? { ...reservedPaths, "/asyncapi.json": "its AsyncAPI document" } : reservedPaths;
}

/** Reports a `GET` at a path that every service uses itself. */
const reservedPath: Check = {
  code: "endpoints/path-taken",
  severity: "error",
  why: "Monitoring and discovery tools rely on these paths in every service.",
  *run({ model }) {
    // A base URL with a path separates the operations from the service's own paths.
    if (/^(?:\{base_url\}|https?:\/\/[^/]*)\/+[^/]/.test(model.endpoints.base ?? "")) return;
    const reserved = reservedIn(model);
    for (const { method, path, at, name } of routesOf(model)) {
      if (method !== "GET" || !Object.hasOwn(reserved, path)) continue;
      const message = `\`${name}\` has the path \`${path}\`, which the service uses for ${reserved[path]}`;
      yield { at, message, help: "give it another path" };
    }
  },
};

/** Reports an address for agents that an operation, or the service itself, has already. */
const agentsPath: Check = {
  code: "endpoints/mcp-path-taken",
  severity: "error",
  why: "One request cannot be both a call of the operation and a message of an agent.",
  *run({ model }) {
    const { mcp } = model.endpoints;
    if (mcp === undefined || mcp === "none") return;
    const wanted = mcp.at.split("/").slice(1);
    const other = allRoutesOf(model).find(({ method, shape }) => {
      const meets = (segment: string, at: number) => covers(segment, wanted[at] ?? "");
      return method === "POST" && shape.length === wanted.length && shape.every(meets);
    });
    if (other === undefined) return;
    const message = `\`${other.name}\` has the address \`POST ${other.path}\` too`;
    yield { at: "endpoints/mcp", message, help: "give agents another path, such as `/mcp`" };
  },
};

/** Reports a path in an unusual style. */
const pathStyle: Check = {
  code: "endpoints/path-style",
  severity: "hint",
  why: "Paths are case-sensitive, and clients type them by hand.",
  *run({ model }) {
    for (const { path, shape, at } of routesOf(model)) {
      const odd = shape.find((segment) => /[A-Z]/.test(segment));
      const slash = path.length > 1 && path.endsWith("/");
      if (odd === undefined && !slash) continue;
      yield {
        at,
        message: slash ? `\`${path}\` ends in a slash` : `\`${odd}\` has capital letters`,
        help: slash ? `write \`${path.replace(/\/+$/, "")}\`` : `write \`${kebabCase(odd ?? "")}\``,
      };
    }
  },
};

export const checks: readonly Check[] = [sameRoute, ambiguousPath, reservedPath, agentsPath, pathStyle];
