/** The order of checks (R0.1), on one screen. Each step either refuses or lets the request go on. */
import { after } from "../base/after.ts";
import { instantText } from "../base/clock.ts";
import { isObject, type JsonObject } from "../base/json.ts";
import type { Operation } from "../plan/endpoints/types.ts";
import { withDeadline } from "../store/port/deadline.ts";
import type { Awaitable } from "../store/port/store.ts";
import { openEnvelope } from "../plan/endpoints/envelope.ts";
import { announcesBody, checkMedia, rejectNonObject, parseBody, readBytes } from "./validation/body.ts";
import type { Validator } from "./validation/validator.ts";
import type { Caller } from "./context/caller.ts";
import { readAll } from "./operations/aggregate.ts";
import type { Call, Context, Unwrapped } from "./context/context.ts";
import type { Cors } from "../http/cors.ts";
import type { Authentication } from "./auth/authenticate.ts";
import { envelopeValidator, errorInEnvelope } from "./operations/envelope.ts";
import type { HttpResponse, HttpRequest } from "../http/message.ts";
import { download } from "./operations/download.ts";
import { filesOf, uploadPipeOf } from "./operations/files.ts";
import { contractInput } from "./functions/contract-input.ts";
import type { Load } from "./limits/load-shedding.ts";
import type { RateSnapshots } from "./limits/snapshots.ts";
import {
  type Limiter,
  type OperationLimits,
  admissionOf,
  limitBeforeAuth,
  limitAfterAuth,
  refundTokens,
} from "./limits/limiter.ts";
import { history } from "./operations/history.ts";
import { parseJson } from "../http/json.ts";
import { list } from "./operations/list.ts";
import { acceptQuality } from "../http/negotiation.ts";
import type { ObservationBuilder } from "./context/observation.ts";
import type { ForKind, CompiledOperation } from "./context/compiled.ts";
import { queryInput, rejectParameters } from "./operations/query.ts";
import { read } from "./operations/read.ts";
import { malformed, ApiError } from "./errors/api-error.ts";
import type { Routed } from "./routing/router.ts";
import { parseQuery, splitTarget } from "./routing/target.ts";
import type { VersionConverter, VersionedOperation, VersionedRequest, Served } from "./context/version.ts";
import type { Chooser, RequestedVersion } from "./versions/resolve.ts";
import { toOlderError } from "./versions/to-older-error.ts";
import { type KeysInUse, write } from "./operations/write.ts";
import { createPlaceholders, withTokens } from "./auth/token-placeholders.ts";
import type { PageResponder } from "./context/page.ts";

/** What a path leads to: an operation, or a page of the service itself that anybody may read. */
export type Endpoint =
  | {
      readonly kind: "operation";
      readonly compiled: CompiledOperation;
      readonly limits: OperationLimits | undefined;
      /** What an older version's callers may send and are given. */
      readonly received?: VersionedOperation;
    }
  | {
      readonly kind: "page";
      readonly requestFields: readonly string[];
      readonly page: PageResponder;
      /** Whether only a caller with a credential may read it. */
      readonly signedIn: boolean;
      /** Absent for health alone. */
      readonly limits: OperationLimits | undefined;
    };

export interface Pipeline {
  readonly context: Context;
  readonly authentication: Authentication;
  readonly cors: Cors;
  readonly inUse: KeysInUse;
  /** What holds for requests to no operation. */
  readonly limits: Pick<Limiter, "others" | "preflights">;
  readonly snapshots: RateSnapshots;
  readonly load: Load;
  readonly chooser: Chooser;
  /** Newest first. */
  readonly versions: readonly RoutedVersion[];
}

/** A version with its paths. */
export interface RoutedVersion {
  readonly served: Served;
  readonly route: (segments: readonly string[], method: string) => Routed<Endpoint> | undefined;
}

