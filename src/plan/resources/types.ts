/** The types of a resource's storage: tables, columns, references, rules. */
import type { Json, JsonObject } from "../../base/json.ts";
import type { UnixUnit } from "../../base/unix-time.ts";
import type { TypedExpression } from "../../expression/typed.ts";
import type { Default, Modifier } from "../../language/resources/model.ts";
import type { GrantPlan } from "../authentication/types.ts";
import type { LifecyclePlan, TimedJob, WakePlan } from "../states/types.ts";

/** The members of the plan for part 2. */
export interface ResourcesPart {
  readonly tables: readonly Table[];
  /** The named JSON Schemas, by the URI with which references name them. */
  readonly schemas: Readonly<Record<string, JsonObject>>;
}

// ── Resources ──────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * A resource as a table. Besides `columns`, every table has `_seq` (integer primary key, order of creation) and `_rev`
 * (integer that changes with every visible change). Resources with states also have a regular column `state`; resources with
 * timers have `_entered` (when the record entered the state, in epoch milliseconds) and `_due` (when the next timer is due;
 * see `schedule.ts`).
 */
export interface Table {
  readonly resource: string;
  /** The table's name in the store, a plural in snake_case: `parcels`. */
  readonly name: string;
  /** How the column `id` gets its value. */
  readonly id: IdPlan;
  /** The columns in the order of members in responses. */
  readonly columns: readonly Column[];
  /** The fields computed at each read: `:=` without `unique`, `filter`, `sort` or `search`. */
  readonly virtual: readonly Virtual[];
  /** Sets of columns that are unique together, besides `id`. */
  readonly uniques: readonly (readonly string[])[];
  /** The sets of `uniques` in which two nulls conflict; in the other sets nulls do not conflict. */
  readonly absentEqual?: readonly (readonly string[])[];
  /** The sets of `uniques` for whose conflict the document declares an error; the others use `already-exists`. */
  readonly conflicts: readonly { readonly columns: readonly string[]; readonly else: string }[];
  /** Sets of columns to index, each followed by `_seq`: for filters, sorts and ownership. */
  readonly indexes: readonly (readonly string[])[];
  readonly rules: readonly RulePlan[];
  /** The rules, of any resource, that read other records and that a write of this resource may break. */
  readonly lateRules?: readonly LateRule[];
  readonly lifecycle?: LifecyclePlan;
  /** The timed transitions of other records whose guards read records of this table. */
  readonly wakes?: readonly WakePlan[];
  /** The timed jobs in document order, transitions before retention; absent: none. */
  readonly timed?: readonly TimedJob[];
  /** The existing table of the document's `tables:`. A store without such a table makes its own. */
  readonly existing?: ExistingTablePlan;
  /** Set by a store that has found the existing table: how it reads and writes the table. `name` is then that of a view. */
  readonly adopted?: AdoptedTable;
}

export interface ExistingTablePlan {
  readonly name: string;
  /** The columns of fields that have another name. */
  readonly columns: Readonly<Record<string, string>>;
}

/** An existing table that a service uses in place. */
export interface AdoptedTable {
  /** The name of the table. */
  readonly name: string;
  /** The SQL of the number that orders the rows and finds a row, as the table has it: a quoted column, or `rowid`. */
  readonly seq: string;
  /** Whether the database chooses ids, so that an insert writes none. */
  readonly makesIds: boolean;
  /** The columns by field. */
  readonly columns: Readonly<Record<string, AdoptedColumn>>;
}

export interface AdoptedColumn {
  readonly name: string;
  /** The SQL type. */
  readonly type: string;
  /** The SQL that reads the column as the store's own type, over the column's quoted name. */
  readonly read: string;
  /** The SQL that writes a value of the store's own type, with `?` for it. */
  readonly write: string;
  /** PostgreSQL: the SQL of the next value of a field that the database counts. */
  readonly next?: string;
  /** Set if the column may be null although the field may not: a row with null is no record. */
  readonly excludesNull?: true;
  /** The SQL of a condition that values of the field's type fulfil, if the column may have others: such a row is no record. */
  readonly condition?: string;
}

/**
 * How ids are made. `server`: a prefix, `_` and 26 characters that sort by time, or only these for an empty prefix; with
 * `random`, `length` random ones of `characters` instead of the 26; for an id of another type, the column's `default`.
 * `counter`: 1, 2, 3, never reused. `client`: from the body, or for a PUT from the path.
 */
export type IdPlan =
  | {
      readonly made: "server";
      readonly prefix?: string;
      readonly random?: { readonly length: number; readonly characters: string };
    }
  | { readonly made: "counter" }
  | { readonly made: "client" };

