/**
 * Creates and opens list cursors: opaque, URL-safe, authenticated, and bound to the list, its filters, order and caller
 * (R4.10). They are encrypted, because positions count hidden records too. They are deterministic, because pages have entity
 * tags; therefore the position's MAC is the initialization vector (like SIV, RFC 5297).
 */
import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from "node:crypto";
import type { Value } from "../../expression/evaluate.ts";
import type { Cursors } from "../context/context.ts";

const macBytes = 16;
const cipher = "aes-256-ctr";
const mostSealed = 1000;
const longestPosition = 1000;
/** The length to which positions are padded, so that a cursor's length does not reveal the number of records. */
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
  /** A cache by context and position, because sealing takes 10 µs. */
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
