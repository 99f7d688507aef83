/**
 * Makes the HTTP request of a tool call from its arguments. The request carries the credentials of the agent's own request, and
 * goes through the same checks as any other request of the service.
 */
import { isObject, type Json, type JsonObject } from "../base/json.ts";
import type { Parameter } from "../export/described.ts";
import { type HttpRequest, readHeaders } from "../http/message.ts";
import type { AuthenticationPart } from "../plan/authentication/types.ts";
import type { VersioningPart } from "../plan/versioning/conversion-types.ts";
import { ApiError, malformed } from "../runtime/errors/api-error.ts";
import type { Served } from "../runtime/context/version.ts";
import type { Tool, Tools } from "./tools.ts";

export interface Calling {
  readonly tools: Tools;
  /** The request with the message of the agent. */
  readonly httpRequest: HttpRequest;
  /** The version whose tools the agent sees. */
  readonly served: Served;
}

/** @throws ApiError if the arguments cannot be a request of this operation */
export function requestOf(tool: Tool, supplied: JsonObject, calling: Calling): HttpRequest {
  const { httpRequest, served } = calling;
  const { method } = tool.operation;
  const parts = partsOf(tool, supplied, reservedNames(served.plan));
  const path = pathOf(tool, supplied, calling.tools);
  const query = [...parts.query, ...callerQuery(calling)];
  const bytes = Buffer.from(parts.body ?? "");
  const content =
    parts.body === undefined
      ? []
      : ["content-type", tool.body?.mediaType ?? "", "content-length", String(bytes.byteLength)];
  const version = versionFields(served);
  return {
    method,
    target: `${calling.tools.mount}${path}${query.length === 0 ? "" : `?${query.join("&")}`}`,
    headers: readHeaders([...callerFields(calling), ...version, ...parts.headers, ...content]),
    address: httpRequest.address,
    secure: httpRequest.secure,
    ...(httpRequest.account === undefined ? {} : { account: httpRequest.account }),
    body: async (limit) => (bytes.byteLength > limit ? { kind: "too-large" } : { kind: "bytes", bytes }),
  };
}

// ── Arguments ──────────────────────────────────────────────────────────────────────────────────────────────────────

interface Parts {
  readonly query: readonly string[];
  /** Names and values, alternating. */
  readonly headers: readonly string[];
  readonly body: string | undefined;
}

/**
 * Distributes the arguments. An unknown one goes into the body, or else into the query, where the service rejects it, unless
 * the document ignores unknown members. `reserved`: the parameters of the query that an argument cannot set.
 */
function partsOf({ body, operation, parameters }: Tool, supplied: JsonObject, reserved: readonly string[]): Parts {
  const query: string[] = [];
  const headers: string[] = [];
  const members: [string, Json][] = [];
  for (const [name, value] of Object.entries(supplied)) {
    const parameter = parameters.get(name);
    if (parameter?.in === "path" || (parameter !== undefined && value === null)) continue;
    if (parameter?.in === "header") headers.push(parameter.name, fieldValue(parameter.name, value));
    else if (parameter !== undefined) query.push(...queryOf(parameter, value));
    else if (body?.spread === true) members.push([name, value]);
    else if (reserved.includes(name)) throw unknownArgument(name, operation.name);
    else if (body === undefined || name !== "body") query.push(pairOf(name, value));
  }
  return { query, headers, body: bodyText(body, members, supplied) };
}

function unknownArgument(name: string, operation: string): ApiError {
  const detail = `\`${operation}\` has no argument \`${name}\``;
  return malformed({ parameter: name, code: "unknown-parameter", detail });
}

function bodyText(body: Tool["body"], members: readonly [string, Json][], supplied: JsonObject): string | undefined {
  if (body === undefined) return undefined;
  if (!body.spread) return Object.hasOwn(supplied, "body") ? jsonText(supplied["body"] as Json) : undefined;
  return members.length === 0 && !body.required ? undefined : jsonText(Object.fromEntries(members));
}

/**
 * Prints a value that `parseJson` has read. It reads an integer that a double would round as Infinity, which no schema accepts;
 * this text has the same meaning.
 */
function jsonText(value: Json): string {
  return JSON.stringify(value, (_, one: unknown) => (one === Infinity || one === -Infinity ? tooLarge(one) : one));
}

/** JSON.rawJSON (ECMAScript 2026) is in Node, and not yet in the types. */
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };

function tooLarge(value: number): unknown {
  return rawJSON(value < 0 ? "-1e999" : "1e999");
}

