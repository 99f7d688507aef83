/**
 * Where the body of a request ends (RFC 9112 section 6), and what of the bytes that come are its own. What says two things, or
 * anything that only some would understand, is no request at all: section 6.3 lets a server refuse it, and this one does.
 */
import type { Head } from "./head.ts";

export interface BodyReader {
  /** Whether all of it has been taken. */
  readonly over: boolean;
  /** Takes what is of the body from `start` on; gives where it came to, or `bad`. */
  take(bytes: Buffer, start: number, give: (piece: Buffer) => void): number | "bad";
}

/** Undefined where nobody could say for certain where the body ends. */
export function bodyOf({ headers, version }: Head): BodyReader | undefined {
  const coding = headers.get("transfer-encoding");
  const length = headers.get("content-length");
  if (coding !== undefined) {
    if (length !== undefined || version === "1.0" || coding.toLowerCase() !== "chunked") return undefined;
    return chunkedBody();
  }
  if (length === undefined) return noBody;
  return /^\d{1,15}$/.test(length) ? lengthBody(Number(length)) : undefined;
}

const noBody: BodyReader = { over: true, take: (_bytes, start) => start };

function lengthBody(length: number): BodyReader {
  let missing = length;
  return {
    get over() {
      return missing === 0;
    },
    take(bytes, start, give) {
      const end = Math.min(bytes.length, start + missing);
      if (end > start) give(bytes.subarray(start, end));
      missing -= end - start;
      return end;
    },
  };
}

/** Of all extensions of chunks and trailers of a body, which nobody reads. */
const maximumLineBytes = 16_384;

/** Section 7.1. A chunk's own line and the trailers are taken when they are there whole. */
function chunkedBody(): BodyReader {
  let state: "size" | "data" | "data-end" | "trailers" | "over" = "size";
  let missing = 0;
  let passedOver = 0;
  return {
    get over() {
      return state === "over";
    },
    take(bytes, start, give) {
      let at = start;
      while (at < bytes.length && state !== "over") {
        if (state === "data") {
          const end = Math.min(bytes.length, at + missing);
          give(bytes.subarray(at, end));
          missing -= end - at;
          at = end;
          if (missing === 0) state = "data-end";
          continue;
        }
        if (state === "data-end" && bytes[at] !== 0x0d) return "bad";
        const lineEnd = bytes.indexOf("\r\n", at, "latin1");
        if (lineEnd === -1)
          return isLine(bytes, at, bytes.length) && bytes.length - at <= maximumLineBytes ? at : "bad";
        if (!isLine(bytes, at, lineEnd)) return "bad";
        const line = bytes.toString("latin1", at, lineEnd);
        at = lineEnd + 2;
        if (state === "data-end") {
          if (line !== "") return "bad";
          state = "size";
        } else if (state === "size") {
          const size = chunkSize(line);
          if (size === undefined) return "bad";
          passedOver += line.length - line.search(/;|$/);
          missing = size;
          state = size === 0 ? "trailers" : "data";
        } else if (line === "") state = "over";
        else if (!/^[\w!#$%&'*+.^`|~-]+:/.test(line) || framing.test(line)) return "bad";
        else passedOver += line.length + 2;
        if (passedOver > maximumLineBytes) return "bad";
      }
      return at;
    },
  };
}

/** RFC 9110 section 6.5.1: where a message ends is not said at its end. */
const framing = /^(?:content-length|transfer-encoding):/i;

/** In hexadecimal; what stands behind a semicolon is passed over. No white space, which some would take for a part of it. */
function chunkSize(line: string): number | undefined {
  const [, digits] = /^([\da-fA-F]{1,12})(?:;[\t\x20-\x7e]*)?$/.exec(line) ?? [];
  return digits === undefined ? undefined : Number.parseInt(digits, 16);
}

/** Whether no control character stands in it; a carriage return may be the last one there is so far. */
function isLine(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] as number;
    if (byte >= 0x20 ? byte === 0x7f : byte !== 0x09 && !(byte === 0x0d && at === bytes.length - 1)) return false;
  }
  return true;
}
