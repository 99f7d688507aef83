/** How much is tried: in the run that a change waits for, and in `npm run nightly`. */
import process from "node:process";

export const isNightly: boolean = process.env["NONET_NIGHTLY"] === "1";

export function runs(usual: number, nightly: number): number {
  return isNightly ? nightly : usual;
}
