/** Reads the uploaded files of a request: a body that is a file, or parts of a form. */
import type { JsonObject } from "../../base/json.ts";
import type { Operation } from "../../plan/endpoints/types.ts";
import type { FileStore } from "../../store/port/store.ts";
import { noRoom, ApiError } from "../errors/api-error.ts";
import type { HttpRequest, PipeResult } from "../../http/message.ts";
import { type UploadPipe, readForm } from "./form.ts";
import { parseMediaType } from "../../http/negotiation.ts";
import { receive } from "../validation/upload.ts";

/** Returns a function that streams the body's bytes. `read`: the buffered body, if a signature check has read it. */
export function uploadPipeOf(
  httpRequest: HttpRequest,
  milliseconds: number,
  read: Promise<Buffer> | undefined,
): UploadPipe {
  return async (limit, consume) => {
    if (read !== undefined) return consume(await read);
    const end = httpRequest.pipe
      ? await httpRequest.pipe(limit, milliseconds, consume)
      : await readAll(httpRequest, limit, milliseconds, consume);
    if (end === "too-large")
      throw new ApiError("too-large", { detail: `A request may have at most ${limit} bytes here`, close: true });
    if (end === "no-room") throw noRoom();
    if (end === "aborted") throw new ApiError("request-timeout", { close: true });
  };
}

async function readAll(
  httpRequest: HttpRequest,
  limit: number,
  milliseconds: number,
  consume: (bytes: Buffer) => Promise<void>,
): Promise<PipeResult> {
  const body = await httpRequest.body(limit, milliseconds);
  if (body.kind !== "bytes") return body.kind;
  await consume(body.bytes);
  return "whole";
}

/** Returns the members of an upload or form; undefined for a JSON body. */
export async function filesOf(
  { body, file, limits }: Operation,
  httpRequest: HttpRequest,
  pipe: UploadPipe,
  files: FileStore,
  newFile: () => string,
): Promise<JsonObject | undefined> {
  const { account, headers } = httpRequest;
  const contentType = headers.get("content-type") ?? "";
  const type = parseMediaType(contentType)?.essence ?? "application/octet-stream";
  if (file !== undefined) {
    const receiving = receive(files, newFile(), file, { type, name: undefined }, account);
    await pipe(file.maxBytes, (bytes) => receiving.write(bytes));
    return { [file.column]: (await receiving.end()) as unknown as JsonObject };
  }
  if (body === undefined || type !== "multipart/form-data") return undefined;
  return readForm(pipe, { contentType, body, maxBytes: limits.requestBytes, files, newFile, account });
}