export interface Column {
  /** The name of the field, which is also the name of the column and of the JSON member. */
  readonly name: string;
  readonly type: ColumnType;
  /** Set for a timestamp that JSON has as Unix time. */
  readonly unix?: UnixUnit;
  /** Whether the column allows null. */
  readonly nullable: boolean;
  /** How JSON represents null: no member (`?`), or null (`| null`). */
  readonly absent: "left out" | "null";
  /** The closed list of values, which the store enforces. */
  readonly values?: readonly string[];
  readonly references?: ReferencePlan;
  /** For a file: the value is its metadata `{ id, type, bytes, sha256, name? }`; the bytes are stored separately. */
  readonly file?: FilePlan;
  /** Where the value contains references; deleting a record to which it refers is rejected. */
  readonly holds?: readonly HeldReference[];
  /** The expression of a stored computed field, which is computed again at each write of the record. */
  readonly computed?: TypedExpression;
  readonly default?: DefaultPlan;
  readonly marks: readonly Modifier[];
  /** For a reference that requests may expand: the callers who may see the other record. */
  readonly expandableFor?: readonly GrantPlan[];
  /** The callers that see the field. Absent: every caller that sees the record. Empty: no caller (`write-only`, `secret`). */
  readonly visibleTo?: readonly GrantPlan[];
  /** The JSON Schema of the value in responses. */
  readonly schema: JsonObject;
}

export interface ReferencePlan {
  readonly resource: string;
  readonly onDelete: "refuse" | "delete" | "clear";
  /** Set if the reference is to the same resource and must form no cycles. */
  readonly tree?: true;
}

/** Which files are allowed: their size and media types. */
export interface FilePlan {
  readonly maxBytes: number;
  /** The allowed media types, whose subtype may be `*`; empty: any. */
  readonly media: readonly string[];
}

/** Where ids of a resource are inside a value: member names, and `*` for every list item or map value. */
export interface HeldReference {
  readonly resource: string;
  readonly path: readonly string[];
}

/** The default of a column; a literal also has its typed value. */
export type DefaultPlan =
  | Exclude<Default, { kind: "literal" }>
  | { readonly kind: "literal"; readonly text: string; readonly value: Json };

/**
 * How a value is stored and written in JSON. `text`; `integer`; `number` (a double; one without a fraction is written as an
 * integer); `boolean`; `timestamp` (RFC 3339 in UTC with milliseconds); `json` (lists, maps, embedded values, schema fields,
 * money).
 */
export type ColumnType = "text" | "integer" | "number" | "boolean" | "timestamp" | "json";

/** How JSON has a value: as its column does, or a timestamp as Unix time. */
export type JsonType = ColumnType | UnixUnit;

export interface Virtual {
  readonly name: string;
  readonly type: JsonType;
  readonly absent: "left out" | "null";
  readonly expression: TypedExpression;
  readonly visibleTo?: readonly GrantPlan[];
  readonly schema: JsonObject;
}

export interface RulePlan {
  readonly expression: TypedExpression;
  readonly else: string;
  /**
   * Set if the rule reads other records, so that it is evaluated after all writes (`Table.lateRules`); absent: it is evaluated
   * before its record is written.
   */
  readonly isLate?: true;
  /** Set if the rule reads the time, the caller or the former record, so that it does not apply to stored data. */
  readonly isAboutWrite?: true;
}

/**
 * A rule to evaluate after a transaction has written a record of this table, and the records for which to evaluate the rule.
 */
export interface LateRule {
  /** The resource whose rule it is. */
  readonly resource: string;
  readonly rule: TypedExpression;
  readonly else: string;
  /** A unique name of the rule. */
  readonly name: string;
  /**
   * For which records the rule is evaluated. `itself`: the written record, with its former values as `old`. `other`: the
   * records that read the written record.
   */
  readonly kind: "itself" | "other";
  readonly on: {
    readonly insert: boolean;
    readonly delete: boolean;
    /** The columns after whose update the rule is evaluated. */
    readonly columns: readonly string[] | "any";
  };
  readonly find: RuleFinder;
  readonly isAboutWrite: boolean;
  /** Set if the rule iterates over the records of a resource, so that only the database can evaluate it. */
  readonly inDatabase: boolean;
  /** A condition that is true for a record that violates the rule; absent if SQL cannot express it. */
  readonly broken?: TypedExpression;
  /**
   * The field by which writes are independent: two writes with different values of the field cannot affect each other's
   * records.
   */
  readonly key?: string;
}

/** How to find the records for which to evaluate a rule. */
export interface RuleFinder {
  /** A column of the written record: `where` reads its values, before and after the write, as `reach.value`. */
  readonly column?: string;
  /** The condition for the records; absent: all records. */
  readonly where?: TypedExpression;
  /** The condition in place of `where` if the value is null; absent: a null matches no record. */
  readonly absent?: TypedExpression;
  /** Set if the rule has the same value for all found records, so that evaluating one of them is enough. */
  readonly one: boolean;
}
