/** Writes the files of a new project: all of them, or none. */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { UsageError } from "../server/errors.ts";

interface WrittenFile {
  readonly path: string;
  readonly text: string;
}

/**
 * Writes files to a folder, which need not exist. The files are complete in a folder beside their places before the first one is
 * moved, and after a failure all is as it was. `force`: replace files that exist.
 *
 * @throws UsageError if a file exists, or cannot be written.
 */
export function writeProject(folder: string, files: readonly WrittenFile[], force: boolean): void {
  const existing = files.filter(({ path }) => existsSync(join(folder, path)));
  if (existing.length > 0 && !force)
    throw new UsageError(
      `${folder} has ${existing.map(({ path }) => path).join(", ")}: nothing is written; name another folder, or replace these files with --force`,
    );
  const undo: (() => void)[] = [];
  try {
    makeFolder(folder, undo);
    const staging = mkdtempSync(join(folder, ".nonet-init-"));
    undo.push(() => rmSync(staging, { recursive: true, force: true }));
    files.forEach(({ text }, at) => writeFileSync(join(staging, `${at}`), text));
    files.forEach(({ path }, at) => {
      const target = join(folder, path);
      makeFolder(dirname(target), undo);
      if (existsSync(target)) {
        const former = join(staging, `${at}.former`);
        renameSync(target, former);
        undo.push(() => renameSync(former, target));
      }
      renameSync(join(staging, `${at}`), target);
      undo.push(() => rmSync(target));
    });
    rmSync(staging, { recursive: true });
  } catch (thrown) {
    for (const step of undo.toReversed()) step();
    if (thrown instanceof UsageError) throw thrown;
    throw new UsageError(`nothing is written: ${(thrown as Error).message}`);
  }
}

/** Makes a folder and those above it. */
function makeFolder(folder: string, undo: (() => void)[]): void {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory()) return;
  if (found !== undefined) throw new UsageError(`${folder} is a file, not a folder: nothing is written`);
  makeFolder(dirname(folder), undo);
  mkdirSync(folder);
  undo.push(() => rmSync(folder, { recursive: true }));
}
