/** How many examples the property tests try: in a normal run, and in `npm run nightly`. */
import process from "node:process";

export const isNightly: boolean = process.env["NONET_NIGHTLY"] === "1";

export function runs(usual: number, nightly: number): number {
  return isNightly ? nightly : usual;
}

/** Returns one item of so many, or all of them in `npm run nightly`. */
export function sampled<Item>(items: readonly Item[], oneIn: number): readonly Item[] {
  return isNightly ? items : items.filter((_, index) => index % oneIn === 0);
}
