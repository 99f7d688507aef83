/** Keys that look like a valid one: they differ from it in some characters, and have a right checksum if it has one. */
import type { SentIn } from "../../language/authentication/model.ts";
import type { Caller } from "../caller.ts";
import type { Contract } from "../contract.ts";
import { tokenOf, withToken } from "../credentials.ts";

/** Returns the caller with another key than the valid one, sent in this place. */
export function withAlteredKey(contract: Contract, credential: string, caller: Caller, location: SentIn): Caller {
  return {
    ...caller,
    authorize: (request) => {
      const token = tokenOf(contract, credential, caller.authorize(request));
      return withToken(contract, credential, alteredKey(token), request, location);
    },
  };
}

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** The last digits of many keys, such as those of GitHub, are the CRC-32 of all before them, in base 62. */
const checkDigits = 6;

/** Returns a key with other characters. */
export function alteredKey(key: string): string {
  const body = key.slice(0, -checkDigits);
  const isChecked = body !== "" && key === body + checksumOf(body);
  const start = isChecked ? body : key;
  const altered = start.slice(0, -2) + start.slice(-2).replaceAll(/./gs, (one) => (one === "A" ? "B" : "A"));
  return isChecked ? altered + checksumOf(altered) : altered;
}

function checksumOf(text: string): string {
  let digits = "";
  for (let rest = crc32(text); digits.length < checkDigits; rest = Math.floor(rest / 62))
    digits = `${alphabet[rest % 62]}${digits}`;
  return digits;
}

/** The checksum of Ethernet and of PNG (ISO 3309). */
function crc32(text: string): number {
  let rest = 0xffffffff;
  for (const byte of new TextEncoder().encode(text)) {
    rest ^= byte;
    for (let bit = 0; bit < 8; bit += 1) rest = (rest >>> 1) ^ ((rest & 1) === 0 ? 0 : 0xedb88320);
  }
  return ~rest >>> 0;
}
