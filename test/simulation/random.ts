/**
 * The only source of randomness of a simulation. A seed returns independent streams, so that the document of a run stays the same
 * when its clients draw more or fewer numbers.
 */

export interface Chance {
  /** From 0 up to, and not including, `count`. */
  int(count: number): number;
  /** From `least` to `most`, both included. */
  between(least: number, most: number): number;
  /** True so often of a hundred times. */
  percent(often: number): boolean;
  pick<T>(among: readonly T[]): T;
  /** One of these, by its weight; a weight of 0 is never taken. */
  weighted<T extends string>(weights: Readonly<Record<T, number>>): T;
  /** Each with this chance of a hundred, in their order. */
  some<T>(among: readonly T[], often: number): readonly T[];
  bytes(count: number): Uint8Array;
}

/** sfc32 (Chris Doty-Humphrey, PractRand): 128 bits of state, quick where there are only 32-bit integers. */
export function chanceOf(seed: number, stream: string): Chance {
  let [a, b, c, d] = [0, 0, 0, 1];
  const mix = (value: number): void => {
    a ^= value;
    b = Math.imul(b ^ (value >>> 16), 0x85ebca6b);
    c = Math.imul(c + value, 0xc2b2ae35) | 0;
  };
  const next = (): number => {
    const result = (a + b + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + result;
    c |= 0;
    return result >>> 0;
  };
  mix(seed >>> 0);
  mix(Math.floor(seed / 0x1_0000_0000) >>> 0);
  for (const letter of stream) {
    mix(letter.charCodeAt(0));
    next();
  }
  for (let round = 0; round < 12; round += 1) next();

  const int = (count: number): number => (count <= 1 ? 0 : Math.floor((next() / 0x1_0000_0000) * count));
  const pick = <T>(among: readonly T[]): T => {
    if (among.length === 0) throw new Error("nothing to pick from");
    return among[int(among.length)] as T;
  };
  return {
    int,
    between: (least, most) => least + int(most - least + 1),
    percent: (often) => next() / 0x1_0000_0000 < often / 100,
    pick,
    weighted<T extends string>(weights: Readonly<Record<T, number>>): T {
      const entries = Object.entries(weights) as [T, number][];
      let left = (next() / 0x1_0000_0000) * entries.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [name, weight] of entries) {
        left -= weight;
        if (left < 0) return name;
      }
      return (entries.at(-1) as [T, number])[0];
    },
    some: (among, often) => among.filter(() => next() / 0x1_0000_0000 < often / 100),
    bytes(count) {
      const bytes = new Uint8Array(count);
      for (let index = 0; index < count; index += 1) bytes[index] = next() & 0xff;
      return bytes;
    },
  };
}
