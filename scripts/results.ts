/** Writes the counts of a test or check run for the program that started it. */
import { appendFileSync } from "node:fs";

export interface Results {
  readonly passed: number;
  readonly failed: number;
  /** A line for each failure. */
  readonly failures?: readonly string[];
}

/** Appends one line of JSON to the file in the environment variable NONET_RESULTS, if set. */
export function reportResults(results: Results): void {
  const file = process.env["NONET_RESULTS"];
  if (file !== undefined && file !== "") appendFileSync(file, `${JSON.stringify(results)}\n`);
}