const knownMethods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** @throws Refusal, at once or by the promise. */
export function response(
  pipeline: Pipeline,
  httpRequest: HttpRequest,
  observation: ObservationBuilder,
  rejected: (error: ApiError) => HttpResponse,
): Awaitable<HttpResponse> {
  const { limits } = pipeline;
  if (httpRequest.method === "OPTIONS")
    return limited(pipeline, httpRequest, observation, limits.preflights, () =>
      optionsResponse(pipeline, httpRequest, observation),
    );
  let received: RoutedRequest | RequestedPage;
  try {
    received = routed(pipeline, httpRequest, observation, rejected);
  } catch (thrown) {
    // A request that leads nowhere counts as well.
    return limited(pipeline, httpRequest, observation, limits.others, () => {
      throw thrown;
    });
  }
  if ("path" in received) {
    const { limits: own, compiled } = received.endpoint;
    observation.operation = compiled.operation.name;
    pipeline.load.assertRoom(httpRequest.account);
    return own === undefined ? run(pipeline, received) : runAdmitted(pipeline, received, own);
  }
  const { endpoint, found, requested } = received;
  const respond = async (): Promise<HttpResponse> => {
    if (endpoint.signedIn) await assertSignedIn(pipeline, httpRequest, observation);
    return respondWithPage(
      endpoint,
      httpRequest,
      found.routed.parameters,
      () => (observation.version = pipeline.chooser.open(requested)),
    );
  };
  return endpoint.limits === undefined
    ? respond()
    : limited(pipeline, httpRequest, observation, endpoint.limits, respond);
}

interface RequestedPage {
  readonly requested: RequestedVersion;
  readonly found: FoundPath;
  readonly endpoint: PageEndpoint;
}

/** What the request leads to. */
function routed(
  pipeline: Pipeline,
  httpRequest: HttpRequest,
  observation: ObservationBuilder,
  rejected: (error: ApiError) => HttpResponse,
): RoutedRequest | RequestedPage {
  const target = splitTarget(httpRequest.target);
  const requested = pipeline.chooser.requested(httpRequest, target);
  if (requested.version !== undefined) observation.version = requested.version;
  const found = find(pipeline, requested, httpRequest.method);
  observation.route = found.routed.template;
  const endpoint = endpointOf(found.routed, httpRequest.method);
  if (endpoint.kind === "page") return { requested, found, endpoint };
  return { httpRequest, observation, rejected, path: target.path, requested, found, endpoint };
}

function optionsResponse(pipeline: Pipeline, httpRequest: HttpRequest, observation: ObservationBuilder): HttpResponse {
  if (httpRequest.target === "*") return options([...knownMethods]);
  const requested = pipeline.chooser.requested(httpRequest, splitTarget(httpRequest.target));
  if (requested.version !== undefined) observation.version = requested.version;
  const found = find(pipeline, requested, httpRequest.method);
  observation.route = found.routed.template;
  const methods = allowed(found.routed);
  const rendered = options(methods, found.routed);
  const operations = [...found.routed.methods.values()].flatMap((one) =>
    one.kind === "operation" ? [one.compiled.operation] : [],
  );
  const requestFields = [...found.routed.methods.values()].flatMap((one) =>
    one.kind === "page" ? one.requestFields : [],
  );
  return {
    ...rendered,
    headers: [...rendered.headers, ...pipeline.cors.preflight(httpRequest, methods, operations, requestFields)],
  };
}

/** Answers a request to no operation, within the limits of its address. */
function limited(
  pipeline: Pipeline,
  httpRequest: HttpRequest,
  observation: ObservationBuilder,
  limits: OperationLimits,
  respond: () => Awaitable<HttpResponse>,
): Awaitable<HttpResponse> {
  const { context, snapshots } = pipeline;
  if (snapshots.loading !== undefined)
    return snapshots.loading.then(() => limited(pipeline, httpRequest, observation, limits, respond));
  observation.admission = admissionOf(limits, httpRequest, {}, false);
  const others = limitBeforeAuth(observation.admission, context.clock.now());
  return others === undefined ? respond() : others.then(respond);
}

async function assertSignedIn(
  { authentication }: Pipeline,
  httpRequest: HttpRequest,
  observation: ObservationBuilder,
): Promise<void> {
  const { id } = await authentication.authenticate(httpRequest, () => Promise.resolve(new Uint8Array()));
  if (id === null) throw authentication.challenge();
  observation.caller = id;
}

async function respondWithPage({ page }: PageEndpoint, ...received: Parameters<PageResponder>): Promise<HttpResponse> {
  const rendered = await page(...received);
  if (rendered.status === 404 && rendered.body === undefined) throw nothingHere();
  return rendered;
}

type OperationEndpoint = Extract<Endpoint, { readonly kind: "operation" }>;
type PageEndpoint = Extract<Endpoint, { readonly kind: "page" }>;

/** A request to an operation. */
interface RoutedRequest {
  readonly httpRequest: HttpRequest;
  readonly observation: ObservationBuilder;
  readonly rejected: (error: ApiError) => HttpResponse;
  readonly path: string;
  readonly requested: RequestedVersion;
  readonly found: FoundPath;
  readonly endpoint: OperationEndpoint;
}

