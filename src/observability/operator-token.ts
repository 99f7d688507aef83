/** Whether an operator asks: who knows the operator's token. */
import { hash, timingSafeEqual } from "node:crypto";

/** `authorization`: the header field. Without a token nobody is an operator. */
export function isOperator(token: string | undefined, authorization: string | undefined): boolean {
  const sent = /^Bearer +([^\s]+) *$/i.exec(authorization ?? "")?.[1];
  if (token === undefined || token === "" || sent === undefined) return false;
  // Hashes have one length, so that the comparison does not tell that of the token.
  return timingSafeEqual(hash("sha256", sent, "buffer"), hash("sha256", token, "buffer"));
}
