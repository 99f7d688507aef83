/** Reads a request's body: media type, size, JSON (R4.5). */
import { isObject, type Json } from "../../base/json.ts";
import type { BodyPlan, Operation } from "../../plan/endpoints/types.ts";
import { noRoom, malformed, ApiError } from "../errors/api-error.ts";
import type { HttpRequest } from "../../http/message.ts";
import { parseJson } from "../../http/json.ts";
import type { Validator } from "./validator.ts";
import { anyJson, matchesJson, parseMediaType } from "../../http/negotiation.ts";
import { fits } from "./upload.ts";

/** Rejects an unsupported Content-Type or Content-Encoding (415) before reading the body. */
export function checkMedia(httpRequest: HttpRequest, mediaTypes: readonly string[], method: string): void {
  const field = httpRequest.headers.get("content-type");
  const type = field === undefined ? undefined : parseMediaType(field);
  const isAccepted =
    type !== undefined &&
    (mediaTypes.includes(type.essence) ||
      hasSuffix(type.essence, mediaTypes) ||
      fits(type.essence, ranges(mediaTypes)));
  if (!isAccepted || (type.charset ?? "utf-8") !== "utf-8") {
    const accepted = mediaTypes.join(", ");
    const accept = ["Accept", accepted, ...(method === "PATCH" ? ["Accept-Patch", accepted] : [])];
    const detail = field === undefined ? `Send a Content-Type: ${accepted}` : `The body has to be ${accepted} in UTF-8`;
    throw new ApiError("unsupported-media", { detail, headers: accept });
  }
  const coding = httpRequest.headers.get("content-encoding");
  if (coding !== undefined && coding.trim().toLowerCase() !== "identity") {
    throw new ApiError("unsupported-media", {
      detail: "Send the body without a content coding",
      headers: ["Accept-Encoding", "identity"],
    });
  }
}

/** Whether the type is one of `application/*+json`, and that is accepted. */
function hasSuffix(essence: string, mediaTypes: readonly string[]): boolean {
  return mediaTypes.includes(anyJson) && matchesJson(essence);
}

function ranges(mediaTypes: readonly string[]): readonly string[] {
  return mediaTypes.includes("*/*") ? [] : mediaTypes;
}

/** Whether the request announces a body. */
export function announcesBody(httpRequest: HttpRequest): boolean {
  const length = httpRequest.headers.get("content-length");
  return httpRequest.headers.get("transfer-encoding") !== undefined || (length !== undefined && length !== "0");
}

/**
 * Reads the body. Throws 413 if it is longer than `limit`, and closes the connection without reading the rest (R4.6); throws
 * 408 after the timeout. `sent` gets the bytes.
 */
export async function readBytes(
  httpRequest: HttpRequest,
  limit: number,
  milliseconds: number,
  sent?: Pick<SentBody, "bytes">,
): Promise<Buffer> {
  const body = await httpRequest.body(limit, milliseconds);
  if (body.kind === "bytes") {
    if (sent !== undefined) sent.bytes = body.bytes;
    return body.bytes;
  }
  if (body.kind === "too-large") {
    throw new ApiError("too-large", { detail: `A request may have at most ${limit} bytes`, close: true });
  }
  if (body.kind === "no-room") throw noRoom();
  throw new ApiError("request-timeout", { close: true });
}

/** The body of a request, read at first use. */
export interface SentBody {
  readonly read: () => Promise<Buffer>;
  /** Returns the promise of `read`, if `read` was called. */
  readonly begun: () => Promise<Buffer> | undefined;
  /** Set after `read` has read the body; absent if nothing has, as for an upload, which goes to the store. */
  bytes: Buffer | undefined;
}

export function sentBody(
  httpRequest: HttpRequest,
  { requestBytes, requestMilliseconds }: Pick<Operation["limits"], "requestBytes" | "requestMilliseconds">,
): SentBody {
  let reading: Promise<Buffer> | undefined;
  const sent: SentBody = {
    read: () => (reading ??= readBytes(httpRequest, requestBytes, requestMilliseconds, sent)),
    begun: () => reading,
    bytes: undefined,
  };
  return sent;
}

/** Whether the request has a body: a chunked body may be empty, and then needs no media type. */
async function sendsBody(httpRequest: HttpRequest, { read }: SentBody): Promise<boolean> {
  if (!announcesBody(httpRequest)) return false;
  const isTyped = httpRequest.headers.get("content-type") !== undefined;
  return isTyped || httpRequest.headers.get("transfer-encoding") === undefined || (await read()).length > 0;
}

/** Checks the media type of a body; an omitted optional body needs none. */
export async function checkBodyMedia(
  httpRequest: HttpRequest,
  { required, mediaTypes }: BodyPlan,
  method: string,
  body: SentBody,
): Promise<void> {
  if (required || (await sendsBody(httpRequest, body))) checkMedia(httpRequest, mediaTypes, method);
}

/** Rejects an unexpected body: on GET and DELETE it allows request smuggling (R4.5), and on POST it would be ignored. */
export async function rejectBody(
  httpRequest: HttpRequest,
  { method, ignoresUnknown }: Pick<Operation, "method" | "ignoresUnknown">,
  body: SentBody,
): Promise<void> {
  if (method === "POST" && ignoresUnknown === true) return;
  if (method === "POST") {
    if (!(await sendsBody(httpRequest, body))) return;
    checkMedia(httpRequest, ["application/json"], method);
    const bytes = await body.read();
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

/** Parses the body as JSON; throws 400 if it is invalid. */
export function parseBody(bytes: Buffer, plan: BodyPlan): Json {
  if (bytes.length === 0 && !plan.required) return {};
  const parsed = parseJson(bytes);
  if (parsed.kind === "fault") throw malformed({ pointer: "#", code: "bad-json", detail: parsed.detail });
  return parsed.value;
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Decodes a body as UTF-8; throws 400 for other bytes. */
export function bodyText(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw malformed({ pointer: "#", code: "wrong-format", detail: "The body is not UTF-8" });
  }
}

/** Reports a JSON body that is no object, as a part of the later validation (R0.1). */
export const rejectNonObject: Validator = () => [
  { pointer: "#", code: "wrong-type", detail: "The body must be an object" },
];
