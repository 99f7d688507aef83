/**
 * Texts of records that are kept beside their columns, so that a list does not quote each column anew: the segments of
 * `../segments.ts`, which the service writes with each record.
 *
 * `_made` says of which revision they are, and by which document, and they hold only where that fits: a process with another
 * document beside this one, a release that knows nothing of them, and data that was restored leave rows without texts that hold,
 * and these are made of the columns as before. So who changes a row by statements of his own changes `_rev` in them.
 */
import { createHash } from "node:crypto";
import type { Value } from "../../expression/evaluate.ts";
import type { Table } from "../../plan/resources/types.ts";
import { type CachedFragment, cachedFragmentsOf } from "../sql/json-fragments.ts";
import type { Row, ViewMember } from "../port/store.ts";
import { viewWriter } from "../sql/view-text.ts";
import type { Session } from "./connection.ts";
import { quoteName } from "./value.ts";

/** How texts are written; another number where one release writes them otherwise than the one before. */
const edition = 1;

/** Signs of all texts of a row. With longer ones it would have to be packed, or be put beside the table, to fit a page. */
const longest = 900;

export interface Texts {
  /** Their columns, with `_made`. */
  readonly columns: readonly string[];
  /** What these columns have for a whole row; null in all of them where there is to be none. */
  of(row: Row): Readonly<Record<string, Value>>;
}

/** Undefined where a table has none. */
export function textsOf(table: Table, counted: readonly string[]): Texts | undefined {
  const fragments = cachedFragmentsOf(table);
  if (fragments.length === 0) return undefined;
  const maker = makerOf(table);
  const writers = fragments.map((fragment) => [fragment.name, fragmentWriter(fragment)] as const);
  const none = Object.fromEntries(["_made", ...fragments.map(({ name }) => name)].map((name) => [name, null]));
  return {
    columns: Object.keys(none),
    of: (row) => {
      // The database has not counted yet.
      if (counted.some((name) => (row[name] ?? null) === null)) return none;
      const texts: Record<string, Value> = { _made: String(maker + BigInt(row["_rev"] as number)) };
      let length = 0;
      for (const [name, write] of writers) {
        const text = write(row);
        texts[name] = text;
        length += text.length;
      }
      return length > longest ? none : texts;
    },
  };
}

/** As `sql/view.ts` puts them together: all but the first of a record with a comma before each member. */
function fragmentWriter({ columns, opens }: CachedFragment): (row: Row) => string {
  const members = columns.map(
    ({ absent, name, type }): ViewMember => ({ name, source: { kind: "column", column: name }, type, absent }),
  );
  const write = viewWriter({ members }, { expression: unasked, nested: unasked });
  return (row) => {
    const text = write(row, {}).slice(1, -1);
    if (opens) return `{${text}`;
    return text === "" ? "" : `,${text}`;
  };
}

function unasked(): never {
  throw new Error("a text that is kept is of columns alone");
}

/** A text from its column where it holds. */
export function heldText(stored: string, made: () => string, table: Table, alias: string): string {
  const holds = `${alias}._made = ${alias}._rev + ${makerOf(table)}`;
  return `CASE WHEN ${holds} THEN ${stored} ELSE ${made()} END`;
}

const makers = new WeakMap<Table, bigint>();

/** A number of everything that a table's texts are made by. Beside it revisions are small: those of two are never the same. */
function makerOf(table: Table): bigint {
  const maker = makers.get(table) ?? digestOf(cachedFragmentsOf(table));
  makers.set(table, maker);
  return maker;
}

function digestOf(fragments: readonly CachedFragment[]): bigint {
  const definition = fragments.map(({ columns, name, opens }) => [
    name,
    opens,
    columns.map((column) => [column.name, column.type, column.nullable, column.absent]),
  ]);
  const digest = createHash("sha256")
    .update(JSON.stringify([edition, definition]))
    .digest();
  return BigInt.asUintN(62, digest.readBigUInt64BE());
}

/** Adds to tables the columns that they lack, beside others who serve: as nobody has to have anything in them, no row is touched. */
export async function addTextColumns(session: Session, tables: readonly Table[]): Promise<void> {
  for (const statement of await lackingTextColumns(session, tables)) await session.rows(statement);
}

export async function lackingTextColumns(session: Session, tables: readonly Table[]): Promise<readonly string[]> {
  const found = await session.rows<[string, string]>(
    `SELECT relname, attname FROM pg_catalog.pg_attribute JOIN pg_catalog.pg_class ON pg_class.oid = attrelid
     WHERE relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = pg_catalog.current_schema())
       AND relkind = 'r' AND (attname = '_made' OR attname LIKE '\\_json%')`,
  );
  const present = new Set(found.map(([table, column]) => `${quoteName(table)} ${column}`));
  return tables.flatMap((table) => {
    const name = quoteName(table.name);
    const lacking = textColumns(table).filter(([column]) => !present.has(`${name} ${column}`));
    const added = lacking.map(([column, type]) => `ADD COLUMN IF NOT EXISTS ${column} ${type}`);
    return added.length === 0 ? [] : [`ALTER TABLE ${name} ${added.join(", ")}`];
  });
}

/** With their types. */
export function textColumns(table: Table): readonly (readonly [name: string, type: string])[] {
  const texts = cachedFragmentsOf(table).map(({ name }) => [name, 'text COLLATE "C"'] as const);
  return texts.length === 0 ? [] : [["_made", "bigint"], ...texts];
}
