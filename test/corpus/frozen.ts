/** Reads and writes the digests of the corpus's outputs, one per line: `DIGEST DOCUMENT: OUTPUT`. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

export const frozenPath: URL = new URL("./frozen.txt", import.meta.url);

export const frozen: ReadonlyMap<string, string> = new Map(
  readFileSync(frozenPath, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => [line.slice(17), line.slice(0, 16)]),
);

export function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
