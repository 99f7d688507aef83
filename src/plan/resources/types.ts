/** What a resource is stored as: tables, columns, references, rules. */
import type { Json, JsonObject } from "../../base/json.ts";
import type { TypedExpression } from "../../expression/typed.ts";
import type { Default, Modifier } from "../../language/resources/model.ts";
import type { GrantPlan } from "../authentication/types.ts";
import type { LifecyclePlan, TimedJob } from "../states/types.ts";

/** Part 2 of the plan. */
export interface ResourcesPart {
  readonly tables: readonly Table[];
  /** Named JSON Schemas, by the address that references use. */
  readonly schemas: Readonly<Record<string, JsonObject>>;
}

// ── Resources ──────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * A resource as a table. Besides `columns` every table has `_seq` (integer primary key, order of creation) and `_rev`
 * (integer, changes with every visible change); resources with states have a column `state`, listed like any other; what
 * time changes has `_entered` (epoch milliseconds at which the state was entered) and `_due` (when time next does
 * something to the record; see `due.ts`).
 */
export interface Table {
  readonly resource: string;
  /** The table's name in the store, snake_case plural: `parcels`. */
  readonly name: string;
  /** How the column `id` gets its value. */
  readonly id: IdPlan;
  /** In the order in which a record is written on the wire. */
  readonly columns: readonly Column[];
  /** Fields computed at reading, `:=` without `unique`, `filter` or `sort`. */
  readonly virtual: readonly Virtual[];
  /** Sets of columns that together are unique, besides `id`. */
  readonly uniques: readonly (readonly string[])[];
  /** Those of `uniques` for which two absent values are equal; for all others they are distinct. */
  readonly absentEqual?: readonly (readonly string[])[];
  /** Sets of `uniques` whose being taken has an error of the document's own; for all others it is `already-exists`. */
  readonly conflicts: readonly { readonly columns: readonly string[]; readonly else: string }[];
  /** Sets of columns to index, `_seq` understood as the last: what filters, sorts and ownership use. */
  readonly indexes: readonly (readonly string[])[];
  readonly rules: readonly RulePlan[];
  /** Rules that read other records, of this resource or another, that a write of a record of this one can break. */
  readonly lateRules?: readonly LateRule[];
  readonly lifecycle?: LifecyclePlan;
  /** What time does to a record, in the document's order, moves before retention; absent: nothing. */
  readonly timed?: readonly TimedJob[];
}

/**
 * `server`: a prefix, `_` and 26 characters that sort by time, which are alone where the prefix is empty; where the id has
 * another type than `id` or `id(prefix)`, from the column's `default`. `counter`: 1, 2, 3, never reused. `client`: from the body, or for a PUT from the path.
 */
export type IdPlan =
  | { readonly made: "server"; readonly prefix?: string }
  | { readonly made: "counter" }
  | { readonly made: "client" };

export interface Column {
  /** The field's name, which is also the column's and the wire's. */
  readonly name: string;
  readonly type: ColumnType;
  /** May be null in the store. */
  readonly nullable: boolean;
  /** On the wire a null is left out (`?`) or given as null (`| null`). */
  readonly absent: "left out" | "null";
  /** A closed list of values, which the store holds the column to. */
  readonly values?: readonly string[];
  readonly references?: ReferencePlan;
  /** A file: the value says of it `{ id, type, bytes, sha256, name? }`, its bytes are kept beside the record. */
  readonly file?: FilePlan;
  /** References inside of the value: deleting what they refer to is refused. */
  readonly holds?: readonly HeldReference[];
  /** Stored and kept current at each write of the record. */
  readonly computed?: TypedExpression;
  readonly default?: DefaultPlan;
  readonly marks: readonly Modifier[];
  /** Who sees it; absent: everybody who sees the record. Empty: nobody (`write-only`, `secret`). */
  readonly visibleTo?: readonly GrantPlan[];
  /** What JSON Schema says of the value on the wire. */
  readonly schema: JsonObject;
}

export interface ReferencePlan {
  readonly resource: string;
  readonly onDelete: "refuse" | "delete" | "clear";
  /** The resource is its own, and no record may be above itself. */
  readonly tree?: true;
}

/** What a file may be. */
export interface FilePlan {
  readonly maxBytes: number;
  /** Media types, a subtype may be `*`; empty: any. */
  readonly media: readonly string[];
}

/** Where in a value ids of a resource stand: names of members, and `*` for every item of a list or value of a map. */
export interface HeldReference {
  readonly resource: string;
  readonly path: readonly string[];
}

/** A default; a literal with the value that the field's type gives it. */
export type DefaultPlan =
  | Exclude<Default, { kind: "literal" }>
  | { readonly kind: "literal"; readonly text: string; readonly value: Json };

/**
 * How a value is kept and given. `text`; `integer`; `number` (double; a whole number is written without a fraction);
 * `boolean`; `timestamp` (RFC 3339 in UTC with milliseconds); `json` (lists, maps, embedded values, schema fields, money).
 */
export type ColumnType = "text" | "integer" | "number" | "boolean" | "timestamp" | "json";

export interface Virtual {
  readonly name: string;
  readonly type: ColumnType;
  readonly absent: "left out" | "null";
  readonly expression: TypedExpression;
  readonly visibleTo?: readonly GrantPlan[];
  readonly schema: JsonObject;
}

export interface RulePlan {
  readonly expression: TypedExpression;
  readonly else: string;
  /** It reads other records, and is evaluated when all is written (`Table.lateRules`); absent: before its record is. */
  readonly isLate?: true;
  /** It mentions the moment, the caller or the record before: it says nothing of what is stored. */
  readonly isAboutWrite?: true;
}

/** A rule, and for which records it is evaluated when a transaction has written a record of the table that it is listed at. */
export interface LateRule {
  /** The resource that the rule is of. */
  readonly resource: string;
  readonly rule: TypedExpression;
  readonly else: string;
  /** Of the document's rules this one. */
  readonly name: string;
  /** `itself`: for the written record, with what it was before as `old`. `other`: for those that read it. */
  readonly kind: "itself" | "other";
  readonly on: {
    readonly insert: boolean;
    readonly delete: boolean;
    /** What an update has to change. */
    readonly columns: readonly string[] | "any";
  };
  readonly find: RuleFinder;
  readonly isAboutWrite: boolean;
  /** It goes through the records of a resource, which only the database does. */
  readonly inDatabase: boolean;
  /** True of a record that breaks it; absent where SQL cannot say that. */
  readonly broken?: TypedExpression;
  /** Writes that reach it through different values of this field of its record have nothing to do with one another. */
  readonly key?: string;
}

/** The records that a rule is evaluated for. */
export interface RuleFinder {
  /** Of the written record: its values, before and after, are `reach.value` in `where`. */
  readonly column?: string;
  /** Absent: all records. */
  readonly where?: TypedExpression;
  /** In place of `where` for a null; without it there is no such record. */
  readonly absent?: TypedExpression;
  /** The rule says the same of each of them, so that one is enough. */
  readonly one: boolean;
}
