/** Whether a file can be where somebody wants it, said before SQLite says less. */
import { statSync } from "node:fs";
import { dirname } from "node:path";
import { StoreError } from "../error.ts";

/** @throws StoreError */
export function checkPlace(file: string): void {
  const folder = dirname(file);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new StoreError("missing-folder", `there is no folder ${folder} to keep ${file} in`);
  }
  const found = statSync(file, { throwIfNoEntry: false });
  if (found && !found.isFile()) throw new StoreError("not-accessible", `${file} is not a file`);
}