/** Past the first gate of its limits; every answer, refusals too, will tell of them (R8.1). */
function runAdmitted(pipeline: Pipeline, received: RoutedRequest, limits: OperationLimits): Awaitable<HttpResponse> {
  const { snapshots } = pipeline;
  if (snapshots.loading !== undefined) return snapshots.loading.then(() => runAdmitted(pipeline, received, limits));
  const others = admit(pipeline, received, limits, received.found.routed.parameters);
  return others === undefined ? run(pipeline, received) : others.then(() => run(pipeline, received));
}

function admit(
  { authentication, context }: Pipeline,
  { httpRequest, observation }: RoutedRequest,
  limits: OperationLimits,
  parameters: Readonly<Record<string, string>>,
): Promise<void> | undefined {
  observation.admission = admissionOf(limits, httpRequest, parameters, authentication.carries(httpRequest));
  return limitBeforeAuth(observation.admission, context.clock.now());
}

/** In the caller's own version the path leads to another operation: under that one's limits, as if it had come there first. */
function readmit(
  pipeline: Pipeline,
  received: RoutedRequest,
  { limits }: OperationEndpoint,
  parameters: Readonly<Record<string, string>>,
): Promise<void> | undefined {
  const { observation } = received;
  if (observation.admission !== undefined) refundTokens(observation.admission, pipeline.context.clock.now());
  delete observation.admission;
  return limits === undefined ? undefined : admit(pipeline, received, limits, parameters);
}

/** The path was found in some version: in the caller's own it may lead elsewhere, or nowhere. */
function foundIn(
  pipeline: Pipeline,
  received: RoutedRequest,
  version: Served,
): { readonly routed: Routed<Endpoint>; readonly endpoint: OperationEndpoint } {
  const { requested, found, endpoint, httpRequest } = received;
  if (version === found.version) return { routed: found.routed, endpoint };
  const { routed } = find(pipeline, { ...requested, version }, httpRequest.method);
  const other = endpointOf(routed, httpRequest.method);
  if (other.kind === "page") throw nothingHere();
  return { routed, endpoint: other };
}

function run(pipeline: Pipeline, request: RoutedRequest): Awaitable<HttpResponse> {
  const { operation } = request.endpoint.compiled;
  return operation.response.errors === undefined ? runIn(pipeline, request) : runRestated(pipeline, request, operation);
}

async function runRestated(pipeline: Pipeline, request: RoutedRequest, operation: Operation): Promise<HttpResponse> {
  try {
    return await runIn(pipeline, request);
  } catch (thrown) {
    throw thrown instanceof ApiError ? restated(operation, thrown) : thrown;
  }
}

/** Where a request brings files, those that no record was given in the end are forgotten, whatever happened. */
function runIn(pipeline: Pipeline, request: RoutedRequest): Awaitable<HttpResponse> {
  const { received, compiled } = request.endpoint;
  // A version that is no longer the newest may have files that the newest has not.
  const hasUploads =
    compiled.operation.body?.files !== undefined || received?.compiled.operation.body?.files !== undefined;
  return hasUploads ? runBringing(pipeline, request) : runWith(pipeline, request, []);
}

async function runBringing(pipeline: Pipeline, request: RoutedRequest): Promise<HttpResponse> {
  const uploads: string[] = [];
  try {
    return await runWith(pipeline, request, uploads);
  } finally {
    if (uploads.length > 0) await pipeline.context.store.files.discard(uploads);
  }
}

function runWith(pipeline: Pipeline, request: RoutedRequest, uploads: string[]): Awaitable<HttpResponse> {
  const { httpRequest, endpoint, observation } = request;
  const { inbound, limits } = endpoint.compiled.operation;
  let bytes: Promise<Buffer> | undefined;
  const read = () => (bytes ??= readBytes(httpRequest, limits.requestBytes, limits.requestMilliseconds));
  const body: SentBody = { read, begun: () => bytes, uploads };
  return after(pipeline.authentication.authenticate(httpRequest, read, inbound !== undefined), (caller) => {
    if (caller.id !== null) observation.caller = caller.id;
    return after(chosenVersion(pipeline, request, caller), (version) =>
      runAs(pipeline, request, body, caller, version),
    );
  });
}

