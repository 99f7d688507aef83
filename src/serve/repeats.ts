/** Idempotency keys (R4.18 to R4.20): work, record of the answer, and key are one transaction. */
import { hash } from "node:crypto";
import type { Remembered, Transaction } from "../store/store.ts";
import type { Call } from "./context.ts";
import type { Answer } from "./exchange.ts";
import { malformed, Refusal } from "./refusal.ts";
import { canonicalText } from "./json.ts";

export interface RepeatKey {
  readonly key: string;
  /** Whose key it is: two callers never share one. */
  readonly scope: string;
  readonly fingerprint: string;
}

/** The key of a request, where it sends one and the operation knows keys; 400 where it is malformed or missing. */
export function repeatKeyOf(call: Call): RepeatKey | undefined {
  const { operation } = call.prepared;
  if (operation.repeats === undefined) return undefined;
  const header = operation.repeats.header.toLowerCase();
  const field = call.exchange.headers.get(header);
  if (field === undefined) {
    if (!operation.repeats.required) return undefined;
    throw malformed({ header, code: "required", detail: `Send ${operation.repeats.header}` });
  }
  const key = keyIn(field);
  if (key === undefined || call.exchange.headers.repeated(header)) {
    throw malformed({
      header,
      code: "bad-header",
      detail: `${operation.repeats.header} is one text of 1 to 255 printable ASCII characters, in quotes or without any`,
    });
  }
  return {
    key,
    scope: `${call.caller.credential ?? ""}\0${call.caller.id ?? call.exchange.address}`,
    fingerprint: fingerprintOf(call),
  };
}

/** The draft's quoted string (RFC 9651 section 3.3.3) and the bare text are the same key; undefined for neither. */
function keyIn(field: string): string | undefined {
  const key = field.startsWith('"') ? quoted.exec(field)?.[1]?.replace(/\\(.)/g, "$1") : bare.exec(field)?.[0];
  return key === undefined || key.length > 255 || key.trim() === "" ? undefined : key;
}

const quoted = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;
const bare = /^[\x20\x21\x23-\x7e]+$/;

/** Method, path, query and parsed body: the order of members and white space do not matter (R4.19). */
function fingerprintOf(call: Call): string {
  const query = [...call.query].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const { exchange, path, version } = call;
  const input = call.envelope?.sent ?? call.input;
  const text = [version.tag, exchange.method, path, JSON.stringify(query), canonicalText(input)].join("\n");
  return hash("sha256", text, "base64url");
}

/** The first answer given again, byte for byte; 422 where the key was used for something else. */
export async function replay(tx: Transaction, repeat: RepeatKey, now: number): Promise<Answer | undefined> {
  const first = await tx.recall(repeat.scope, repeat.key);
  if (first === undefined || first.expires <= now) return undefined;
  if (first.fingerprint !== repeat.fingerprint) {
    throw new Refusal("idempotency-key-reused", { detail: "This key was used for another request" });
  }
  const headers = Object.entries(first.headers).flat();
  return {
    status: first.status,
    headers: [...headers, "Idempotent-Replayed", "true"],
    ...(first.body === "" ? {} : { body: first.body }),
  };
}

export async function remember(tx: Transaction, repeat: RepeatKey, answer: Answer, expires: number): Promise<void> {
  const headers: Record<string, string> = {};
  for (let i = 0; i + 1 < answer.headers.length; i += 2)
    headers[answer.headers[i] as string] = answer.headers[i + 1] as string;
  const remembered: Remembered = {
    fingerprint: repeat.fingerprint,
    status: answer.status,
    headers,
    body: typeof answer.body === "string" ? answer.body : "",
    expires,
  };
  await tx.remember(repeat.scope, repeat.key, remembered);
}
