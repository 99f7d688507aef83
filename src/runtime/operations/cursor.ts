/**
 * List cursors: opaque, URL-safe, authenticated, bound to the list, its filters and order, and the caller (R4.10). A position
 * has the place of a record among all records of its resource, hidden ones too, so it is encrypted; and the same position has
 * always the same cursor, since pages have tags. Hence the MAC of the position is what it is encrypted from (as SIV does, RFC
 * 5297).
 */
import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from "node:crypto";
import type { Value } from "../../expression/evaluate.ts";
import type { Cursors } from "../context/context.ts";

const macBytes = 16;
const cipher = "aes-256-ctr";
const mostSealed = 1000;
const longestPosition = 1000;
/** A place among all records has as many digits as there are records: texts of cursors have one length for all of these. */
const paddedTo = 32;

function padded(text: string): string {
  return text.padEnd(Math.ceil(text.length / paddedTo) * paddedTo);
}

export function createCursors(secret: string): Cursors {
  const key = createHmac("sha256", secret).update("contents of cursors").digest();
  const mac = (payload: Buffer, context: string) =>
    createHmac("sha256", secret).update(payload).update("\0").update(context).digest().subarray(0, macBytes);
  const seal = (text: string, context: string): string => {
    const payload = Buffer.from(text);
    const start = mac(payload, context);
    return Buffer.concat([start, createCipheriv(cipher, key, start).update(payload)]).toString("base64url");
  };
  /** By context and position: who asks for the same page again is given the same cursor, and making one takes 10 µs. */
  const sealed = new Map<string, string>();
  return {
    seal(position, context) {
      const text = padded(JSON.stringify(position));
      const cursorKey = `${context}\0${text}`;
      const known = sealed.get(cursorKey);
      if (known !== undefined) return known;
      const cursor = seal(text, context);
      if (sealed.size >= mostSealed) sealed.clear();
      if (cursorKey.length <= longestPosition) sealed.set(cursorKey, cursor);
      return cursor;
    },
    open(cursor, context) {
      if (!/^[\w-]{22,2000}$/.test(cursor)) return undefined;
      const bytes = Buffer.from(cursor, "base64url");
      if (bytes.length <= macBytes || bytes.toString("base64url") !== cursor) return undefined;
      const start = bytes.subarray(0, macBytes);
      const payload = createDecipheriv(cipher, key, start).update(bytes.subarray(macBytes));
      if (!timingSafeEqual(start, mac(payload, context))) return undefined;
      return JSON.parse(payload.toString()) as readonly Value[];
    },
  };
}
