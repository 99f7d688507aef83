/** Reads the code blocks of a Markdown page, in order. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export const root: string = join(import.meta.dirname, "..", "..");

export interface Fence {
  /** `docs/tutorial.md:42`, for messages. */
  readonly at: string;
  readonly language: string;
  /** The words behind the language: `part=resources error=…`; a word without `=` has the value `""`. */
  readonly meta: Readonly<Record<string, string>>;
  readonly text: string;
}

export function readPage(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

export function fencesOf(path: string, language?: string): readonly Fence[] {
  const fences: Fence[] = [];
  const lines = readPage(path).split("\n");
  for (let at = 0; at < lines.length; at++) {
    const open = /^(`{3,})(\S*)\s*(.*)$/.exec(lines[at] ?? "");
    if (open === null) continue;
    const [, ticks = "", name = "", words = ""] = open;
    const end = lines.indexOf(ticks, at + 1);
    if (end < 0) throw new Error(`${path}:${at + 1} opens a block that does not end`);
    const meta = words.split(/\s+/).filter((word) => word !== "");
    fences.push({
      at: `${path}:${at + 1}`,
      language: name,
      meta: Object.fromEntries(meta.map((word) => [word.split("=")[0] ?? "", word.split("=")[1] ?? ""])),
      text: lines
        .slice(at + 1, end)
        .map((line) => `${line}\n`)
        .join(""),
    });
    at = end;
  }
  return language === undefined ? fences : fences.filter((fence) => fence.language === language);
}

/** The first column of the tables below a heading, without backticks; the cells of one row that are lists are split. */
export function firstColumn(path: string, heading: string): readonly string[] {
  return tableRows(path, heading).flatMap(([first = ""]) =>
    [...first.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name),
  );
}

/** The rows of the tables below a heading, up to the next heading of any level; without the rows of titles. */
export function tableRows(path: string, heading: string): readonly (readonly string[])[] {
  const lines = readPage(path).split("\n");
  const start = lines.findIndex((line) => /^#+ /.test(line) && line.replace(/^#+ /, "") === heading);
  if (start < 0) throw new Error(`${path} has no heading ${heading}`);
  const next = lines.findIndex((line, at) => at > start && /^#{1,6} /.test(line));
  const rows = lines.slice(start, next < 0 ? lines.length : next).filter((line) => line.startsWith("|"));
  return rows
    .filter((row, at) => !/^\|[\s|:-]+\|$/.test(row) && !/^\|[\s|:-]+\|$/.test(rows[at + 1] ?? ""))
    .map((row) =>
      row
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim().replaceAll("\\|", "|")),
    );
}
