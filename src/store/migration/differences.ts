/**
 * Compares the stored tables with those of a document: returns the changes, and the checks that the data needs because it may
 * not fit. Reads no data.
 */
import { isWrittenAlike } from "../../base/json.ts";
import { fieldsIn, mentions, type TypedExpression } from "../../expression/typed.ts";
import { storedSchema } from "../../plan/resources/columns.ts";
import type { Column, RulePlan, Table } from "../../plan/resources/types.ts";
import type { DataChange, ReshapePlan, FallbackPlan, VersionStep } from "../../plan/versioning/data-change-types.ts";
import { isSecret } from "./conversions.ts";
import { follow, type Origin, stepsSince } from "./follow-versions.ts";
import { isAbsentEqual, uniquesOf } from "../sql/columns.ts";
import { isWider } from "./schema-compatibility.ts";

export interface Differences {
  readonly added: readonly Table[];
  readonly dropped: readonly Table[];
  readonly changed: readonly Changed[];
}

export interface Changed {
  readonly before: Table;
  readonly after: Table;
  /** All columns of `after`, in its order. */
  readonly columns: readonly ColumnChange[];
  /** Columns of `before` that are not in `after`. */
  readonly dropped: readonly Column[];
  /** The sets of columns whose uniqueness must be checked. */
  readonly uniques: readonly (readonly string[])[];
  /** The rules that the existing records must be checked against. */
  readonly rules: readonly RulePlan[];
  /** References to the same resource which must now form a tree, so cycles must be checked. */
  readonly trees: readonly string[];
  /** Whether the timers of the records change. */
  readonly timed: boolean;
}

/** A column, and how to derive its values from the stored ones. */
export interface ColumnChange {
  readonly column: Column;
  /** The stored column; absent for a new one. */
  readonly source?: Column;
  /** Conversions from part 9, which apply in order and replace the automatic conversion. */
  readonly converts: readonly Converting[];
  /** The value for records that have none; absent: they stay without a value. */
  readonly fill?: Filling;
  /** Whether values must be converted to another type. */
  readonly retyped: boolean;
  /** Whether values must be checked against a narrower schema. */
  readonly narrowed: boolean;
  /** Whether the column is now required, so that records may lack a value. */
  readonly required: boolean;
  /** Whether the reference has a new target, so that targets may be missing. */
  readonly referred: boolean;
  /** Whether the value must be computed again. */
  readonly computed: boolean;
}

export type Converting = FallbackPlan | ReshapePlan;

export type Filling = FallbackPlan | { readonly kind: "now" } | { readonly kind: "counter" };

/** Whether the migration may change the column's values. */
export function isMade({ converts, retyped, narrowed, fill, referred, computed }: ColumnChange): boolean {
  return converts.length > 0 || retyped || narrowed || fill !== undefined || referred || computed;
}

/** Matches resources and fields by name, after the renames of `history`. */
export function differencesBetween(
  before: readonly Table[],
  after: readonly Table[],
  history: readonly VersionStep[] = [],
  stored?: VersionStep,
): Differences {
  const steps = stepsSince(history, stored);
  const origins = follow(before, steps);
  const remaining = new Set(after.map(({ resource }) => resource));
  const resourceNow = new Map([...origins].map(([resource, { table }]) => [table.resource, resource]));
  return {
    added: after.filter(({ resource }) => !origins.has(resource)),
    dropped: [...origins].flatMap(([resource, { table }]) => (remaining.has(resource) ? [] : [table])),
    changed: after.flatMap((table) => {
      const origin = origins.get(table.resource);
      return origin ? [changed(origin, table, steps, resourceNow)] : [];
    }),
  };
}

type Names = ReadonlyMap<string, string>;

function changed({ table, columns }: Origin, after: Table, steps: readonly VersionStep[], resourceNow: Names): Changed {
  const names = new Set(after.columns.map(({ name }) => name));
  const changes = after.columns.map((column) =>
    columnChange(after, column, columns.get(column.name), steps, resourceNow),
  );
  const made = new Set(changes.filter(isMade).map(({ column }) => column.name));
  const nameNow = new Map([...columns].map(([name, column]) => [column.name, name]));
  const unique = new Map(
    uniquesOf(table).map((set) => [keyOf(set.map((name) => nameNow.get(name) ?? name)), isAbsentEqual(table, set)]),
  );
  const isUnique = (set: readonly string[]): boolean => {
    const absentEqual = unique.get(keyOf(set));
    return absentEqual === true || (absentEqual === false && !isAbsentEqual(after, set));
  };
  const ruled = new Set(table.rules.map(({ expression }) => JSON.stringify(expression)));
  return {
    before: table,
    after,
    columns: changes,
    dropped: [...columns].flatMap(([name, column]) => (names.has(name) ? [] : [column])),
    uniques: uniquesOf(after).filter((set) => !isUnique(set) || set.some((name) => made.has(name))),
    rules: after.rules.filter(
      ({ expression }) =>
        isOfData(expression) &&
        (!ruled.has(JSON.stringify(expression)) || fieldsIn(expression).some((field) => made.has(field))),
    ),
    trees: changes.flatMap((change) => {
      const { column, source } = change;
      if (column.references?.tree !== true) return [];
      return source?.references?.tree === true && !isMade(change) ? [] : [column.name];
    }),
    timed: !isWrittenAlike(momentsOf(after), momentsOf(table)),
  };
}

