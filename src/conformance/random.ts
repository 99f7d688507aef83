/** Pseudo-random choices. The same seed makes the same choices, so that a run can be repeated. */

export interface Random {
  /** Returns an integer from `min` to `max`, both included. */
  readonly integer: (min: number, max: number) => number;
  /** Returns an item of a list. @throws RangeError if the list is empty */
  readonly pick: <Item>(list: readonly Item[]) => Item;
  /** Returns true with this probability, from 0 to 1. */
  readonly chance: (probability: number) => boolean;
  /** Returns a text of so many characters of the alphabet, by default lower-case letters and digits. */
  readonly text: (length: number, alphabet?: string) => string;
}

export const letters = "abcdefghijklmnopqrstuvwxyz";
export const lettersAndDigits: string = `${letters}0123456789`;

/** Returns the choices of a seed. A text is a seed of its own for each case: `${seed}/${id}`. */
export function seeded(seed: number | string): Random {
  const next = mulberry32(typeof seed === "number" ? seed : hash(seed));
  return choices((count) => {
    if (count <= 2 ** 32) return Math.floor(next() * count);
    const fraction = (Math.floor(next() * 2 ** 21) * 2 ** 32 + Math.floor(next() * 2 ** 32)) / 2 ** 53;
    return Math.floor(fraction * count);
  });
}

/**
 * Returns choices that a number determines: each choice uses one digit of the number, in a base that is the number of options.
 * When no digit is left, the first option is chosen. So what is made with two numbers differs if both are used up.
 */
export function numbered(number: number): Random & { readonly isUsedUp: () => boolean } {
  let rest = number;
  const random = choices((count) => {
    const digit = rest % count;
    rest = Math.floor(rest / count);
    return digit;
  });
  return { ...random, isUsedUp: () => rest === 0 };
}

/** `below(count)` returns an integer from 0 to `count - 1`. */
function choices(below: (count: number) => number): Random {
  // A sum of large numbers may be rounded up.
  const integer = (min: number, max: number): number => Math.min(max, min + below(Math.max(1, max - min + 1)));
  const pick = <Item>(list: readonly Item[]): Item => {
    if (list.length === 0) throw new RangeError("There is no item to pick");
    return list[below(list.length)] as Item;
  };
  return {
    integer,
    pick,
    chance: (probability) => below(1000) < probability * 1000,
    text: (length, alphabet = lettersAndDigits) => {
      const characters = [...alphabet];
      return Array.from({ length }, () => pick(characters)).join("");
    },
  };
}

/** Mulberry32, public domain: pseudo-random numbers from 0 to 1. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** FNV-1a of a text, in 32 bits. */
function hash(text: string): number {
  let sum = 0x811c9dc5;
  for (const character of text) sum = Math.imul(sum ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return sum;
}
