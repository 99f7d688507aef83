/**
 * Replaces password hashing, which is slow on purpose, by a fast function whose callers wait at a simulated gate. It replaces the
 * library's function in place, so that the product's code needs no hook for it.
 */
import crypto, { createHash, type Argon2Parameters } from "node:crypto";
import process from "node:process";
import { syncBuiltinESMExports } from "node:module";
import type { Machine } from "./machine.ts";

type Argon2 = typeof crypto.argon2;

let present: Machine | undefined;
const slow = crypto.argon2;

function quick(...[algorithm, given, done]: Parameters<Argon2>): void {
  const machine = present;
  if (machine === undefined) return slow(algorithm, given, done);
  const { message, nonce } = given as Argon2Parameters & { readonly message: string; readonly nonce: Uint8Array };
  const life = machine.tasks.getStore()?.life ?? 0;
  const give = done as (failure: Error | null, hash?: Buffer) => void;
  // Not within a promise: what is thrown there is nobody's.
  void machine
    .pass("hash", life)
    .then(
      () => null,
      (died: Error) => died,
    )
    .then((failure) => process.nextTick(give, failure, hashed(message, nonce)));
}

crypto.argon2 = quick;
syncBuiltinESMExports();

function hashed(text: string, salt: Uint8Array): Buffer<ArrayBuffer> {
  return createHash("sha256").update(salt).update(text).digest();
}

/** Until it is disposed of, passwords are hashed on this machine. */
export function takeHashing(machine: Machine): Disposable {
  present = machine;
  return {
    [Symbol.dispose]: () => {
      present = undefined;
    },
  };
}

/** Whether what is kept was made of this text. */
export function isKeptOf(kept: unknown, text: string): boolean {
  const [method, , , , salt = "", hash] = String(kept).split("$");
  return method === "argon2id" && hashed(text, Buffer.from(salt, "base64")).toString("base64") === hash;
}
