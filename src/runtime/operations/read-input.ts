/** Reads the body of a request in the caller's version; its validation comes later (R0.1). */
import { defined } from "../../base/defined.ts";
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { formMedia } from "../../plan/endpoints/contract.ts";
import type { HttpRequest } from "../../http/message.ts";
import { parseMediaType } from "../../http/negotiation.ts";
import type { BatchPlan } from "../../plan/endpoints/types.ts";
import { openEnvelope } from "../../plan/endpoints/envelope.ts";
import type { Context, IncomingRequest, ItemInput, Unwrapped } from "../context/context.ts";
import type { Caller } from "../context/caller.ts";
import type { CompiledOperation, ForKind } from "../context/compiled.ts";
import type { Served } from "../context/version.ts";
import { contractInput } from "../functions/contract-input.ts";
import { announcesBody, checkBodyMedia, parseBody, rejectBody, rejectNonObject } from "../validation/read-body.ts";
import { adapt, adaptationOf } from "../validation/adapt-body.ts";
import type { Validator } from "../validation/validator.ts";
import type { OperationRoute } from "../versions/find-route.ts";
import { readBracketedForm } from "./bracketed-form.ts";
import { envelopeValidator } from "./envelope.ts";
import { filesOf, uploadPipeOf } from "./files.ts";
import { bodyPaths } from "./selection.ts";

/** A request whose caller, version and operation are known. */
export interface OperationRequest extends IncomingRequest {
  readonly caller: Caller;
  readonly version: Served;
  /** The route in that version. */
  readonly route: OperationRoute;
  readonly kind: ForKind;
}

/** The content of a request's body. */
export interface Input {
  readonly input: JsonObject;
  readonly envelope?: Unwrapped;
  /** The records of a body that creates many. */
  readonly items?: readonly ItemInput[];
  /** The paths of the body for `expand`. */
  readonly paths?: readonly string[];
  /** The validator to use instead of the operation's own. */
  readonly validate?: Validator;
}

const none: Input = { input: {} };

export function readInput(context: Context, request: OperationRequest): Input | Promise<Input> {
  const { received, compiled } = request.route.endpoint;
  const { body, wire } = (received?.compiled ?? compiled).operation;
  const isBodiless = body === undefined && wire === undefined && !announcesBody(request.httpRequest);
  return isBodiless ? none : readBody(context, request);
}

async function readBody(context: Context, request: OperationRequest): Promise<Input> {
  const { httpRequest, route, uploads } = request;
  const { body: sent, endpoint, milliseconds, parameters, requested } = route;
  const compiled = endpoint.received?.compiled ?? endpoint.compiled;
  const { operation } = compiled;
  const { body, method, wire } = operation;
  if (body !== undefined && wire === undefined) await checkBodyMedia(httpRequest, body, method, sent);
  if (wire?.body === undefined && (body === undefined || wire !== undefined) && announcesBody(httpRequest))
    await rejectBody(httpRequest, operation, sent);
  if (body?.files !== undefined) {
    const newFile = (): string => {
      const id = context.newId("file");
      uploads.push(id);
      return id;
    };
    const pipe = uploadPipeOf(httpRequest, milliseconds, sent.begun());
    const files = await filesOf(operation, httpRequest, pipe, context.store.files, newFile);
    if (files !== undefined) return { input: files };
  }
  if (wire !== undefined) {
    const input = contractInput(operation, context.plan.schemas, {
      httpRequest,
      query: requested.query,
      parameters,
      bytes: sent.read,
    });
    return { input: await input };
  }
  if (body === undefined) return none;
  const isForm = isFormRequest(httpRequest);
  const parsed = isForm ? readBracketedForm(await sent.read()) : parseBody(await sent.read(), body);
  if (operation.batch !== undefined) return batchInput(compiled, operation.batch, parsed, isForm);
  // The content is stored under a name that no field has, so that the fingerprint depends on it.
  if (!isObject(parsed)) return { input: { "": parsed }, validate: rejectNonObject };
  const { rest, paths } = bodyPaths(operation, parsed);
  const read = inputOf(compiled, rest, isForm);
  return paths === undefined ? read : { ...read, paths };
}

/** Reads a body with an array of records; `items` is absent if it has none. */
function batchInput(compiled: CompiledOperation, { member }: BatchPlan, parsed: Json, isForm: boolean): Input {
  const { rest, paths } = isObject(parsed) ? bodyPaths(compiled.operation, parsed) : { rest: parsed };
  const sent = member === undefined ? rest : isObject(rest) && Object.hasOwn(rest, member) ? rest[member] : undefined;
  const list = isForm && isObject(sent) ? (Object.values(sent) as readonly Json[]) : sent;
  const items = Array.isArray(list)
    ? (list as readonly Json[]).map((item): ItemInput => {
        return isObject(item) ? inputOf(compiled, item, isForm) : { input: {}, validate: rejectNonObject };
      })
    : undefined;
  return {
    input: isObject(rest) ? rest : { "": rest as Json },
    ...(items === undefined ? {} : { items }),
    ...(paths === undefined ? {} : { paths }),
  };
}

function inputOf({ operation, validate }: CompiledOperation, parsed: JsonObject, isForm: boolean): Input {
  const body = defined(operation.body, "the body that was read");
  const adaptation = adaptationOf(operation, isForm);
  const adapted = (flat: JsonObject): JsonObject =>
    adaptation === undefined ? flat : (adapt(flat, body.schema, adaptation) as JsonObject);
  if (body.envelope === undefined) return { input: adapted(parsed) };
  const opened = openEnvelope(body.envelope, parsed, operation.ignoresUnknown);
  const input = adapted(opened.input);
  const envelope = { ...opened, input, sent: parsed };
  const { violations } = envelope;
  if (violations.length === 0) return { input, envelope };
  return { input, envelope, validate: envelopeValidator(envelope, validate) };
}

/** Whether the body is a form without files; `checkBodyMedia` has accepted its media type. */
function isFormRequest({ headers }: HttpRequest): boolean {
  const media = headers.get("content-type");
  return media !== undefined && parseMediaType(media)?.essence === formMedia;
}
