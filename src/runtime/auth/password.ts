/**
 * Hashes passwords and other fields marked `secret`. The store has `argon2id$m$t$p$salt$hash`, with salt and hash in base64,
 * so that the cost can be increased later. `scrypt$N$r$p$salt$hash` of earlier releases is still accepted.
 *
 * A text is first converted to Unicode's composed form (NFC), as RFC 8265 section 4.2 requires for passwords: keyboards differ
 * in how they write `é`. Nothing else is changed or cut off: case, blanks, control characters and NUL all count.
 */
import { argon2, scrypt, type ScryptOptions, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import type { Json } from "../../base/json.ts";
import { canonicalText } from "../../http/json.ts";

/** The cost of a hash: the first of OWASP's settings for Argon2id, 19 MiB (`m` is in KiB), 2 passes, 1 lane. */
const cost = { m: 19_456, t: 2, p: 1 } as const;
const saltBytes = 16;
const hashBytes = 32;

/** Hashes a password. Takes a good part of a second on another thread: never call it inside a transaction. */
export function hashPassword(text: string, random: (bytes: number) => Uint8Array): Promise<string> {
  return hashWithSalt(text, random(saltBytes));
}

/** Returns the same hash for the same text and salt, to compare a text with an earlier one without storing the text. */
export async function hashWithSalt(text: string, salt: Uint8Array): Promise<string> {
  const hash = await argon2id(text, salt, cost);
  return ["argon2id", cost.m, cost.t, cost.p, base64(salt), base64(hash)].join("$");
}

/** Whether the text has this hash. With `null` the result is false, after the same time (R5.7). */
export async function isPassword(text: string, storedHash: string | null): Promise<boolean> {
  const [method, a, b, c, salt = "", expected = ""] = (storedHash ?? nobodys).split("$");
  const [first, second, third] = [Number(a), Number(b), Number(c)];
  const bytes = Buffer.from(salt, "base64");
  const hash =
    method === "argon2id"
      ? await argon2id(text, bytes, { m: first, t: second, p: third })
      : method === "scrypt"
        ? await scrypted(text, bytes, { N: first, r: second, p: third })
        : undefined;
  if (hash === undefined) throw new Error(`a secret is kept as ${method}, which no release of nonet does`);
  const known = Buffer.from(expected, "base64");
  return known.length === hash.length && timingSafeEqual(known, hash) && storedHash !== null;
}

/** Whether the hash was made with another cost than the current one. */
export function isOutdated(storedHash: string): boolean {
  return !storedHash.startsWith(`argon2id$${cost.m}$${cost.t}$${cost.p}$`);
}

/** A hash that matches no known text, for unknown names. */
const nobodys = `argon2id$${cost.m}$${cost.t}$${cost.p}$${base64(new Uint8Array(saltBytes))}$${base64(new Uint8Array(hashBytes))}`;

/** The most hashes computed in parallel, so that the store still gets a thread of the pool; others wait in a queue. */
const concurrency = 2;
/** The longest queue of hashes; while it is full, the server rejects further logins with `Retry-After`. */
const longestQueue = 100;

let running = 0;
const waiting: (() => void)[] = [];

export function isHashingBusy(): boolean {
  return waiting.length >= longestQueue;
}

async function queued<Result>(task: () => Promise<Result>): Promise<Result> {
  if (running < concurrency) running += 1;
  else await new Promise<void>((go) => waiting.push(go));
  try {
    return await task();
  } finally {
    // The next task in the queue takes over the slot.
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}

function argon2id(
  text: string,
  nonce: Uint8Array,
  { m, t, p }: { readonly m: number; readonly t: number; readonly p: number },
): Promise<Buffer> {
  const message = text.normalize("NFC");
  const settings = { message, nonce, parallelism: p, tagLength: hashBytes, memory: m, passes: t };
  return queued(() => promisify(argon2)("argon2id", settings));
}

function scrypted(text: string, salt: Uint8Array, options: ScryptOptions): Promise<Buffer> {
  const hash = promisify<string, Uint8Array, number, ScryptOptions, Buffer>(scrypt);
  return queued(() => hash(text, salt, hashBytes, options));
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}

/** Returns the text of a secret to hash: a string unchanged, other values as canonical JSON. */
export function secretText(value: Json): string {
  return typeof value === "string" ? value : canonicalText(value);
}
