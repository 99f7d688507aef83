/** List cursors: opaque, URL-safe, authenticated, bound to the list, its filters and order, and the caller (R4.10). */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Value } from "../expression/evaluate.ts";

export interface Cursors {
  seal(position: readonly Value[], context: string): string;
  /** The position, or undefined for a cursor that was tampered with or belongs to another list. */
  open(cursor: string, context: string): readonly Value[] | undefined;
}

const macBytes = 16;

export function createCursors(secret: string): Cursors {
  const mac = (payload: Buffer, context: string) =>
    createHmac("sha256", secret).update(payload).update("\0").update(context).digest().subarray(0, macBytes);
  return {
    seal(position, context) {
      const payload = Buffer.from(JSON.stringify(position));
      return Buffer.concat([mac(payload, context), payload]).toString("base64url");
    },
    open(cursor, context) {
      if (!/^[\w-]{22,2000}$/.test(cursor)) return undefined;
      const bytes = Buffer.from(cursor, "base64url");
      const payload = bytes.subarray(macBytes);
      if (bytes.length <= macBytes || bytes.toString("base64url") !== cursor) return undefined;
      if (!timingSafeEqual(bytes.subarray(0, macBytes), mac(payload, context))) return undefined;
      return JSON.parse(payload.toString()) as readonly Value[];
    },
  };
}
