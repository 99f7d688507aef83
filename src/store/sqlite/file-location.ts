/** Checks the location of a database file, because the errors of SQLite say less. */
import { lstatSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { StoreError } from "../port/error.ts";

/** Returns the target of a symbolic link, because SQLite creates the log next to the target. Other paths are unchanged. */
export function linkedFile(file: string): string {
  const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  return isLink && statSync(file, { throwIfNoEntry: false }) !== undefined ? realpathSync(file) : file;
}

/** Checks the path of a file. @throws StoreError */
export function checkFile(file: string): void {
  const folder = dirname(file);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new StoreError("missing-folder", `there is no folder ${folder} to keep ${file} in`);
  }
  const found = statSync(file, { throwIfNoEntry: false });
  if (found && !found.isFile()) throw new StoreError("not-accessible", `${file} is not a file`);
}
