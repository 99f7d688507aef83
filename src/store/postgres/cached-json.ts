/**
 * Writes and reads cached JSON fragments (`sql/json-fragments.ts`): texts stored with each record, so that a list does not
 * serialise each column.
 *
 * `_made` identifies the revision and the definition that the texts were made for; they are valid only if both match. A process
 * with another document, a release without fragments, or a restore leaves rows without valid texts, which are then built from the
 * columns. So SQL statements of an operator that change a row must also change its `_rev`.
 */
import { createHash } from "node:crypto";
import { onceFor } from "../../base/once.ts";
import type { Value } from "../../expression/evaluate.ts";
import type { Table } from "../../plan/resources/types.ts";
import { type CachedFragment, cachedFragmentsOf } from "../sql/json-fragments.ts";
import type { Row, ViewMember } from "../port/store.ts";
import { viewWriter } from "../sql/view-text.ts";
import type { Session } from "./connection.ts";
import { quoteName } from "./value.ts";

/** The version of the text format; a release that changes the format increments it. */
const edition = 1;

/** The most characters of all texts of a row. PostgreSQL would compress longer rows or move them out of the table page. */
const longest = 900;

export interface Texts {
  /** The names of the fragment columns, and `_made`. */
  readonly columns: readonly string[];
  /** Returns the values of these columns for a complete row; all null if the row gets no texts. */
  of(row: Row): Readonly<Record<string, Value>>;
}

/** Prepares the texts of a table; undefined if the table has no fragments. */
export function textsOf(table: Table, counted: readonly string[]): Texts | undefined {
  const fragments = cachedFragmentsOf(table);
  if (fragments.length === 0) return undefined;
  const maker = makerOf(table);
  const writers = fragments.map((fragment) => [fragment.name, fragmentWriter(fragment)] as const);
  const none = Object.fromEntries(["_made", ...fragments.map(({ name }) => name)].map((name) => [name, null]));
  return {
    columns: Object.keys(none),
    of: (row) => {
      // The database has not assigned the counters yet, so there are no texts.
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

/**
 * Writes a fragment in the form that `sql/view.ts` concatenates: every member has a comma before it, except the first of the
 * record.
 */
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

/** Returns SQL that reads the text from its column if it is valid, else builds it. */
export function heldText(stored: string, made: () => string, table: Table, alias: string): string {
  const holds = `${alias}._made = ${alias}._rev + ${makerOf(table)}`;
  return `CASE WHEN ${holds} THEN ${stored} ELSE ${made()} END`;
}

/**
 * A hash of the definition of a table's texts. A row stores the sum of hash and revision; revisions are so small in comparison
 * that sums do not collide.
 */
const makerOf = onceFor((table: Table) => digestOf(cachedFragmentsOf(table)));

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

/** Adds missing columns while other processes serve: the columns are nullable, so PostgreSQL touches no row. */
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

/** Returns the fragment columns with their types. */
export function textColumns(table: Table): readonly (readonly [name: string, type: string])[] {
  const texts = cachedFragmentsOf(table).map(({ name }) => [name, 'text COLLATE "C"'] as const);
  return texts.length === 0 ? [] : [["_made", "bigint"], ...texts];
}