/** Returns the path; its parameters cannot lead to another operation. @throws ApiError */
function pathOf(tool: Tool, supplied: JsonObject, tools: Tools): string {
  const { name, method, path } = tool.operation;
  let index = 0;
  const segments = path.map((segment) => {
    if (segment.kind === "literal") return segment.text;
    const argument = tool.inPath[index++] ?? segment.name;
    return `${segment.before ?? ""}${pathValue(argument, supplied)}${segment.after ?? ""}`;
  });
  // `overdue` as the id of `GET /parcels/{id}` is the path of another operation, `GET /parcels/overdue`.
  if (tools.operationAt(segments, method) !== name)
    throw new ApiError("not-found", { detail: `No record of \`${name}\` has this path` });
  return segments.map((segment) => `/${encoded(segment)}`).join("");
}

function pathValue(name: string, supplied: JsonObject): string {
  const value = Object.hasOwn(supplied, name) ? supplied[name] : undefined;
  if (value === undefined || value === null || value === "")
    throw malformed({ parameter: name, code: "required", detail: `The argument \`${name}\` is required` });
  if (typeof value === "object")
    throw malformed({ parameter: name, code: "does-not-fit", detail: `\`${name}\` has to be a text or a number` });
  return String(value);
}

/** Encodes a path segment, also `.` and `..`, which many programs would resolve. */
function encoded(segment: string): string {
  return /^\.{1,2}$/.test(segment) ? segment.replaceAll(".", "%2E") : encodeURIComponent(segment);
}

function queryOf({ name, explode, style }: Parameter, value: Json): readonly string[] {
  if (Array.isArray(value)) {
    const items = value.map((one: Json) => encodeURIComponent(textOf(one)));
    const key = encodeURIComponent(name);
    return explode === false ? [`${key}=${items.join(",")}`] : items.map((item) => `${key}=${item}`);
  }
  if (style === "deepObject" && isObject(value))
    return Object.entries(value).map(([key, one]) => pairOf(`${name}[${key}]`, one));
  return [pairOf(name, value)];
}

function pairOf(name: string, value: Json): string {
  return `${encodeURIComponent(name)}=${encodeURIComponent(textOf(value))}`;
}

function textOf(value: Json): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Returns the value of a header field. @throws ApiError for characters that no HTTP request can have there */
function fieldValue(name: string, value: Json): string {
  const text = textOf(value).trim();
  if (/^[\t\x20-\x7e\x80-\xff]*$/.test(text)) return text;
  const detail = `\`${name}\` has characters that a header field cannot have`;
  throw malformed({ header: name.toLowerCase(), code: "does-not-fit", detail });
}

// ── The caller ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** Fields about the caller and its trace, besides those of credentials. */
const passedFields = ["user-agent", "origin", "sec-fetch-site", "traceparent", "tracestate"];

function callerFields({ httpRequest: { headers }, served: { plan } }: Calling): readonly string[] {
  const sent = plan.credentials.flatMap((credential) => credential.sent);
  const names = sent.flatMap((one) =>
    "header" in one ? [one.header.toLowerCase()] : "cookie" in one ? ["cookie"] : [],
  );
  return [...new Set([...passedFields, ...names])].flatMap((name) => {
    const value = headers.get(name);
    return value === undefined ? [] : [name, value];
  });
}

/** Returns the parts of the query that contain credentials, and the version. */
function callerQuery({ httpRequest: { target }, served: { name, plan } }: Calling): readonly string[] {
  const names = queryCredentials(plan);
  const [, query = ""] = target.split("?", 2);
  const credentials = query
    .split("&")
    .filter((part) => names.some((one) => part === one || part.startsWith(`${one}=`)));
  const { sent } = plan.versions ?? {};
  return sent?.kind === "query" && name !== undefined ? [...credentials, `${sent.name}=${name}`] : credentials;
}

/** Returns the parameters of the query with a credential or the version, which come from the agent's own request. */
function reservedNames(plan: AuthenticationPart & VersioningPart): readonly string[] {
  const { sent } = plan.versions ?? {};
  return [...queryCredentials(plan), ...(sent?.kind === "query" ? [sent.name] : [])];
}

function queryCredentials({ credentials }: AuthenticationPart): readonly string[] {
  return credentials.flatMap(({ sent }) => sent.flatMap((one) => ("query" in one ? [one.query] : [])));
}

/** Returns the fields that name the version, and the media type of the response. */
function versionFields({ mediaType = "", name, plan }: Served): readonly string[] {
  const accept = ["accept", `application/json${mediaType}, */*;q=0.1`];
  const { sent } = plan.versions ?? {};
  return sent?.kind === "header" && name !== undefined ? [...accept, sent.name.toLowerCase(), name] : accept;
}
