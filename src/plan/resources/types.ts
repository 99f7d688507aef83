/** The plan of a resource's storage: tables, columns, references, rules. */
import type { Json, JsonObject } from "../../base/json.ts";
import type { TypedExpression } from "../../expression/typed.ts";
import type { Default, Modifier } from "../../language/resources/model.ts";
import type { GrantPlan } from "../authentication/types.ts";
import type { LifecyclePlan, TimedJob } from "../states/types.ts";

/** Part 2 of the plan. */
export interface ResourcesPart {
  readonly tables: readonly Table[];
  /** Named JSON Schemas, by their reference URI. */
  readonly schemas: Readonly<Record<string, JsonObject>>;
}

// ── Resources ──────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * A resource as a table. Besides `columns` every table has `_seq` (integer primary key, order of creation) and `_rev` (integer,
 * changes with every visible change). Resources with states also have a regular column `state`; resources with timers have
 * `_entered` (epoch milliseconds of entering the state) and `_due` (when the next timer is due; see `schedule.ts`).
 */
export interface Table {
  readonly resource: string;
  /** The table's name in the store, snake_case plural: `parcels`. */
  readonly name: string;
  /** How the column `id` gets its value. */
  readonly id: IdPlan;
  /** In the order of members in responses. */
  readonly columns: readonly Column[];
  /** Fields computed at reading, `:=` without `unique`, `filter` or `sort`. */
  readonly virtual: readonly Virtual[];
  /** Sets of columns that are unique together, besides `id`. */
  readonly uniques: readonly (readonly string[])[];
  /** The sets of `uniques` in which two nulls conflict; in others they do not. */
  readonly absentEqual?: readonly (readonly string[])[];
  /** The sets of `uniques` whose conflict has an error of the document; others use `already-exists`. */
  readonly conflicts: readonly { readonly columns: readonly string[]; readonly else: string }[];
  /** Sets of columns to index, each implicitly followed by `_seq`: for filters, sorts and ownership. */
  readonly indexes: readonly (readonly string[])[];
  readonly rules: readonly RulePlan[];
  /** Rules, of any resource, that read other records and that a write of this resource may break. */
  readonly lateRules?: readonly LateRule[];
  readonly lifecycle?: LifecyclePlan;
  /** Timed jobs in document order, transitions before retention; absent: none. */
  readonly timed?: readonly TimedJob[];
}

/**
 * `server`: a prefix, `_` and 26 characters that sort by time, or only those for an empty prefix; for an id of another type, the
 * column's `default`. `counter`: 1, 2, 3, never reused. `client`: from the body, or for a PUT from the path.
 */
export type IdPlan =
  | { readonly made: "server"; readonly prefix?: string }
  | { readonly made: "counter" }
  | { readonly made: "client" };

export interface Column {
  /** The name of the field, of the column and in JSON. */
  readonly name: string;
  readonly type: ColumnType;
  /** Whether the column allows null. */
  readonly nullable: boolean;
  /** How JSON shows null: no member (`?`), or null (`| null`). */
  readonly absent: "left out" | "null";
  /** The closed list of values, which the store enforces. */
  readonly values?: readonly string[];
  readonly references?: ReferencePlan;
  /** For a file: the value is its metadata `{ id, type, bytes, sha256, name? }`; the bytes are stored separately. */
  readonly file?: FilePlan;
  /** References inside the value; deleting a referenced record is rejected. */
  readonly holds?: readonly HeldReference[];
  /** Stored, and recomputed at each write of the record. */
  readonly computed?: TypedExpression;
  readonly default?: DefaultPlan;
  readonly marks: readonly Modifier[];
  /** The callers that see the field. Absent: every caller that sees the record. Empty: no caller (`write-only`, `secret`). */
  readonly visibleTo?: readonly GrantPlan[];
  /** The JSON Schema of the value in responses. */
  readonly schema: JsonObject;
}

export interface ReferencePlan {
  readonly resource: string;
  readonly onDelete: "refuse" | "delete" | "clear";
  /** The reference is to the same resource, and cycles are forbidden. */
  readonly tree?: true;
}

/** The allowed files. */
export interface FilePlan {
  readonly maxBytes: number;
  /** Media types, a subtype may be `*`; empty: any. */
  readonly media: readonly string[];
}

/** The location of a resource's ids inside a value: member names, and `*` for every list item or map value. */
export interface HeldReference {
  readonly resource: string;
  readonly path: readonly string[];
}

/** A default; a literal also has its typed value. */
export type DefaultPlan =
  | Exclude<Default, { kind: "literal" }>
  | { readonly kind: "literal"; readonly text: string; readonly value: Json };

/**
 * How a value is stored and written in JSON. `text`; `integer`; `number` (double; integers have no fraction); `boolean`;
 * `timestamp` (RFC 3339 in UTC with milliseconds); `json` (lists, maps, embedded values, schema fields, money).
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
  /** Reads other records, so it is evaluated after all writes (`Table.lateRules`); absent: before its record's. */
  readonly isLate?: true;
  /** The rule reads the time, the caller or the former record, so it does not apply to stored data. */
  readonly isAboutWrite?: true;
}

/** A rule to evaluate after a transaction has written a record of this table, and the records to evaluate it for. */
export interface LateRule {
  /** The resource of the rule. */
  readonly resource: string;
  readonly rule: TypedExpression;
  readonly else: string;
  /** A unique name of the rule. */
  readonly name: string;
  /** `itself`: evaluated for the written record, with the former one as `old`. `other`: for the records that read it. */
  readonly kind: "itself" | "other";
  readonly on: {
    readonly insert: boolean;
    readonly delete: boolean;
    /** The rule is evaluated after an update of one of these. */
    readonly columns: readonly string[] | "any";
  };
  readonly find: RuleFinder;
  readonly isAboutWrite: boolean;
  /** The rule iterates over the records of a resource, which only the database can do. */
  readonly inDatabase: boolean;
  /** True for a record that violates the rule; absent if SQL cannot express it. */
  readonly broken?: TypedExpression;
  /** Writes with different values of this field cannot affect each other's records. */
  readonly key?: string;
}

/** How to find the records to evaluate a rule for. */
export interface RuleFinder {
  /** A column of the written record: `where` reads its values, before and after the write, as `reach.value`. */
  readonly column?: string;
  /** Absent: all records. */
  readonly where?: TypedExpression;
  /** Replaces `where` for a null; absent: a null matches no record. */
  readonly absent?: TypedExpression;
  /** The rule has the same value for all of them, so evaluating one is enough. */
  readonly one: boolean;
}
