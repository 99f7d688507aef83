/** Finds the operation or page of a request (R4.1, R4.2). */
import type { Endpoint, OperationEndpoint, PageEndpoint } from "../context/endpoint.ts";
import type { IncomingRequest } from "../context/context.ts";
import type { Served } from "../context/version.ts";
import { ApiError } from "../errors/api-error.ts";
import type { Limiter, OperationLimits } from "../limits/limiter.ts";
import type { Routed } from "../routing/router.ts";
import { splitTarget } from "../routing/target.ts";
import { type SentBody, sentBody } from "../validation/read-body.ts";
import type { Chooser, RequestedVersion } from "./resolve.ts";

/** A version, with the router of its paths. */
export interface RoutedVersion {
  readonly served: Served;
  readonly route: (segments: readonly string[], method: string) => Routed<Endpoint> | undefined;
}

export interface Routes {
  readonly chooser: Chooser;
  /** Removes the credentials from a query; undefined if none is sent there. */
  readonly withoutCredentials: ((query: string) => string) | undefined;
  /** The versions, newest first. */
  readonly versions: readonly RoutedVersion[];
  /** The limits for requests without an operation. */
  readonly limits: Pick<Limiter, "others" | "preflights">;
}

export type Route = OperationRoute | OtherRoute;

export interface OperationRoute extends FoundRoute {
  readonly kind: "operation";
  /** The path as sent, not decoded. */
  readonly path: string;
  readonly endpoint: OperationEndpoint;
  readonly limits: OperationLimits | undefined;
  readonly body: SentBody;
  /** The time limit for the body, in milliseconds. */
  readonly milliseconds: number;
}

/** A request without an operation: to a page, with OPTIONS, or to an unknown path. */
export type OtherRoute =
  | (FoundRoute & { readonly kind: "page"; readonly endpoint: PageEndpoint; readonly limits: PageEndpoint["limits"] })
  | { readonly kind: "preflight"; readonly limits: OperationLimits }
  | { readonly kind: "nowhere"; readonly error: unknown; readonly limits: OperationLimits };

interface FoundRoute {
  readonly requested: RequestedVersion;
  /** The version in which the path was found. */
  readonly version: Served;
  readonly parameters: Readonly<Record<string, string>>;
}

const knownMethods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/**
 * Finds the route of a request. Returns errors instead of throwing them, because rate limits also count requests to unknown
 * paths.
 */
export function findRoute(routes: Routes, request: IncomingRequest): Route {
  const { httpRequest } = request;
  if (httpRequest.method === "OPTIONS") return { kind: "preflight", limits: routes.limits.preflights };
  try {
    const { path, requested, routed, version } = locate(routes, request);
    const endpoint = endpointOf(routed, httpRequest.method);
    const { parameters } = routed;
    const { limits } = endpoint;
    if (endpoint.kind === "page") return { kind: "page", requested, version, parameters, endpoint, limits };
    const { requestMilliseconds: milliseconds } = endpoint.compiled.operation.limits;
    const body = sentBody(httpRequest, endpoint.compiled.operation.limits);
    return { kind: "operation", path, requested, version, parameters, endpoint, limits, body, milliseconds };
  } catch (error) {
    return { kind: "nowhere", error, limits: routes.limits.others };
  }
}

/** Finds the route again in the caller's version, where the path may have another operation or none. */
export function routeIn(
  routes: Pick<Routes, "versions">,
  { httpRequest }: IncomingRequest,
  route: OperationRoute,
  version: Served,
): OperationRoute {
  if (version === route.version) return route;
  const { routed } = find(routes, { ...route.requested, version }, httpRequest.method);
  const endpoint = endpointOf(routed, httpRequest.method);
  if (endpoint.kind === "page") throw nothingHere();
  return { ...route, version, parameters: routed.parameters, endpoint, limits: endpoint.limits };
}

/** Returns the operations and pages at the path of a preflight request; undefined for `*` (the whole service). */
export function preflightRoute(routes: Routes, request: IncomingRequest): Routed<Endpoint> | undefined {
  return request.httpRequest.target === "*" ? undefined : locate(routes, request).routed;
}

interface Located {
  readonly path: string;
  readonly requested: RequestedVersion;
  readonly version: Served;
  readonly routed: Routed<Endpoint>;
}

function locate(routes: Routes, { httpRequest, observation }: IncomingRequest): Located {
  const sent = splitTarget(httpRequest.target);
  const { withoutCredentials } = routes;
  const target = withoutCredentials === undefined ? sent : { ...sent, query: withoutCredentials(sent.query) };
  const requested = routes.chooser.requested(httpRequest, target);
  if (requested.version !== undefined) observation.version = requested.version;
  const { version, routed } = find(routes, requested, httpRequest.method);
  observation.route = routed.template;
  return { path: target.path, requested, version, routed };
}

/**
 * Finds a path in the requested version, or else in the newest version that has it, preferring one with the method. `routeIn`
 * searches again once the caller's version is known.
 */
function find(
  { versions }: Pick<Routes, "versions">,
  { segments, version }: RequestedVersion,
  method: string,
): Pick<Located, "version" | "routed"> {
  let elsewhere: Pick<Located, "version" | "routed"> | undefined;
  for (const { served, route } of versions) {
    if (version !== undefined && version !== served) continue;
    const routed = route(segments, method);
    if (routed === undefined) continue;
    if (routed.methods.has(method === "HEAD" ? "GET" : method)) return { version: served, routed };
    elsewhere ??= { version: served, routed };
  }
  if (elsewhere === undefined) throw nothingHere();
  return elsewhere;
}

export function nothingHere(): ApiError {
  return new ApiError("not-found", { detail: "This path does not exist" });
}

/**
 * Returns the endpoint of a method. HEAD uses the GET endpoint (R4.2). Throws 501 for an unknown method and for an operation
 * that is only described, 405 for a method that the path does not have (R4.1). Neither depends on the caller, so both come
 * before authentication (R0.1).
 */
function endpointOf(routed: Routed<Endpoint>, method: string): Endpoint {
  const endpoint = routed.methods.get(method === "HEAD" ? "GET" : method);
  if (endpoint !== undefined) {
    if (isUnserved(endpoint))
      throw new ApiError("not-implemented", { detail: "The service does not support this operation" });
    return endpoint;
  }
  const allowed = allowedMethods(routed).join(", ");
  const headers = ["Allow", allowed];
  if (!knownMethods.has(method)) throw new ApiError("not-implemented", { headers });
  throw new ApiError("method-not-allowed", { detail: `This path supports ${allowed}`, headers });
}

/** Returns the methods of a path; without a path those of the service. */
export function allowedMethods(routed?: Routed<Endpoint>): readonly string[] {
  if (routed === undefined) return [...knownMethods];
  const names = [...routed.methods].flatMap(([method, endpoint]) =>
    isUnserved(endpoint) ? [] : method === "GET" ? ["GET", "HEAD"] : [method],
  );
  return [...names, "OPTIONS"];
}

function isUnserved(endpoint: Endpoint): boolean {
  return endpoint.kind === "operation" && endpoint.compiled.operation.unserved !== undefined;
}
