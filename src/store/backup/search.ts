/** Finds a text in all values of a backup, to prove that no data of an erased person remains. */
import { getOrMake } from "../../base/once.ts";
import type { PortableValue, PortableRow, BackupTable } from "./portable.ts";

/** A column that contains the text, and some of its rows. */
export interface Match {
  readonly table: string;
  readonly column: string;
  readonly rows: number;
  /** Labels of the first rows that match: the id, or the first column. */
  readonly first: readonly string[];
}

const mostNamed = 5;

export interface Search {
  rows(backupTable: BackupTable, rows: readonly PortableRow[]): void;
  readonly matches: readonly Match[];
}

/** Returns the forms in which the text may appear: as is, or JSON-escaped. */
export function formsOf(text: string): readonly string[] {
  return [...new Set([text, JSON.stringify(text).slice(1, -1)])];
}

export function createSearch(text: string): Search {
  const forms = formsOf(text);
  const encoded = forms.map((form) => Buffer.from(form));
  const matches = new Map<string, { table: string; column: string; rows: number; first: string[] }>();
  // The end of the previous piece, since the text may span two pieces of a file.
  let tail: { readonly file: PortableValue; readonly bytes: Uint8Array } | undefined;

  const holds = (value: PortableValue, row: PortableRow): boolean => {
    if (typeof value === "string") return forms.some((form) => value.includes(form));
    if (typeof value === "number") return String(value) === text;
    if (!(value instanceof Uint8Array)) return false;
    const [file = null] = row;
    const bytes = tail?.file === file ? Buffer.concat([tail.bytes, value]) : Buffer.from(value);
    tail = {
      file,
      bytes: bytes.subarray(Math.max(0, bytes.length - Math.max(...encoded.map(({ length }) => length)) + 1)),
    };
    return encoded.some((each) => bytes.includes(each));
  };
  return {
    rows: ({ columns, name: table }, rows) => {
      for (const row of rows) {
        for (const [at, value] of row.entries()) {
          if (!holds(value, row)) continue;
          const column = columns[at] ?? "";
          const key = `${table}.${column}`;
          const match = getOrMake(matches, key, () => ({ table, column, rows: 0, first: [] }));
          match.rows += 1;
          if (match.first.length < mostNamed) match.first.push(String(row[Math.max(0, columns.indexOf("id"))]));
        }
      }
    },
    get matches() {
      return [...matches.values()];
    },
  };
}

/** Whether the bytes contain the text, even across pieces. */
export async function isInBytes(pieces: AsyncIterable<Uint8Array>, text: string): Promise<boolean> {
  const encoded = formsOf(text).map((form) => Buffer.from(form));
  const most = Math.max(...encoded.map(({ length }) => length));
  let tail: Uint8Array = new Uint8Array();
  for await (const piece of pieces) {
    const bytes = Buffer.concat([tail, piece]);
    if (encoded.some((each) => bytes.includes(each))) return true;
    tail = bytes.subarray(Math.max(0, bytes.length - most + 1));
  }
  return false;
}
