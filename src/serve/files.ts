/** What a request brings of files: by themselves, or as parts of a form. */
import type { JsonObject } from "../base/json.ts";
import type { Operation } from "../plan/plan.ts";
import type { FileStore } from "../store/store.ts";
import { noRoom } from "./budget.ts";
import type { Exchange, Poured } from "./exchange.ts";
import { type Pour, readForm } from "./form.ts";
import { parseMediaType } from "./negotiation.ts";
import { Refusal } from "./refusal.ts";
import { receive } from "./upload.ts";

/** The body's bytes; `read` are those that somebody has read already, to see whether a signature is theirs. */
export function pourOf(exchange: Exchange, milliseconds: number, read: Promise<Buffer> | undefined): Pour {
  return async (limit, take) => {
    if (read !== undefined) return take(await read);
    const end = exchange.pour
      ? await exchange.pour(limit, milliseconds, take)
      : await wholeOf(exchange, limit, milliseconds, take);
    if (end === "too-large")
      throw new Refusal("too-large", { detail: `A request may have ${limit} bytes here`, close: true });
    if (end === "no-room") throw noRoom();
    if (end === "aborted") throw new Refusal("request-timeout", { close: true });
  };
}

async function wholeOf(
  exchange: Exchange,
  limit: number,
  milliseconds: number,
  take: (bytes: Buffer) => Promise<void>,
): Promise<Poured> {
  const body = await exchange.body(limit, milliseconds);
  if (body.kind !== "bytes") return body.kind;
  await take(body.bytes);
  return "whole";
}

/** The members that the body has; undefined where it is JSON. */
export async function filesOf(
  { body, file, limits }: Operation,
  exchange: Exchange,
  pour: Pour,
  files: FileStore,
  newFile: () => string,
): Promise<JsonObject | undefined> {
  const { account, headers } = exchange;
  const contentType = headers.get("content-type") ?? "";
  const type = parseMediaType(contentType)?.essence ?? "application/octet-stream";
  if (file !== undefined) {
    const receiving = receive(files, newFile(), file, { type, name: undefined }, account);
    await pour(file.maxBytes, (bytes) => receiving.write(bytes));
    return { [file.column]: (await receiving.end()) as unknown as JsonObject };
  }
  if (body === undefined || type !== "multipart/form-data") return undefined;
  return readForm(pour, { contentType, body, maxBytes: limits.requestBytes, files, newFile, account });
}