/** A request in a version that there is not counts for its caller as any other. */
function chosenVersion(
  { chooser, context }: Pipeline,
  { observation, requested }: RoutedRequest,
  caller: Caller,
): Awaitable<Served> {
  const rejected = (thrown: unknown): Awaitable<never> => {
    const counted = observation.admission && limitAfterAuth(observation.admission, caller, true, context.clock.now());
    return after(counted, () => {
      throw thrown;
    });
  };
  try {
    const version = chooser.choose(requested, caller);
    return version instanceof Promise ? version.catch(rejected) : version;
  } catch (thrown) {
    return rejected(thrown);
  }
}

/** The body of a request: nobody reads it before somebody asks for it. */
interface SentBody {
  readonly read: () => Promise<Buffer>;
  /** What was asked for. */
  readonly begun: () => Promise<Buffer> | undefined;
  /** The files that were in it. */
  readonly uploads: string[];
}

/** A request whose caller is known, and with it the version and the operation. */
interface Known {
  readonly request: RoutedRequest;
  readonly body: SentBody;
  readonly caller: Caller;
  readonly version: Served;
  readonly routed: Routed<Endpoint>;
  readonly endpoint: OperationEndpoint;
  readonly kind: ForKind;
}

function runAs(
  pipeline: Pipeline,
  request: RoutedRequest,
  body: SentBody,
  caller: Caller,
  version: Served,
): Awaitable<HttpResponse> {
  const { observation } = request;
  observation.version = version;
  const { routed, endpoint } = foundIn(pipeline, request, version);
  const others = endpoint === request.endpoint ? undefined : readmit(pipeline, request, endpoint, routed.parameters);
  return after(others, () => {
    const kind = endpoint.compiled.forKind(caller.kind);
    const known: Known = { request, body, caller, version, routed, endpoint, kind };
    const { admission } = observation;
    const counted =
      admission && limitAfterAuth(admission, caller, kind.allowed === "denied", pipeline.context.clock.now());
    return after(counted, () => runLimited(pipeline, known));
  });
}

/** Past the second gate of its limits. */
function runLimited(pipeline: Pipeline, known: Known): Awaitable<HttpResponse> {
  const { caller, endpoint, kind, request } = known;
  const { received, compiled } = endpoint;
  if (kind.allowed === "denied")
    throw caller.kind === 0
      ? pipeline.authentication.challenge()
      : pipeline.authentication.forbidden(caller, compiled.operation.allow);
  const { inbound } = request.endpoint.compiled.operation;
  if (inbound !== undefined && caller.credential !== inbound.credential) throw new ApiError("forbidden");
  const { operation } = received?.compiled ?? compiled;
  // A file is what it is, whatever is asked for (RFC 9110 section 12.5.1).
  if (operation.file === undefined || operation.action !== "read")
    checkAccept(
      request.httpRequest,
      compiled.wire === undefined ? (compiled.extension?.offers ?? json) : compiled.wire.offers,
    );
  const isBodiless =
    operation.body === undefined && operation.wire === undefined && !announcesBody(request.httpRequest);
  return after(isBodiless ? { input: {} } : readInput(pipeline, known, operation), (input) =>
    call(pipeline, known, input),
  );
}

/** What a request brings in its body. */
interface Input {
  readonly input: JsonObject;
  readonly envelope?: Unwrapped;
  /** In place of the operation's own. */
  readonly validate?: Validator;
}

async function readInput(pipeline: Pipeline, known: Known, operation: Operation): Promise<Input> {
  const { body, endpoint, request, routed } = known;
  const { httpRequest, requested } = request;
  const hasBody = operation.body !== undefined;
  const isContract = operation.wire !== undefined;
  if (hasBody && !isContract && (operation.body.required || (await sendsBody(httpRequest, body.read))))
    checkMedia(httpRequest, operation.body.mediaTypes, operation.method);
  if (operation.wire?.body === undefined && (!hasBody || isContract) && announcesBody(httpRequest))
    await rejectBody(httpRequest, operation.method, body.read);
  if (operation.body?.files !== undefined) {
    const newFile = (): string => {
      const id = pipeline.context.newId("file");
      body.uploads.push(id);
      return id;
    };
    const { requestMilliseconds } = request.endpoint.compiled.operation.limits;
    const pipe = uploadPipeOf(httpRequest, requestMilliseconds, body.begun());
    const files = await filesOf(operation, httpRequest, pipe, pipeline.context.store.files, newFile);
    if (files !== undefined) return { input: files };
  }
  if (isContract) {
    const sent = { httpRequest, query: requested.query, parameters: routed.parameters, bytes: body.read };
    return { input: await contractInput(operation, pipeline.context.plan.schemas, sent) };
  }
  if (!hasBody) return { input: {} };
  const parsed = parseBody(await body.read(), operation.body);
  // Under a name that no field has, so that a repeated request is still told from another one.
  if (!isObject(parsed)) return { input: { "": parsed }, validate: rejectNonObject };
  const { envelope: envelopePlan } = operation.body;
  if (envelopePlan === undefined) return { input: parsed };
  const envelope = { ...openEnvelope(envelopePlan, parsed), sent: parsed };
  const { input, violations } = envelope;
  if (violations.length === 0) return { input, envelope };
  return {
    input,
    envelope,
    validate: envelopeValidator(envelope, (endpoint.received?.compiled ?? endpoint.compiled).validate),
  };
}

