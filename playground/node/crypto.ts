/** The functions of `node:crypto` that the engine calls, in a browser: synchronous, on the packages of noble. */
import { ctr, ecb } from "@noble/ciphers/aes.js";
import { hmac } from "@noble/hashes/hmac.js";
import { sha1 } from "@noble/hashes/legacy.js";
import { sha256, sha512 } from "@noble/hashes/sha2.js";
import { Buffer } from "buffer";

type Bytes = Uint8Array | string;
type Encoding = "hex" | "base64" | "base64url";

const hashes = { sha1, sha256, sha512 };
type HashName = "sha1" | "sha256" | "sha512";

function bytesOf(data: Bytes): Uint8Array {
  return typeof data === "string" ? new TextEncoder().encode(data) : data;
}

/** Collects what a hash or a MAC is made of. */
class Digest {
  readonly #state: { update(bytes: Uint8Array): unknown; digest(): Uint8Array };

  constructor(state: { update(bytes: Uint8Array): unknown; digest(): Uint8Array }) {
    this.#state = state;
  }

  update(data: Bytes): this {
    this.#state.update(bytesOf(data));
    return this;
  }

  digest(): Buffer;
  digest(encoding: Encoding): string;
  digest(encoding?: Encoding): Buffer | string {
    const bytes = Buffer.from(this.#state.digest());
    return encoding === undefined ? bytes : textOf(bytes, encoding);
  }
}

/** The package `buffer` has no `base64url`. */
function textOf(bytes: Buffer, encoding: Encoding): string {
  return bytes.toString(encoding as "hex");
}

export function createHash(name: HashName): Digest {
  return new Digest(hashes[name].create());
}

export function createHmac(name: HashName, key: Bytes): Digest {
  return new Digest(hmac.create(hashes[name], bytesOf(key)));
}

export function hash(name: HashName, data: Bytes, encoding: Encoding | "buffer" = "hex"): Buffer | string {
  const digest = createHash(name).update(data);
  return encoding === "buffer" ? digest.digest() : digest.digest(encoding);
}

export function timingSafeEqual(one: Uint8Array, other: Uint8Array): boolean {
  let difference = one.length ^ other.length;
  for (let index = 0; index < one.length; index += 1) difference |= (one[index] as number) ^ (other[index] ?? 0);
  return difference === 0;
}

export function randomFillSync<Into extends Uint8Array>(bytes: Into): Into {
  // A browser fills at most 65,536 bytes at once.
  for (let start = 0; start < bytes.length; start += 65_536)
    crypto.getRandomValues(bytes.subarray(start, start + 65_536) as Uint8Array<ArrayBuffer>);
  return bytes;
}

export function randomBytes(length: number): Buffer {
  return Buffer.from(randomFillSync(new Uint8Array(length)));
}

export function randomInt(low: number, high: number): number {
  return low + Math.floor(Math.random() * (high - low));
}

export function randomUUID(): string {
  return crypto.randomUUID();
}

interface Cipher {
  update(data: Uint8Array): Buffer;
  setAutoPadding(): Cipher;
}

type Direction = "encrypt" | "decrypt";

function cipher(name: string, key: Uint8Array, start: Uint8Array | null, direction: Direction): Cipher {
  const algorithm = name.endsWith("ctr") ? ctr(key, start as Uint8Array) : ecb(key, { disablePadding: true });
  const self: Cipher = {
    update: (data) => Buffer.from(algorithm[direction](Uint8Array.from(data))),
    setAutoPadding: () => self,
  };
  return self;
}

export function createCipheriv(name: string, key: Uint8Array, start: Uint8Array | null): Cipher {
  return cipher(name, key, start, "encrypt");
}

export function createDecipheriv(name: string, key: Uint8Array, start: Uint8Array | null): Cipher {
  return cipher(name, key, start, "decrypt");
}

type Done = (failure: unknown, result?: Buffer) => void;

interface Argon2Settings {
  readonly message: string;
  readonly nonce: Uint8Array;
  readonly parallelism: number;
  readonly tagLength: number;
  readonly memory: number;
  readonly passes: number;
}

/** A fast hash in place of Argon2: the secrets of a page are in its memory alone, and end with it. */
export function argon2(_: "argon2id", { message, nonce, tagLength }: Argon2Settings, done: Done): void {
  const hash = hmac(sha512, bytesOf(nonce), bytesOf(message));
  queueMicrotask(() => done(null, Buffer.from(hash.subarray(0, tagLength))));
}

/** For the secrets of earlier releases, of which a page has none. */
export function scrypt(): never {
  throw new Error("a page has no secrets of earlier releases");
}
