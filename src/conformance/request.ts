/** Builds the requests of operations, as the document describes them. */
import type { Json, JsonObject } from "../base/json.ts";
import { inputOnlyActions } from "../language/endpoints/model.ts";
import { segmentText } from "../language/endpoints/resolve.ts";
import { batchOf, type InputShape, inputShapeOf } from "../language/endpoints/shape.ts";
import { lookup } from "../language/resources/fields.ts";
import type { Caller } from "./caller.ts";
import { type Contract, type Operation, wrapOf } from "./contract.ts";
import { contentOf, formOf, isFileValue } from "./files.ts";
import type { Request } from "./interaction.ts";
import { type Query, queryText } from "./trial/parameters.ts";
import { textOf } from "./trial/known.ts";

export interface Wanted {
  readonly operation: Operation;
  readonly caller: Caller;
  /** By path parameter, its value. */
  readonly path: Readonly<Record<string, Json>>;
  /** The members of the body without the objects around them; undefined: no body. */
  readonly body?: JsonObject | undefined;
  /** A body that is sent as it is, in place of `body`. */
  readonly rawBody?: { readonly type?: string; readonly bytes: string | Uint8Array } | undefined;
  readonly query?: Query | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The version to name; `null` names none. Absent: the version of the contract. */
  readonly version?: string | null | undefined;
}

export function buildRequest(contract: Contract, address: string, wanted: Wanted): Request {
  const { operation, caller, body, rawBody, query = {}, headers = {} } = wanted;
  const version = wanted.version === undefined ? contract.version : (wanted.version ?? undefined);
  const { method } = operation.endpoint;
  const path = operation.segments.map((segment) =>
    segmentText(segment, (name) => encodeURIComponent(textOf(lookup(wanted.path, name)))),
  );
  const selector = versionSelector(contract, version);
  const parameters = queryText({ ...query, ...selector.query });
  const url = `${operationsAddress(contract, address)}${selector.path}/${path.join("/")}`;
  const sent = rawBody ?? (body === undefined ? undefined : sentBody(contract, operation, body));
  return caller.authorize({
    method,
    url: parameters === "" ? url : `${url}?${parameters}`,
    headers: {
      ...selector.headers,
      ...(sent?.type === undefined ? {} : { "Content-Type": sent.type }),
      ...headers,
    },
    ...(sent === undefined ? {} : { body: sent.bytes }),
  });
}

/** Returns a body as it is sent: as JSON, as a form if it has a file, or as the bytes of a file that is the whole body. */
function sentBody(
  contract: Contract,
  operation: Operation,
  body: JsonObject,
): Required<NonNullable<Wanted["rawBody"]>> {
  const single =
    operation.kind === "resource" && operation.file !== undefined ? lookup(body, operation.file) : undefined;
  if (isFileValue(single)) return { type: single.type, bytes: contentOf(single) };
  if (Object.values(body).some(isFileValue)) return formOf(body);
  return { type: "application/json", bytes: JSON.stringify(wrapped(contract, operation, body)) };
}

/** Returns the address of the operations: that of the service with the path of `base`. */
export function operationsAddress({ model }: Contract, address: string): string {
  const { base = "{base_url}" } = model.endpoints;
  const rest = base.startsWith("{base_url}") ? base.slice("{base_url}".length) : new URL(base).pathname;
  return `${address.replace(/\/$/, "")}${rest.replace(/\/$/, "")}`;
}

/** Returns what expressions call `base`: the address of the operations, which may be one that the test does not call. */
export function baseAddress(contract: Contract, address: string): string {
  const { base = "{base_url}" } = contract.model.endpoints;
  return base.startsWith("{base_url}") ? operationsAddress(contract, address) : base.replace(/\/$/, "");
}

interface Selector {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly path: string;
}

/** Returns how a request names a version. */
export function versionSelector({ model }: Contract, version: string | undefined): Selector {
  const { sent } = model.versioning;
  const none: Selector = { headers: {}, query: {}, path: "" };
  if (version === undefined || sent === undefined) return none;
  switch (sent.kind) {
    case "header":
      return { ...none, headers: { [sent.name]: version } };
    case "query":
      return { ...none, query: { [sent.name]: version } };
    case "path":
      return { ...none, path: sent.template.replace("{n}", version).replace(/\/$/, "") };
    case "media-type":
      return { ...none, headers: { Accept: `application/json; version=${version}` } };
  }
}

/** Puts the members of a body into the objects that the document puts around them, and a record into the array of many. */
function wrapped(contract: Contract, operation: Operation, body: JsonObject): Json {
  const { endpoint, action } = operation;
  const batch = batchOf(contract.model, operation);
  const shape = inputShapeOf(contract.model, operation);
  const inner = nested(contract, operation, body);
  if (batch !== undefined) {
    const items = Array.from({ length: Math.max(batch.min, 1) }, () => inner);
    return batch.member === undefined ? items : { [batch.member]: items };
  }
  const wrap = inputOnlyActions.has(action) ? undefined : wrapOf(contract, operation);
  const isWrapped = wrap !== undefined && (shape === undefined || endpoint.takesView !== undefined);
  return isWrapped ? { [wrap]: inner } : inner;
}

/** Puts the members of a record into the objects that the document puts around them. */
export function nested({ model }: Contract, operation: Operation, body: JsonObject): JsonObject {
  const shape = inputShapeOf(model, operation);
  return shape === undefined ? body : shaped(shape, body);
}

function shaped(shape: InputShape, body: JsonObject): JsonObject {
  const result: Record<string, Json> = {};
  const required = Object.values(shape.nesting).filter((around) => around.every((name) => !name.endsWith("?")));
  for (const around of required) objectAt(result, around);
  for (const [name, value] of Object.entries(body))
    objectAt(result, lookup(shape.nesting, name) ?? [])[lookup(shape.names, name) ?? name] = value;
  return result;
}

/** Returns the pointer of a body member, `#/user/email`. */
export function pointerOf(contract: Contract, operation: Operation, member: string): string {
  const { endpoint, action } = operation;
  const shape = inputShapeOf(contract.model, operation);
  const wrap = inputOnlyActions.has(action) ? undefined : wrapOf(contract, operation);
  const batch = batchOf(contract.model, operation);
  const isWrapped =
    batch === undefined && wrap !== undefined && (shape === undefined || endpoint.takesView !== undefined);
  const inner = (lookup(shape?.nesting ?? {}, member) ?? []).map((name) => name.replace(/\?$/, ""));
  // In a body with an array, all records are equal.
  const outer = batch === undefined ? [] : batch.member === undefined ? ["0"] : [batch.member, "0"];
  const around = isWrapped ? [wrap, ...inner] : [...outer, ...inner];
  return `#/${[...around, lookup(shape?.names ?? {}, member) ?? member].map((name) => name.replaceAll("~", "~0").replaceAll("/", "~1")).join("/")}`;
}

function objectAt(from: Record<string, Json>, around: readonly string[]): Record<string, Json> {
  let at = from;
  for (const written of around) {
    const name = written.replace(/\?$/, "");
    const inner = (lookup(at, name) ?? {}) as Record<string, Json>;
    at[name] = inner;
    at = inner;
  }
  return at;
}