function momentsOf({ timed = [] }: Table): unknown {
  return timed.map(({ states, since, after }) => [states, since, after]);
}

function keyOf(columns: readonly string[]): string {
  return columns.toSorted().join(" ");
}

/** Whether a rule applies to existing records: rules that read the time, the caller or the record before the write do not. */
function isOfData(expression: TypedExpression): boolean {
  return !mentions(expression, "variable");
}

function columnChange(
  { resource }: Table,
  column: Column,
  source: Column | undefined,
  steps: readonly VersionStep[],
  resourceNow: Names,
): ColumnChange {
  const changes = steps.flatMap((one) => one.changes).filter((change) => isAbout(change, resource, column.name));
  const fills = changes.flatMap((change) => (change.kind === "fill" ? [change.taken] : []));
  const computed = column.computed !== undefined && !isWrittenAlike(column.computed, source?.computed);
  const required = !column.nullable && source?.nullable !== false && !(computed && column.computed !== undefined);
  const fill = computed || (source !== undefined && !required) ? undefined : (fills.at(-1) ?? filling(column));
  const referenced = source?.references && (resourceNow.get(source.references.resource) ?? source.references.resource);
  const converts = source === undefined || computed ? [] : conversionsOf(changes, source, column);
  const retyped =
    source !== undefined &&
    converts.length === 0 &&
    !computed &&
    (column.type !== source.type || isReshaped(source, column));
  return {
    column,
    ...(source === undefined ? {} : { source }),
    converts,
    ...(fill === undefined ? {} : { fill }),
    retyped,
    narrowed:
      !isSecret(column) &&
      !computed &&
      (retyped ||
        converts.length > 0 ||
        (fill !== undefined && source !== undefined) ||
        (source !== undefined && isNarrower(source, column))),
    required,
    referred: column.references !== undefined && column.references.resource !== referenced,
    computed,
  };
}

function isAbout(change: DataChange, resource: string, field: string): boolean {
  return (
    (change.kind === "fill" || change.kind === "convert" || change.kind === "reshape") &&
    change.resource === resource &&
    change.field === field
  );
}

/**
 * Returns the conversions, beginning with the first one whose source type is the stored type. None if the stored schema
 * already equals the document's: an entry added or edited after the migration must not convert a value twice.
 */
function conversionsOf(changes: readonly DataChange[], source: Column, column: Column): readonly Converting[] {
  const [before, after] = [storedSchema(source), storedSchema(column)];
  if (source.type === column.type && isWider(before, after) && isWider(after, before)) return [];
  const converts = changes.filter((change) => change.kind === "convert" || change.kind === "reshape");
  const first = converts.findIndex((change) => (change.kind === "reshape" ? "json" : change.was) === source.type);
  if (first < 0) return [];
  return converts.slice(first).map((change) => (change.kind === "reshape" ? change.reshape : change.taken));
}

/** Whether stored values differ although the column types are equal: of JSON columns, secrets and less exact moments. */
function isReshaped(before: Column, after: Column): boolean {
  if (isSecret(before) !== isSecret(after)) return true;
  if (after.unix === "seconds" && before.unix !== "seconds") return true;
  return after.type === "json" && !isWrittenAlike(before.schema["type"], after.schema["type"]);
}

function isNarrower(before: Column, after: Column): boolean {
  const values = after.values;
  const fewer = values !== undefined && !before.values?.every((value) => values.includes(value));
  return fewer || !isWider(storedSchema(before), storedSchema(after));
}

/**
 * Returns the value for existing records. The migration time is not a record's creation time, but at that time the record is
 * known to exist.
 */
function filling({ default: made }: Column): Filling | undefined {
  switch (made?.kind) {
    case "literal":
      return made;
    case "now":
    case "now-on-change":
      return { kind: "now" };
    case "counter":
      return { kind: "counter" };
    default:
      return undefined;
  }
}
