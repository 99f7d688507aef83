/** The pipeline of a request: the order of checks (R0.1). Each stage returns a value, or throws the client's error. */
import { camelCase, plural } from "../base/case.ts";
import { isObject, type Json } from "../base/json.ts";
import { plainMedia, xmlMedia } from "../plan/endpoints/contract.ts";
import type { Operation } from "../plan/endpoints/types.ts";
import { xmlText } from "./operations/xml.ts";
import { after } from "../base/after.ts";
import { acceptQuality, negotiateMedia } from "../http/negotiation.ts";
import type { HttpResponse } from "../http/message.ts";
import type { Awaitable } from "../store/port/store.ts";
import type { Caller } from "./context/caller.ts";
import type { Context, IncomingRequest } from "./context/context.ts";
import type { Served } from "./context/version.ts";
import { ApiError } from "./errors/api-error.ts";
import { admissionOf, limitAfterAuth, limitBeforeAuth, refundTokens } from "./limits/limiter.ts";
import type { RateSnapshots } from "./limits/snapshots.ts";
import { endpointOfKind } from "./operations/event-kind.ts";
import { createCall, perform, type Performing, withOperationStatus } from "./operations/perform.ts";
import { type OperationRequest, readInput } from "./operations/read-input.ts";
import { assertServed } from "./versions/deprecation.ts";
import { findRoute, type OperationRoute, type Route, routeIn } from "./versions/find-route.ts";
import { type OtherResponses, respondWithoutOperation } from "./without-operation.ts";

export interface Pipeline extends OtherResponses, Performing {
  readonly context: Context;
  readonly snapshots: RateSnapshots;
}

/**
 * Responds to a request. Awaits only promises: an `await` of a plain value costs a microtask, and the six of a read would cost
 * 5 % of its time. @throws ApiError
 */
export async function respond(service: Pipeline, incoming: IncomingRequest): Promise<HttpResponse> {
  const route = findRoute(service, incoming);
  shedLoad(service, incoming, route); // 503
  const underAddress = limitByAddress(service, incoming, route); // 429
  if (underAddress !== undefined) await underAddress;
  if (route.kind !== "operation") return respondWithoutOperation(service, incoming, route); // 401 404 405 414 501
  let operation: Operation | undefined = route.endpoint.compiled.operation;
  try {
    let caller = authenticate(service, incoming, route); // 401
    if (caller instanceof Promise) caller = await caller;
    let version = resolveVersion(service, incoming, route, caller); // 400 410
    if (version instanceof Promise) version = await version;
    // The path may have another operation in the caller's version, or none.
    operation = undefined;
    let request = operationRequest(service, incoming, route, caller, version); // 404
    operation = request.route.endpoint.compiled.operation;
    if (request.route.endpoint.kinds !== undefined) request = await requestOfKind(request); // 413 422
    const underCaller = limitByCaller(service, request, route); // 429
    if (underCaller !== undefined) await underCaller;
    assertServed(request.route.endpoint.compiled.operation, service.context.clock.now()); // 410
    authorise(service, request, route); // 401 403
    const media = negotiate(request); // 406
    let input = readInput(service.context, request); // 400 413 415
    if (input instanceof Promise) input = await input;
    let response = perform(service, createCall(service.context, request, input), incoming.rejected);
    if (response instanceof Promise) response = await response;
    return media === undefined ? response : withMedia(response, media, operation);
  } catch (thrown) {
    throw thrown instanceof ApiError && operation !== undefined ? withOperationStatus(operation, thrown) : thrown;
  } finally {
    if (incoming.uploads.length > 0) await service.context.store.files.discard(incoming.uploads);
  }
}

/** Sheds load before an operation uses resources (R8.9). */
function shedLoad({ load }: Pipeline, { httpRequest, observation }: IncomingRequest, route: Route): void {
  if (route.kind !== "operation") return;
  observation.operation = route.endpoint.compiled.operation.name;
  load.assertRoom(httpRequest.account);
}

/** Applies the limits by address; every response, even an error, has a header field for them (R8.1). */
function limitByAddress(service: Pipeline, incoming: IncomingRequest, route: Route): Promise<void> | undefined {
  const { authentication, context, snapshots } = service;
  if (route.limits === undefined) return undefined;
  if (snapshots.loading !== undefined) return snapshots.loading.then(() => limitByAddress(service, incoming, route));
  const { httpRequest, observation } = incoming;
  const isOperation = route.kind === "operation";
  const admission = isOperation
    ? admissionOf(route.limits, httpRequest, route.parameters, authentication.carries(httpRequest))
    : admissionOf(route.limits, httpRequest, {}, false);
  observation.admission = admission;
  return limitBeforeAuth(admission, context.clock.now());
}

function authenticate(
  { authentication }: Pipeline,
  { httpRequest, observation }: IncomingRequest,
  { body, endpoint }: OperationRoute,
): Awaitable<Caller> {
  const isIncomingEvent = endpoint.compiled.operation.inbound !== undefined;
  return after(authentication.authenticate(httpRequest, body.read, isIncomingEvent), (caller) => {
    if (caller.id !== null) observation.caller = caller.id;
    return caller;
  });
}

