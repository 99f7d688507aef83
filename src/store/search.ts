/** Where a text still stands in data, cell by cell: for who has to show that nothing of somebody is left. */
import type { PortableCell, PortableRow, Shelf } from "./portable.ts";

/** A column with it, and some of its rows. */
export interface Place {
  readonly table: string;
  readonly column: string;
  readonly rows: number;
  /** Of the first of them what names them best: the id, or the first column. */
  readonly first: readonly string[];
}

const mostNamed = 5;

export interface Search {
  rows(shelf: Shelf, rows: readonly PortableRow[]): void;
  readonly places: readonly Place[];
}

/** A text stands in another as it is, in JSON as that writes it. */
export function formsOf(text: string): readonly string[] {
  return [...new Set([text, JSON.stringify(text).slice(1, -1)])];
}

export function createSearch(text: string): Search {
  const forms = formsOf(text);
  const stands = forms.map((form) => Buffer.from(form));
  const places = new Map<string, { table: string; column: string; rows: number; first: string[] }>();
  // The end of the piece before: a text may stand across two pieces of a file.
  let tail: { readonly file: PortableCell; readonly bytes: Uint8Array } | undefined;

  const holds = (cell: PortableCell, row: PortableRow): boolean => {
    if (typeof cell === "string") return forms.some((form) => cell.includes(form));
    if (typeof cell === "number") return String(cell) === text;
    if (!(cell instanceof Uint8Array)) return false;
    const [file = null] = row;
    const bytes = tail?.file === file ? Buffer.concat([tail.bytes, cell]) : Buffer.from(cell);
    tail = {
      file,
      bytes: bytes.subarray(Math.max(0, bytes.length - Math.max(...stands.map(({ length }) => length)) + 1)),
    };
    return stands.some((each) => bytes.includes(each));
  };
  return {
    rows: ({ columns, name: table }, rows) => {
      for (const row of rows) {
        for (const [at, cell] of row.entries()) {
          if (!holds(cell, row)) continue;
          const column = columns[at] ?? "";
          const key = `${table}.${column}`;
          const place = places.get(key) ?? { table, column, rows: 0, first: [] };
          place.rows += 1;
          if (place.first.length < mostNamed) place.first.push(String(row[Math.max(0, columns.indexOf("id"))]));
          places.set(key, place);
        }
      }
    },
    get places() {
      return [...places.values()];
    },
  };
}

/** Whether bytes have it, in whatever pieces they come. */
export async function isInBytes(pieces: AsyncIterable<Uint8Array>, text: string): Promise<boolean> {
  const stands = formsOf(text).map((form) => Buffer.from(form));
  const most = Math.max(...stands.map(({ length }) => length));
  let tail: Uint8Array = new Uint8Array();
  for await (const piece of pieces) {
    const bytes = Buffer.concat([tail, piece]);
    if (stands.some((each) => bytes.includes(each))) return true;
    tail = bytes.subarray(Math.max(0, bytes.length - most + 1));
  }
  return false;
}
