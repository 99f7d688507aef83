/** The files that an agent may name: those below the folder of `nonet mcp`. */
import { realpathSync, statSync } from "node:fs";
import { dirname, basename, join, relative, resolve, sep } from "node:path";
import type { Terminal } from "../../server/terminal.ts";
import { UsageError } from "../../server/errors.ts";

export interface WorkingFolder {
  readonly path: string;
  /** Returns the absolute path of an existing file. @throws UsageError if it is outside, also by a link */
  existing(file: string): string;
  /** Returns the absolute path of a file to write. @throws UsageError if it is outside, also by a link */
  writable(file: string): string;
}

/** @throws UsageError if there is no such folder */
export function workingFolder(folder: string): WorkingFolder {
  const path = realPath(folder, folder);
  if (!statSync(path).isDirectory()) throw new UsageError(`${folder} is not a folder`);
  const assertInside = (file: string, real: string): string => {
    const inside = relative(path, real);
    if (inside !== "" && inside !== ".." && !inside.startsWith(`..${sep}`) && resolve(path, inside) === real)
      return real;
    throw new UsageError(`${file} is not below the folder of nonet mcp`);
  };
  return {
    path,
    existing: (file) => assertInside(file, realPath(file, resolve(path, file))),
    writable: (file) => {
      const wanted = resolve(path, file);
      const real = join(realPath(file, dirname(wanted)), basename(wanted));
      try {
        return assertInside(file, realpathSync(real));
      } catch (thrown) {
        if ((thrown as NodeJS.ErrnoException).code !== "ENOENT") throw thrown;
        return assertInside(file, real);
      }
    },
  };
}

function realPath(file: string, path: string): string {
  try {
    return realpathSync(path);
  } catch {
    throw new UsageError(`cannot read ${file}: there is no such file`);
  }
}

/** A terminal that keeps what a command prints, and reads and writes only below the folder. */
export interface CapturedTerminal extends Terminal {
  readonly printed: () => { readonly out: string; readonly err: string };
}

export function capturedTerminal(terminal: Terminal, folder: WorkingFolder): CapturedTerminal {
  let [out, err] = ["", ""];
  return {
    ...terminal,
    ...{ colour: false, interactive: false, columns: 100 },
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    read: async (path) => terminal.read(folder.existing(path)),
    write: async (path, text) => terminal.write(folder.writable(path), text),
    printed: () => ({ out, err }),
  };
}
