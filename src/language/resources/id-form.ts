/** The form of ids with a stated length and alphabet: `id(cus, 14)`, `id(cus, 24, 0-9a-f)`. */
import type { FieldType } from "./model.ts";

/** The characters of an id without a stated alphabet. */
export const usualAlphabet = "a-zA-Z0-9";

/** How many combinations an id needs, as a power of two: with fewer, clients could guess ids, and ids would collide. */
export const leastBits = 64;

/** The most characters of an id, with its prefix. */
export const longestId = 64;

/** Returns the characters of a class such as `0-9a-f_-`; undefined if it is none, has a character twice or only one. */
export function charactersOf(alphabet: string): string | undefined {
  if (!/^(?:[0-9]-[0-9]|[a-z]-[a-z]|[A-Z]-[A-Z]|[A-Za-z0-9_])*-?$/.test(alphabet)) return undefined;
  let all = "";
  for (const [part = ""] of alphabet.matchAll(/[A-Za-z0-9]-[A-Za-z0-9]|./g)) {
    const [first, last] = [part.charCodeAt(0), part.charCodeAt(part.length - 1)];
    if (first > last) return undefined;
    for (let code = first; code <= last; code++) all += String.fromCharCode(code);
  }
  return all.length < 2 || new Set(all).size < all.length ? undefined : all;
}

/** Returns the class and the number of the random characters of an id that the server generates. */
export function idForm({ alphabet, length }: FieldType & { readonly kind: "id" }): {
  readonly alphabet: string;
  readonly length: number;
} {
  if (length === undefined) return { alphabet: "0-9a-z", length: 26 };
  return { alphabet: alphabet ?? usualAlphabet, length };
}
