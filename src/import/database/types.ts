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

const scalar = (name: Extract<FieldType, { kind: "scalar" }>["name"], bounds: object = {}): FieldType => ({
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

function postgresType(written: string): ImportedType {
  if (written.endsWith("[]")) {
    const of = postgresType(written.slice(0, -2));
    return { ...of, type: { kind: "list", of: of.type } };
  }
  const [name, first, second] = partsOf(written);
  switch (name) {
    case "smallint":
      return { type: scalar("integer", { min: -32_768, max: 32_767 }) };
    case "integer":
      return { type: scalar("integer", { min: -2_147_483_648, max: 2_147_483_647 }) };
    case "bigint":
      return { type: scalar("integer") };
    case "real":
    case "double precision":
      return { type: scalar("number") };
    case "numeric":
      return decimalOf(first, second);
    case "money":
      return { type: scalar("decimal"), lost: "the currency of a type" };
    case "boolean":
      return { type: scalar("boolean") };
    case "character varying":
    case "character":
      return { type: first === undefined ? scalar("text") : scalar("string", { max: first }) };
    case "text":
      return { type: scalar("text") };
    case "citext":
      return { type: scalar("text"), lost: "that a text is compared without regard to case" };
    case "uuid":
      return { type: scalar("uuid") };
    case "date":
      return { type: scalar("date") };
    case "timestamp with time zone":
      return { type: scalar("datetime") };
    case "timestamp without time zone":
      return { type: scalar("datetime"), guessed: "that a timestamp without a time zone is in UTC" };
    case "time without time zone":
      return { type: scalar("time") };
    case "json":
    case "jsonb":
      return { type: scalar("json") };
    case "bytea":
      return { type: scalar("bytes") };
    case "hstore":
      return { type: { kind: "map", of: { kind: "nullable", of: scalar("text") } } };
    default:
      return {
        type: scalar("text"),
        lost: `the type ${known.includes(name) ? name : "of a column"}, which becomes text`,
      };
  }
}

/** Types of PostgreSQL that a notice names. */
const known: readonly string[] = [
  "interval", "time with time zone", "inet", "cidr", "macaddr", "xml", "tsvector", "point", "bit", "bit varying",
  "int4range", "int8range", "numrange", "tsrange", "tstzrange", "daterange",
]; // biome-ignore format: a table

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

/** SQLite accepts any name of a type; the names that other databases have are read as those mean them. */
function sqliteType(written: string): ImportedType {
  const [name, first, second] = partsOf(written);
  const guessed = "a type from the name of a SQLite type, which the file does not enforce";
  if (/bool/.test(name)) return { type: scalar("boolean"), guessed };
  if (/json/.test(name)) return { type: scalar("json"), guessed };
  if (/uuid|guid|uniqueidentifier/.test(name)) return { type: scalar("uuid"), guessed };
  if (/datetime|timestamp/.test(name)) return { type: scalar("datetime"), guessed };
  if (name === "date") return { type: scalar("date"), guessed };
  if (name === "time") return { type: scalar("time"), guessed };
  if (name.includes("int")) return { type: scalar("integer") };
  if (/char|clob|text/.test(name)) {
    if (first === undefined || /clob|text/.test(name)) return { type: scalar("text") };
    return { type: scalar("string", { max: first }), guessed };
  }
  if (/real|floa|doub/.test(name)) return { type: scalar("number") };
  if (/dec|numeric|money/.test(name)) return { ...decimalOf(first, second), guessed };
  if (name.includes("blob")) return { type: scalar("bytes") };
  if (name === "" || name === "any") return { type: scalar("json"), lost: "that a column has no type" };
  return { type: scalar("text"), lost: "the type of a column, which becomes text" };
}
