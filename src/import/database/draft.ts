/** A table that becomes a resource, and its fields while the constraints of the table are added to them. */
import type { Default, FieldType, Modifier } from "../../language/resources/model.ts";
import type { ImportNotices } from "../report.ts";
import type { CatalogueColumn, CatalogueTable } from "./catalogue.ts";
import type { Dialect } from "./sql-tokens.ts";
import type { ColumnKind, NamedColumn, NamedColumns } from "./sql-to-expression.ts";

/** A table that becomes a resource. */
export interface NamedTable {
  readonly table: CatalogueTable;
  readonly resource: string;
  /** The field of each column. */
  readonly fields: ReadonlyMap<string, string>;
  /** The column that is the id; absent if the key of the table cannot be one, so that the resource gets an id beside it. */
  readonly identity?: string;
  /** The columns of the key if the resource has an id beside it. */
  readonly key: readonly string[];
}

export interface Context {
  readonly dialect: Dialect;
  readonly tables: ReadonlyMap<string, NamedTable>;
  readonly notices: ImportNotices;
  /** The codes of errors, with their sentences, which the rules add. */
  readonly errors: Map<string, string>;
}

/** A field while the constraints of its table are added to it. */
export interface Draft {
  readonly column: CatalogueColumn;
  readonly name: string;
  type: FieldType;
  optional: boolean;
  default?: Default;
  computed?: string;
  readonly marks: Set<Modifier>;
  readonly pointer: string;
}

/** A closed list of values that the one-line form cannot have is a schema. */
export function withPlainValues(type: FieldType): FieldType {
  if (type.kind === "list") return { ...type, of: withPlainValues(type.of) };
  if (type.kind !== "one-of" || type.values.every((one) => /^[^\p{Cc}]+$/u.test(one))) return type;
  return { kind: "schema", schema: { type: "string", enum: type.values } };
}

export function columnsOf(drafts: ReadonlyMap<string, Draft>, resource: string): NamedColumns {
  const columns = [...drafts].map(([column, { name, optional, type }]): [string, NamedColumn] => [
    column,
    { field: name, kind: name === "id" ? `record ${resource}` : kindOf(type), optional },
  ]);
  // SQLite ignores the case of names.
  return new Map(columns.flatMap(([column, one]) => [[column.toLowerCase(), one] as const, [column, one] as const]));
}

export function kindOf(type: FieldType): ColumnKind {
  if (type.kind === "one-of") return "text";
  if (type.kind === "named") return `record ${type.name}`;
  if (type.kind !== "scalar") return "other";
  switch (type.name) {
    case "string":
    case "text":
    case "uuid":
      return "text";
    case "integer":
    case "boolean":
    case "datetime":
    case "date":
      return type.name;
    case "number":
    case "decimal":
      return "number";
    default:
      return "other";
  }
}
