/** Performs the operation of a request in the newest version; errors and responses are in the caller's version. */
import { instantText } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import type { HttpResponse } from "../../http/message.ts";
import type { Operation } from "../../plan/endpoints/types.ts";
import { withDeadline } from "../../store/port/deadline.ts";
import type { Awaitable } from "../../store/port/store.ts";
import { createPlaceholders, withTokens } from "../auth/token-placeholders.ts";
import type { ForKind } from "../context/compiled.ts";
import type { Call, Context } from "../context/context.ts";
import type { VersionedRequest } from "../context/version.ts";
import { ApiError } from "../errors/api-error.ts";
import type { Load } from "../limits/load-shedding.ts";
import { parseRepeatedQuery } from "../routing/target.ts";
import { toOlderError } from "../versions/to-older-error.ts";
import { read } from "./read.ts";
import { download } from "./download.ts";
import { errorInEnvelope } from "./envelope.ts";
import { history } from "./history.ts";
import { list } from "./list.ts";
import { isRepeatable, queryInput, rejectParameters } from "./query-input.ts";
import type { Input, OperationRequest } from "./read-input.ts";
import { type Selected, selectedKind } from "./selection.ts";
import { type KeysInUse, write } from "./write.ts";

const none: Partial<Selected> = {};

type Writable<Type> = { -readonly [Name in keyof Type]: Type[Name] };

/** Creates the call of a request. @throws ApiError 400 for an unknown query parameter. */
export function createCall(
  context: Context,
  request: OperationRequest,
  { envelope, input, items, paths, validate }: Input,
): Call {
  const { caller, httpRequest, observation, route, version } = request;
  const { endpoint, parameters, path, requested } = route;
  const { received } = endpoint;
  const compiled =
    validate !== undefined && received === undefined ? { ...endpoint.compiled, validate } : endpoint.compiled;
  const { operation } = received?.compiled ?? compiled;
  const parsed = parseRepeatedQuery(operation.wire === undefined ? requested.query : "", (name) =>
    isRepeatable(operation, name),
  );
  const { query, repeated } = parsed;
  if (operation.list === undefined) rejectParameters(operation, query);
  const queried = queryInput(received?.compiled ?? compiled, parsed);
  const selected = selectedKind(operation, request.kind, parsed, paths, version.converter);
  const { kind = request.kind, olderFields } = selected ?? none;
  const now = context.clock.now();
  const placeholders = createPlaceholders(context.plan.credentials, context.random);
  const call: Writable<Call> = {
    context,
    httpRequest,
    compiled,
    observation,
    caller,
    kind,
    version,
    path,
    parameters,
    query,
    received: queried,
    input,
    sent: route.body,
    now,
    by: caller.id ?? "anonymous",
    cause: compiled.operation.name,
    request: observation.requestId,
    variables: withDeadline(
      {
        caller,
        input: operation.query.length === 0 ? input : { ...input, ...queried },
        now: instantText(now),
        base: context.baseUrl(),
        ...(placeholders === undefined ? undefined : { tokens: placeholders.variable }),
      },
      now + operation.limits.requestMilliseconds,
    ),
  };
  const own = versionedRequest(request, input, validate, kind);
  if (own !== undefined) call.own = own;
  if (items !== undefined) call.items = items;
  if (paths !== undefined) call.bodyPaths = paths;
  if (olderFields !== undefined) call.olderFields = olderFields;
  if (envelope !== undefined) call.envelope = envelope;
  if (repeated !== undefined) call.repeated = repeated;
  if (requested.parameter !== undefined) call.parameter = requested.parameter;
  if (placeholders !== undefined) call.placeholders = placeholders;
  return call;
}

function versionedRequest(
  { caller, kind, route: { endpoint }, version: { converter } }: OperationRequest,
  input: JsonObject,
  validate: Input["validate"],
  selected: ForKind,
): VersionedRequest | undefined {
  const { received } = endpoint;
  if (received === undefined || converter === undefined) return undefined;
  const reads = selected === kind ? received.readsFor(caller.kind, kind, converter) : undefined;
  return {
    converter,
    input,
    ...(reads === undefined ? undefined : { reads }),
    compiled: validate === undefined ? received.compiled : { ...received.compiled, validate },
    kind: { ...kind, record: received.viewFor(caller.kind) },
  };
}

export interface Performing {
  readonly inUse: KeysInUse;
  readonly load: Load;
}

export function perform(
  service: Performing,
  call: Call,
  rejected: (error: ApiError) => HttpResponse,
): Awaitable<HttpResponse> {
  const isAsSent =
    call.own === undefined && call.envelope === undefined && call.compiled.operation.response.errors === undefined;
  return isAsSent
    ? service.load.during(() => performed(service, call, rejected))
    : performAsSent(service, call, rejected);
}

async function performAsSent(
  service: Performing,
  call: Call,
  rejected: (error: ApiError) => HttpResponse,
): Promise<HttpResponse> {
  try {
    return await service.load.during(() => performed(service, call, (error) => rejected(asSent(call, error))));
  } catch (thrown) {
    throw thrown instanceof ApiError ? asSent(call, thrown) : thrown;
  }
}

/** Returns the error in the caller's version, with pointers into the sent body. */
function asSent(call: Call, error: ApiError): ApiError {
  const olderError = withOperationStatus(call.compiled.operation, toOlderError(call, error));
  return call.envelope === undefined ? olderError : errorInEnvelope(olderError, call.envelope.paths);
}

/** Returns the error with the status that the operation declares for it, if any. */
export function withOperationStatus({ response }: Operation, error: ApiError): ApiError {
  const status = response.errors?.[error.code];
  return status === undefined ? error : new ApiError(error.code, { ...error.details, status });
}

function performed(
  service: Performing,
  call: Call,
  rejected: (error: ApiError) => HttpResponse,
): Awaitable<HttpResponse> {
  const { extension, operation } = call.compiled;
  if (extension?.perform !== undefined) return extension.perform(call);
  const { action, file, name } = operation;
  if (call.context.functionsFor(name) !== undefined) return written(service, call, rejected);
  if (action === "list" || action === "summary") return list(call);
  if (action === "history") return history(call);
  if (action !== "read") return written(service, call, rejected);
  if (file !== undefined) return download(call, file.column);
  const reading = read(call);
  // A read creates no token: the caller gets the token of its request.
  return call.placeholders === undefined ? reading : withTokensOf(call, reading);
}

async function withTokensOf(call: Call, reading: Awaitable<HttpResponse>): Promise<HttpResponse> {
  return withTokens(call, undefined, await reading);
}

async function written(
  { inUse, load }: Performing,
  call: Call,
  rejected: (error: ApiError) => HttpResponse,
): Promise<HttpResponse> {
  const response = await write(call, inUse, rejected);
  load.wrote();
  return response;
}
