/** Whether a file can be where somebody wants it, said before SQLite says less. */
import { lstatSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { StoreError } from "../port/error.ts";

/** Where a symbolic link leads; SQLite keeps its log beside that file. Anything else stays as it is written. */
export function linkedFile(file: string): string {
  const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  return isLink && statSync(file, { throwIfNoEntry: false }) !== undefined ? realpathSync(file) : file;
}

/** @throws StoreError */
export function checkFile(file: string): void {
  const folder = dirname(file);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new StoreError("missing-folder", `there is no folder ${folder} to keep ${file} in`);
  }
  const found = statSync(file, { throwIfNoEntry: false });
  if (found && !found.isFile()) throw new StoreError("not-accessible", `${file} is not a file`);
}
