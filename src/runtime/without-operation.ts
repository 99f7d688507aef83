/** Responds to requests without an operation: pages, OPTIONS, and unknown paths and methods. */
import type { Cors } from "../http/cors.ts";
import type { HttpResponse } from "../http/message.ts";
import type { Authentication } from "./auth/authenticate.ts";
import type { Endpoint } from "./context/endpoint.ts";
import type { IncomingRequest } from "./context/context.ts";
import type { Routed } from "./routing/router.ts";
import { allowedMethods, nothingHere, type OtherRoute, preflightRoute, type Routes } from "./versions/find-route.ts";

export interface OtherResponses extends Routes {
  readonly authentication: Authentication;
  readonly cors: Cors;
}

export async function respondWithoutOperation(
  service: OtherResponses,
  request: IncomingRequest,
  route: OtherRoute,
): Promise<HttpResponse> {
  const { httpRequest, observation } = request;
  if (route.kind === "nowhere") throw route.error;
  if (route.kind === "preflight") return preflightResponse(service, request);
  const { endpoint, parameters, requested } = route;
  if (endpoint.signedIn) {
    const { id } = await service.authentication.authenticate(httpRequest, () => Promise.resolve(new Uint8Array()));
    if (id === null) throw service.authentication.challenge();
    observation.caller = id;
  }
  const version = () => (observation.version = service.chooser.open(requested));
  const rendered = await endpoint.page(httpRequest, parameters, version, {
    caller: async (body) => {
      const caller = await service.authentication.authenticate(httpRequest, body);
      if (caller.id !== null) observation.caller = caller.id;
      return caller;
    },
    versionFor: async (caller) => (observation.version = await service.chooser.choose(requested, caller)),
    requestId: observation.requestId,
    challenge: () => service.authentication.challenge(),
  });
  if (rendered.status === 404 && rendered.body === undefined) throw nothingHere();
  return rendered;
}

function preflightResponse(service: OtherResponses, request: IncomingRequest): HttpResponse {
  const routed = preflightRoute(service, request);
  const methods = allowedMethods(routed);
  const rendered = options(methods, routed);
  if (routed === undefined) return rendered;
  const endpoints = [...routed.methods.values()];
  const operations = endpoints.flatMap((one) => (one.kind === "operation" ? [one.compiled.operation] : []));
  const requestFields = endpoints.flatMap((one) => (one.kind === "page" ? one.requestFields : []));
  const headers = service.cors.preflight(request.httpRequest, methods, operations, requestFields);
  return { ...rendered, headers: [...rendered.headers, ...headers] };
}

/** Returns the options of the path (R4.2), the same for all callers and records; or of the server for `*`. */
function options(methods: readonly string[], routed?: Routed<Endpoint>): HttpResponse {
  const headers = ["Allow", methods.join(", "), "Cache-Control", "no-store"];
  for (const [method, field] of [
    ["PATCH", "Accept-Patch"],
    ["POST", "Accept-Post"],
  ] as const) {
    const endpoint = routed?.methods.get(method);
    const body = endpoint?.kind === "operation" ? endpoint.compiled.operation.body : undefined;
    if (body !== undefined) headers.push(field, body.mediaTypes.join(", "));
  }
  return { status: 204, headers };
}
