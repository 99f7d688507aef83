/**
 * Texts that a caller knows and the service only has to recognise, fields marked `secret`: kept as
 * `scrypt$N$r$p$salt$hash`, salt and hash in base 64, so that the cost can be raised later without losing what is there.
 */
import { scrypt } from "node:crypto";

/** One of the settings of equal strength that OWASP names for scrypt; 16 MiB each. */
const cost = { N: 16_384, r: 8, p: 5 } as const;
const saltBytes = 16;
const hashBytes = 32;

/** Takes a good part of a second on a thread of its own: not for inside a transaction. */
export function hashPassword(text: string, random: (bytes: number) => Uint8Array): Promise<string> {
  const salt = random(saltBytes);
  return new Promise((resolve, reject) => {
    scrypt(text, salt, hashBytes, cost, (failure, hash) => {
      if (failure === null) resolve(["scrypt", cost.N, cost.r, cost.p, base64(salt), base64(hash)].join("$"));
      else reject(failure);
    });
  });
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}