function call(pipeline: Pipeline, known: Known, { input, envelope, validate }: Input): Awaitable<HttpResponse> {
  const { caller, endpoint, kind, request, routed, version } = known;
  const { httpRequest, observation, path, rejected, requested } = request;
  const { received } = endpoint;
  const compiled =
    validate !== undefined && received === undefined ? { ...endpoint.compiled, validate } : endpoint.compiled;
  const { operation } = received?.compiled ?? compiled;
  const parameters = operation.wire === undefined ? parseQuery(requested.query) : new Map<string, string>();
  if (operation.list === undefined) rejectParameters(operation, parameters);
  const rendered = queryInput(received?.compiled ?? compiled, parameters);
  const now = pipeline.context.clock.now();
  const placeholders = createPlaceholders(pipeline.context.plan.credentials, pipeline.context.random);
  const made: Writable<Call> = {
    context: pipeline.context,
    httpRequest,
    compiled,
    observation,
    caller,
    kind,
    version,
    path,
    parameters: routed.parameters,
    query: parameters,
    received: rendered,
    input,
    now,
    by: caller.id ?? "anonymous",
    cause: compiled.operation.name,
    request: observation.requestId,
    variables: withDeadline(
      {
        caller,
        input: operation.query.length === 0 ? input : { ...input, ...rendered },
        now: instantText(now),
        base: pipeline.context.baseUrl(),
        ...(placeholders === undefined ? undefined : { tokens: placeholders.variable }),
      },
      now + operation.limits.requestMilliseconds,
    ),
  };
  if (received !== undefined && version.converter !== undefined)
    made.own = versionedRequestOf(received, version.converter, kind, caller, input, validate);
  if (envelope !== undefined) made.envelope = envelope;
  if (requested.parameter !== undefined) made.parameter = requested.parameter;
  if (placeholders !== undefined) made.placeholders = placeholders;
  const { errors } = compiled.operation.response;
  if (made.own === undefined && envelope === undefined && errors === undefined)
    return perform(made, pipeline, rejected);
  const throwOlder = (thrown: unknown): never => {
    throw thrown instanceof ApiError ? asSent(made, thrown) : thrown;
  };
  try {
    const response = perform(made, pipeline, (error) => rejected(asSent(made, error)));
    return response instanceof Promise ? response.catch(throwOlder) : response;
  } catch (thrown) {
    return throwOlder(thrown);
  }
}

type Writable<Type> = { -readonly [Name in keyof Type]: Type[Name] };

/** What is refused, in the words of the caller's version and where it stands in the body as it was sent. */
function asSent(call: Call, error: ApiError): ApiError {
  const olderError = restated(call.compiled.operation, toOlderError(call, error));
  return call.envelope === undefined ? olderError : errorInEnvelope(olderError, call.envelope.paths);
}

/** With the status that the operation has for the error, where it has one of its own. */
function restated({ response }: Operation, error: ApiError): ApiError {
  const status = response.errors?.[error.code];
  return status === undefined ? error : new ApiError(error.code, { ...error.details, status });
}

function perform(call: Call, pipeline: Pipeline, rejected: (error: ApiError) => HttpResponse): Awaitable<HttpResponse> {
  return pipeline.load.during(() => done(call, pipeline, rejected));
}

function done(call: Call, pipeline: Pipeline, rejected: (error: ApiError) => HttpResponse): Awaitable<HttpResponse> {
  const { extension, operation } = call.compiled;
  if (extension?.perform !== undefined) return extension.perform(call);
  if (call.context.functionsFor(operation.name) !== undefined) return written(call, pipeline, rejected);
  const { action, file } = operation;
  if (action === "read") return file === undefined ? readWithTokens(call) : download(call, file.column);
  if (action === "history") return history(call);
  return action === "list" ? list(call) : written(call, pipeline, rejected);
}

