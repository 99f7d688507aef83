/** In charge of the count that a run of tests or checks leaves for whoever started it. */
import { appendFileSync } from "node:fs";

export interface LiveCount {
  readonly passed: number;
  readonly failed: number;
}

/** Appends one line of JSON to the file that the environment variable NONET_TALLY names; without it, nothing. */
export function leaveTally(tally: LiveCount): void {
  const file = process.env["NONET_TALLY"];
  if (file !== undefined && file !== "") appendFileSync(file, `${JSON.stringify(tally)}\n`);
}
