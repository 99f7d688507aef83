/** Performs `GET /xs/{id}/photo`: sends the bytes of a file or a range of them (RFC 9110 section 14). */
import type { Call } from "../context/context.ts";
import type { HttpResponse, Streaming } from "../../http/message.ts";
import { matchesWeakly } from "../../http/entity-tags.ts";
import { findVisible, parentOf } from "./read.ts";
import { absent, absentParent, keyOf, tagsOf } from "../records/find-and-authorise.ts";
import { ApiError } from "../errors/api-error.ts";

interface Described {
  readonly id: string;
  readonly type: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly name?: string;
}

export async function download(call: Call, column: string): Promise<HttpResponse> {
  const key = keyOf(call);
  const parent = await parentOf(call);
  if (parent === undefined) throw absentParent(call);
  if (key === undefined) throw absent(call);
  const { text } = await findVisible(call, key, parent);
  const file = (JSON.parse(text) as Readonly<Record<string, Described | null | undefined>>)[column] ?? undefined;
  if (file === undefined) throw new ApiError("not-found", { detail: "There is no file" });
  const tag = `"${file.sha256}"`;
  const cacheHeaders = ["ETag", tag, "Cache-Control", "private, no-cache", "Accept-Ranges", "bytes"];
  const known = tagsOf(call, "if-none-match");
  if (known !== undefined && matchesWeakly(known, tag)) return { status: 304, headers: cacheHeaders };
  const headers = ["Content-Type", file.type, "Content-Disposition", disposition(file), ...cacheHeaders];
  const range = rangeOf(call, file, tag);
  if (range === "unsatisfiable") {
    throw new ApiError("range-not-satisfiable", { headers: ["Content-Range", `bytes */${file.bytes}`] });
  }
  const { start, end } = range ?? { start: 0, end: file.bytes };
  const part = range === undefined ? [] : ["Content-Range", `bytes ${start}-${end - 1}/${file.bytes}`];
  return {
    status: range === undefined ? 200 : 206,
    headers: [...headers, ...part, "Content-Length", String(end - start)],
    stream: bytesOf(call, file.id, start, end),
  };
}

/**
 * Returns the Content-Disposition: `inline` only for types that browsers show safely, since an uploaded page must not run on
 * this origin.
 */
function disposition({ name, type }: Described): string {
  const kind = /^(?:image\/(?!svg)|audio\/|video\/|text\/plain|application\/pdf)/.test(type) ? "inline" : "attachment";
  if (name === undefined) return kind;
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  const exact = plain === name ? "" : `; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, encoded)}`;
  return `${kind}; filename="${plain}"${exact}`;
}

function encoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/**
 * Returns the requested range. Several ranges and other units are ignored, as section 14.2 allows. With `If-Range`, a range
 * applies only if it has the strong tag of the file; dates never match.
 */
function rangeOf(
  { httpRequest }: Call,
  { bytes }: Described,
  tag: string,
): { readonly start: number; readonly end: number } | "unsatisfiable" | undefined {
  const range = /^bytes=[ \t]*(?:(\d{1,15})-(\d{1,15})?|-(\d{1,15}))[ \t]*$/.exec(
    httpRequest.headers.get("range") ?? "",
  );
  const only = httpRequest.headers.get("if-range");
  if (range === null || httpRequest.method !== "GET" || (only !== undefined && only !== tag)) return undefined;
  const [, first, last, suffix] = range;
  if (suffix !== undefined) {
    const length = Math.min(Number(suffix), bytes);
    return length === 0 ? "unsatisfiable" : { start: bytes - length, end: bytes };
  }
  const start = Number(first);
  if (last !== undefined && Number(last) < start) return undefined;
  if (start >= bytes) return "unsatisfiable";
  return { start, end: last === undefined ? bytes : Math.min(Number(last) + 1, bytes) };
}

/** Sends the file in pieces, each after the connection has sent the previous piece. */
function bytesOf({ context }: Call, id: string, start: number, end: number): Streaming {
  let over = false;
  return {
    start: (sink) => {
      const send = async (): Promise<void> => {
        for (let at = start; at < end && !over; ) {
          const piece = await context.store.files.piece(id, at);
          // The file was replaced or deleted meanwhile: the connection is closed so that the client detects the truncation.
          if (piece === undefined) return sink.cut();
          const bytes = piece.bytes.subarray(at - piece.start, end - piece.start);
          sink.write(bytes);
          at += bytes.length;
          await sink.drained();
        }
        if (!over) sink.end();
      };
      void send().catch(() => sink.cut());
    },
    ended: () => {
      over = true;
    },
  };
}
