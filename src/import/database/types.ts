/** Converts SQL types to types of the language, and says what a type of the language lacks. */
import type { FieldType } from "../../language/resources/model.ts";
import type { CatalogueColumn } from "./catalogue.ts";
import type { Dialect } from "./sql-tokens.ts";

export interface ImportedType {
  readonly type: FieldType;
  /** What the SQL type has besides: a fixed text for a notice. */
  readonly lost?: string;
  /** What the type was chosen from, if the database does not enforce it. */
  readonly guessed?: string;
}

type ScalarName = Extract<FieldType, { kind: "scalar" }>["name"];

const scalar = (name: ScalarName, bounds: object = {}): FieldType => ({
  kind: "scalar",
  name,
  ...bounds,
});

/** Returns the type of a column. A type that the language does not have becomes a text. */
export function typeOfColumn(column: CatalogueColumn, dialect: Dialect): ImportedType {
  if (column.values !== undefined && column.values.length > 0)
    return { type: { kind: "one-of", values: column.values, open: false } };
  return dialect === "SQLite" ? sqliteType(column.type) : postgresType(column.type);
}

/** Splits `character varying(40)` into the name and the numbers in brackets. */
function partsOf(type: string): readonly [name: string, ...numbers: readonly number[]] {
  const [, before = "", numbers = "", after = ""] = /^([^(]*)(?:\(([^)]*)\))?(.*)$/.exec(type.trim()) ?? [];
  const name = `${before.trim()} ${after.trim()}`.trim().toLowerCase().replaceAll(/\s+/g, " ");
  return [
    name,
    ...numbers
      .split(",")
      .filter((one) => /^\s*\d+\s*$/.test(one))
      .map(Number),
  ];
}

/** What a type is, by its numbers in brackets. */
type TypeOf = (first?: number, second?: number) => ImportedType;

const plain =
  (name: ScalarName, bounds: object = {}): TypeOf =>
  () => ({ type: scalar(name, bounds) });
const sized: TypeOf = (most) => ({ type: most === undefined ? scalar("text") : scalar("string", { max: most }) });

/** The types of PostgreSQL, as `format_type` writes them without their numbers. */
const postgresTypes: Readonly<Record<string, TypeOf>> = {
  smallint: plain("integer", { min: -32_768, max: 32_767 }),
  integer: plain("integer", { min: -2_147_483_648, max: 2_147_483_647 }),
  bigint: plain("integer"),
  real: plain("number"),
  "double precision": plain("number"),
  numeric: decimalOf,
  money: () => ({ type: scalar("decimal"), lost: "the currency of a type" }),
  boolean: plain("boolean"),
  "character varying": sized,
  character: sized,
  text: plain("text"),
  citext: () => ({ type: scalar("text"), lost: "that a text is compared without regard to case" }),
  uuid: plain("uuid"),
  date: plain("date"),
  "timestamp with time zone": plain("datetime"),
  "timestamp without time zone": () => ({
    type: scalar("datetime"),
    guessed: "that a timestamp without a time zone is in UTC",
  }),
  "time without time zone": plain("time"),
  json: plain("json"),
  jsonb: plain("json"),
  bytea: plain("bytes"),
  hstore: () => ({ type: { kind: "map", of: { kind: "nullable", of: scalar("text") } } }),
};

/** Types of PostgreSQL that become texts, and that a notice names. */
const named: readonly string[] = [
  "interval", "time with time zone", "inet", "cidr", "macaddr", "xml", "tsvector", "point", "bit", "bit varying",
  "int4range", "int8range", "numrange", "tsrange", "tstzrange", "daterange",
]; // biome-ignore format: a table

function postgresType(written: string): ImportedType {
  if (written.endsWith("[]")) {
    const of = postgresType(written.slice(0, -2));
    return { ...of, type: { kind: "list", of: of.type } };
  }
  const [name, first, second] = partsOf(written);
  if (Object.hasOwn(postgresTypes, name)) return (postgresTypes[name] ?? sized)(first, second);
  return {
    type: scalar("text"),
    lost: `the type ${named.includes(name) ? name : "of a column"}, which becomes text`,
  };
}

/** A `decimal` has at most 15 significant digits. */
const mostDigits = 15;

function decimalOf(precision: number | undefined, scale = 0): ImportedType {
  if (precision === undefined) return { type: scalar("decimal"), lost: "digits of a number beyond 15" };
  if (precision > mostDigits)
    return { type: scale === 0 ? scalar("integer") : scalar("decimal"), lost: "digits of a number beyond 15" };
  if (scale === 0) return { type: scalar("integer", { min: -(10 ** precision) + 1, max: 10 ** precision - 1 }) };
  const max = Number(`${"9".repeat(Math.max(0, precision - scale)) || "0"}.${"9".repeat(scale)}`);
  return { type: scalar("decimal", { min: -max, max }), lost: "how many digits a number has behind the point" };
}

/**
 * SQLite accepts any name of a type; the names that other databases have are read as those mean them. The first row that matches
 * holds. `guessed`: whether the file does not enforce what the name says.
 */
const sqliteTypes: readonly (readonly [name: RegExp, type: TypeOf, isGuessed?: "guessed"])[] = [
  [/bool/, plain("boolean"), "guessed"],
  [/json/, plain("json"), "guessed"],
  [/uuid|guid|uniqueidentifier/, plain("uuid"), "guessed"],
  [/datetime|timestamp/, plain("datetime"), "guessed"],
  [/^date$/, plain("date"), "guessed"],
  [/^time$/, plain("time"), "guessed"],
  [/int/, plain("integer")],
  [/clob|text/, plain("text")],
  [/char/, sized],
  [/real|floa|doub/, plain("number")],
  [/dec|numeric|money/, decimalOf, "guessed"],
  [/blob/, plain("bytes")],
  [/^(?:any)?$/, () => ({ type: scalar("json"), lost: "that a column has no type" })],
]; // biome-ignore format: a table

function sqliteType(written: string): ImportedType {
  const [name, first, second] = partsOf(written);
  const [, typeOf, isGuessed] = sqliteTypes.find(([pattern]) => pattern.test(name)) ?? [];
  if (typeOf === undefined) return { type: scalar("text"), lost: "the type of a column, which becomes text" };
  const found = typeOf(first, second);
  // A length in brackets is not enforced either.
  if (isGuessed === undefined && (typeOf !== sized || first === undefined)) return found;
  return { ...found, guessed: "a type from the name of a SQLite type, which the file does not enforce" };
}
