/** Signs deliveries by Standard Webhooks 1.0.0: HMAC-SHA256 of id, time of the attempt and body (R6.5). */
import { createHmac } from "node:crypto";

/** Returns the header fields of an attempt. `seconds`: its time. Each valid secret adds a signature. */
export function signatureFields(
  secrets: readonly string[],
  id: string,
  seconds: number,
  body: string,
): Readonly<Record<string, string>> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice("whsec_".length), "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64")}`;
  });
  return {
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    ...(signatures.length === 0 ? {} : { "webhook-signature": signatures.join(" ") }),
  };
}
