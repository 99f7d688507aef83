/** br and gzip for bodies above 1 KiB, where the caller takes them (R4.23). The tag is the representation's own (R4.15). */
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Answer } from "./exchange.ts";
import { chooseEncoding } from "./negotiation.ts";
import { encodedTag } from "./preconditions.ts";

const leastBytes = 1024;
const gzipAsync = promisify(gzip);
const brotliAsync = promisify(brotliCompress);

export function compress(answer: Answer, accepted: string | undefined): Answer | Promise<Answer> {
  const { body } = answer;
  if (body === undefined || body.length < leastBytes) return answer;
  const coding = chooseEncoding(accepted);
  return coding === undefined
    ? { ...answer, headers: [...answer.headers, "Vary", "Accept-Encoding"] }
    : encode(answer, body, coding);
}

async function encode(answer: Answer, body: string | Uint8Array, coding: "br" | "gzip"): Promise<Answer> {
  const packed =
    coding === "br"
      ? await brotliAsync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })
      : await gzipAsync(body);
  const headers = answer.headers.map((value, at) =>
    answer.headers[at - 1] === "ETag" ? encodedTag(value, coding) : value,
  );
  return { ...answer, headers: [...headers, "Vary", "Accept-Encoding", "Content-Encoding", coding], body: packed };
}