async function written(
  call: Call,
  { inUse, load }: Pipeline,
  rejected: (error: ApiError) => HttpResponse,
): Promise<HttpResponse> {
  const response = await write(call, inUse, rejected);
  load.wrote();
  return response;
}

/** What only reads makes no token: who is told one came with it. */
function readWithTokens(call: Call): Awaitable<HttpResponse> {
  const reading = call.compiled.operation.aggregate === true ? readAll(call) : read(call);
  return call.placeholders === undefined
    ? reading
    : after(reading, (response) => withTokens(call, undefined, response));
}

function versionedRequestOf(
  received: VersionedOperation,
  converter: VersionConverter,
  kind: ForKind,
  caller: Caller,
  input: JsonObject,
  validate: Validator | undefined,
): VersionedRequest {
  const reads = received.readsFor(caller.kind, kind, converter);
  return {
    converter,
    input,
    ...(reads === undefined ? undefined : { reads }),
    compiled: validate === undefined ? received.compiled : { ...received.compiled, validate },
    kind: { ...kind, record: received.viewFor(caller.kind) },
  };
}

interface FoundPath {
  readonly version: Served;
  readonly routed: Routed<Endpoint>;
}

/**
 * What a path leads to: in the version that is certain, else in the newest that has it, with this method if any has. Whether
 * the caller's own version has it is asked again when that is known.
 */
function find({ versions }: Pipeline, { segments, version }: RequestedVersion, method: string): FoundPath {
  let elsewhere: FoundPath | undefined;
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

function nothingHere(): ApiError {
  return new ApiError("not-found", { detail: "There is nothing at this path" });
}

/** HEAD is served wherever GET is (R4.2). A method that nobody knows is 501, one that this path lacks 405 (R4.1). */
function endpointOf(routed: Routed<Endpoint>, method: string): Endpoint {
  const endpoint = routed.methods.get(method === "HEAD" ? "GET" : method);
  if (endpoint !== undefined) return endpoint;
  const headers = ["Allow", allowed(routed).join(", ")];
  if (!knownMethods.has(method)) throw new ApiError("not-implemented", { headers });
  throw new ApiError("method-not-allowed", { detail: `This path takes ${allowed(routed).join(", ")}`, headers });
}

function allowed({ methods }: Routed<Endpoint>): readonly string[] {
  const names = [...methods.keys()].flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  return [...names, "OPTIONS"];
}

/** What the path takes, the same for everybody and every record (R4.2); or what the server does, for `*`. */
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

const json: readonly string[] = ["application/json"];

function checkAccept(httpRequest: HttpRequest, offered: readonly string[] | undefined): void {
  const accept = httpRequest.headers.get("accept");
  if (offered === undefined || offered.some((type) => acceptQuality(accept, type) > 0)) return;
  throw new ApiError("not-acceptable", { detail: `Answers are ${offered.join(" or ")}`, members: { offered } });
}

/** A body of chunks may have none of a byte, of which nobody has to say what it is. */
async function sendsBody(httpRequest: HttpRequest, read: () => Promise<Buffer>): Promise<boolean> {
  if (!announcesBody(httpRequest)) return false;
  const isTyped = httpRequest.headers.get("content-type") !== undefined;
  return isTyped || httpRequest.headers.get("transfer-encoding") === undefined || (await read()).length > 0;
}

/** A body where none has a meaning is a smuggler's tool on GET and DELETE (R4.5), and an unread one on an action. */
async function rejectBody(httpRequest: HttpRequest, method: string, body: () => Promise<Buffer>): Promise<void> {
  if (method === "POST") {
    if (!(await sendsBody(httpRequest, body))) return;
    checkMedia(httpRequest, ["application/json"], method);
    const bytes = await body();
    if (bytes.length === 0) return;
    const parsed = parseJson(bytes);
    if (parsed.kind === "value" && isObject(parsed.value) && Object.keys(parsed.value).length === 0) return;
    throw malformed({ pointer: "#", code: "unexpected-body", detail: "This operation takes no body" });
  }
  throw new ApiError("invalid-request", {
    status: 400,
    detail: `${httpRequest.method} takes no body`,
    violations: [{ pointer: "#", code: "unexpected-body", detail: `${httpRequest.method} takes no body` }],
    close: true,
  });
}
