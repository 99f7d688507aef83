/** Who calls, for peers that leave it to the user: the bearer token is a JWT (HS256), verified once and remembered. */
import { createHmac, timingSafeEqual } from "node:crypto";

const secret = process.env["PEER_SECRET"];
const callers = new Map();

/** The caller's id, or undefined. */
export function callerOf(authorization) {
  if (!authorization?.startsWith("Bearer ")) return undefined;
  const known = callers.get(authorization);
  if (known !== undefined) return known;
  const [head, payload, signature] = authorization.slice("Bearer ".length).split(".");
  const right = createHmac("sha256", secret).update(`${head}.${payload}`).digest();
  const given = Buffer.from(signature ?? "", "base64url");
  if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined;
  const id = JSON.parse(Buffer.from(payload, "base64url").toString()).sub;
  callers.set(authorization, id);
  return id;
}
