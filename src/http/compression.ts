/** Compresses bodies above 1 KiB with br or gzip (R4.23). The coding is part of the entity tag (R4.15). */
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { HttpResponse } from "./message.ts";
import { chooseEncoding } from "./negotiation.ts";
import { encodedTag } from "./entity-tags.ts";

const leastBytes = 1024;
const gzipAsync = promisify(gzip);
const brotliAsync = promisify(brotliCompress);

const vary = ["Vary", "Accept-Encoding"];

/** Adds to the Vary field. Merges into an existing one, because some caches read only the first one. */
function varying(headers: readonly string[]): readonly string[] {
  const at = headers.indexOf("Vary") + 1;
  return at === 0 ? [...headers, ...vary] : headers.with(at, `${headers[at]}, Accept-Encoding`);
}

export function compress(response: HttpResponse, accepted: string | undefined): HttpResponse | Promise<HttpResponse> {
  const { body } = response;
  if (body === undefined || body.length < leastBytes) return response;
  const coding = chooseEncoding(accepted);
  return coding === undefined ? { ...response, headers: varying(response.headers) } : encode(response, body, coding);
}

/**
 * Returns the fields of a 304 response that depend on the coding: those of the 200 response with this body and tag (R4.16).
 */
export function revalidationFields(body: string, tag: string, accepted: string | undefined): readonly string[] {
  if (body.length < leastBytes) return ["ETag", tag];
  const coding = chooseEncoding(accepted);
  return ["ETag", coding === undefined ? tag : encodedTag(tag, coding), ...vary];
}

async function encode(response: HttpResponse, body: string | Uint8Array, coding: "br" | "gzip"): Promise<HttpResponse> {
  const packed =
    coding === "br"
      ? await brotliAsync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })
      : await gzipAsync(body);
  const headers = response.headers.map((value, at) =>
    response.headers[at - 1] === "ETag" ? encodedTag(value, coding) : value,
  );
  return { ...response, headers: [...varying(headers), "Content-Encoding", coding], body: packed };
}
