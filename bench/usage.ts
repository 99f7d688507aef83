/** Loaded with `--import`: at its end the process writes what it cost into the file that `USAGE_FILE` names. */
import { writeFileSync } from "node:fs";

/** Seconds of processor time, and the largest resident memory in megabytes. */
export interface Usage {
  readonly processor: number;
  readonly megabytes: number;
}

const file = process.env["USAGE_FILE"];
if (file !== undefined)
  process.on("exit", () => {
    const { maxRSS, systemCPUTime, userCPUTime } = process.resourceUsage();
    const usage: Usage = { processor: (userCPUTime + systemCPUTime) / 1_000_000, megabytes: maxRSS / 1024 };
    writeFileSync(file, JSON.stringify(usage));
  });