function resolveVersion(
  { chooser, context }: Pipeline,
  { observation }: IncomingRequest,
  { requested }: OperationRoute,
  caller: Caller,
): Awaitable<Served> {
  // A request for an unavailable version also counts for the caller's limits.
  const counted = async (thrown: unknown): Promise<never> => {
    const { admission } = observation;
    if (admission !== undefined) await limitAfterAuth(admission, caller, true, context.clock.now());
    throw thrown;
  };
  try {
    const version = chooser.choose(requested, caller);
    return version instanceof Promise ? version.catch(counted) : version;
  } catch (thrown) {
    return counted(thrown);
  }
}

/** Returns the request of the operation at the path in the caller's version. */
function operationRequest(
  service: Pipeline,
  incoming: IncomingRequest,
  found: OperationRoute,
  caller: Caller,
  version: Served,
): OperationRequest {
  const { httpRequest, observation, rejected, uploads } = incoming;
  observation.version = version;
  if (version !== found.version) delete observation.operation;
  const route = routeIn(service, incoming, found, version);
  observation.operation = route.endpoint.compiled.operation.name;
  const kind = route.endpoint.compiled.forKind(caller.kind);
  return { httpRequest, observation, rejected, uploads, caller, version, route, kind };
}

/** Returns the request of the incoming event whose kind it is; only the right sender learns which kinds there are. */
async function requestOfKind(request: OperationRequest): Promise<OperationRequest> {
  const { caller, httpRequest, observation, route } = request;
  const { kinds = [], compiled } = route.endpoint;
  if (caller.credential !== compiled.operation.inbound?.credential) return request;
  const endpoint = await endpointOfKind(kinds, httpRequest, route.body);
  if (endpoint === undefined || endpoint === route.endpoint) return request;
  observation.operation = endpoint.compiled.operation.name;
  const { limits, compiled: found } = endpoint;
  return { ...request, route: { ...route, endpoint, limits }, kind: found.forKind(caller.kind) };
}

function limitByCaller(service: Pipeline, request: OperationRequest, found: OperationRoute): Promise<void> | undefined {
  const { caller, kind, observation, route } = request;
  if (route.endpoint !== found.endpoint) return limitAnew(service, request);
  const { admission } = observation;
  return admission && limitAfterAuth(admission, caller, kind.allowed === "denied", service.context.clock.now());
}

/** Applies the limits of another operation, since the caller's version has another one at the path. */
async function limitAnew(service: Pipeline, request: OperationRequest): Promise<void> {
  const { observation, route } = request;
  if (observation.admission !== undefined) refundTokens(observation.admission, service.context.clock.now());
  delete observation.admission;
  await limitByAddress(service, request, route);
  await limitByCaller(service, request, route);
}

function authorise(
  { authentication }: Pipeline,
  { caller, kind, route }: OperationRequest,
  found: OperationRoute,
): void {
  if (kind.allowed === "denied")
    throw caller.kind === 0
      ? authentication.challenge()
      : authentication.forbidden(caller, route.endpoint.compiled.operation.allow);
  const { inbound } = found.endpoint.compiled.operation;
  if (inbound !== undefined && caller.credential !== inbound.credential) throw new ApiError("forbidden");
}

const json = "application/json";

/** Returns the media type of the response, if the operation offers several. */
function negotiate({ httpRequest, route: { endpoint } }: OperationRequest): string | undefined {
  const { compiled, received } = endpoint;
  const { action, file, offers } = (received?.compiled ?? compiled).operation;
  // A file has one media type, whatever the client accepts (RFC 9110 section 12.5.1).
  if (file !== undefined && action === "read") return undefined;
  const accept = httpRequest.headers.get("accept");
  if (offers === undefined) {
    const offered = compiled.wire === undefined ? (compiled.extension?.offers ?? [json]) : compiled.wire.offers;
    if (offered === undefined || offered.some((type) => acceptQuality(accept, type) > 0)) return undefined;
    throw notAcceptable(offered);
  }
  const media = negotiateMedia(accept, offers);
  if (media === undefined) throw notAcceptable(offers.map(({ type }) => type));
  return media;
}

function notAcceptable(offered: readonly string[]): ApiError {
  return new ApiError("not-acceptable", {
    detail: `Responses are available as ${offered.join(" or ")}`,
    members: { offered },
  });
}

/** Returns the response with the media type that the caller accepts. */
function withMedia(response: HttpResponse, media: string, operation: Operation): HttpResponse {
  const isOther = xmlMedia.includes(media) || media === plainMedia;
  const written = isOther ? `${media}; charset=utf-8` : media;
  const headers = response.headers.map((text, index) =>
    index % 2 === 1 && text === json && response.headers[index - 1] === "Content-Type" ? written : text,
  );
  const varied = { ...response, headers: [...headers, "Vary", "Accept"] };
  if (!isOther || typeof response.body !== "string" || !response.headers.includes(json)) return varied;
  return { ...varied, body: inMedia(JSON.parse(response.body) as Json, media, operation) };
}

function inMedia(value: Json, media: string, { resource, element, list }: Operation): string {
  if (media === plainMedia) {
    const [text = ""] = isObject(value) ? Object.values(value) : [];
    return typeof text === "string" ? text : JSON.stringify(text);
  }
  const one = camelCase(resource);
  return xmlText(value, element ?? (list === undefined ? one : plural(one)), one);
}
