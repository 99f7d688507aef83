/**
 * Previews the migrated tables as temporary views over the current ones. Each view has the name of its future table, and so
 * hides the current one: rules and uniqueness are checked with the SQL of the service. The file does not change.
 *
 * A view has three layers, because a value can depend on others: first stored values with their new name and type; then the
 * values from part 9 and defaults, and references; then computed values.
 */
import { instantText } from "../../base/clock.ts";
import type { Json } from "../../base/json.ts";
import { compileFunction, type Value, type Variables } from "../../expression/evaluate.ts";
import { fieldsIn, type TypedExpression } from "../../expression/typed.ts";
import { storedSchema } from "../../plan/resources/columns.ts";
import type { Column, ColumnType, Table } from "../../plan/resources/types.ts";
import { dueOf } from "../../plan/states/schedule.ts";
import { converted, isSecret } from "../migration/conversions.ts";
import {
  type Changed,
  type ColumnChange,
  type Converting,
  type Differences,
  isMade,
} from "../migration/differences.ts";
import type { Following } from "../migration/migration.ts";
import { compileReshape } from "../migration/reshape.ts";
import { isTimed, timeColumns } from "../sql/columns.ts";
import type { Connection } from "./connection.ts";
import { relationsOf } from "./relations.ts";
import { TransactionDeps } from "./transaction.ts";
import { quoteText } from "../sql/json-text.ts";
import { fromStored, literalSql, quoteName, toStored } from "./value.ts";

export interface MigrationPreview {
  /**
   * Returns the quoted view with null for lost or missing values, and with `was` columns: the former values of changed
   * columns.
   */
  readonly filled: (table: Table) => string;
  /** The variables of expressions, with the value of `now`. */
  readonly variables: Variables;
  close(): void;
}

type Maker = (...values: readonly Stored[]) => Value;
type Stored = string | number | null;

export function openMigrationPreview(
  connection: Connection,
  { added, changed }: Differences,
  tables: readonly Table[],
  { validate }: Pick<Following, "validate">,
  clock: () => number,
): MigrationPreview {
  const makers: (readonly [make: Maker, type: ColumnType])[] = [];
  connection.database.function("nonet_made", { varargs: true }, (index, ...values) => {
    const [make, type] = makers[Number(index)] ?? [];
    if (make === undefined || type === undefined) throw new Error("a value is made by nothing");
    const stored = toStored(make(...(values as Stored[])), type);
    // SQLite receives a JavaScript number as a double; a table column would convert it to an integer, but a view does not.
    return typeof stored === "number" && type !== "number" ? BigInt(stored) : stored;
  });
  const viewed = new Set([...added.map(({ resource }) => resource), ...changed.map(({ after }) => after.resource)]);
  const layer = (level: string, { name, resource }: Table): string =>
    viewed.has(resource) && !added.some((one) => one.resource === resource) ? `nonet_${level}_${name}` : name;
  const variables = { now: instantText(clock()) };
  const at: Site = {
    tables,
    stored: (table) => quoteName(layer("stored", table)),
    filled: (table) => quoteName(layer("filled", table)),
    fits: (column) => {
      const holds = isSecret(column) ? () => true : validate(storedSchema(column));
      return (value) => holds(value) && (typeof value !== "string" || column.values?.includes(value) !== false);
    },
    evaluate: (expression) => {
      const run = compileFunction(expression);
      return (record, more) => run({ record, variables: { ...variables, ...more }, steps: Number.POSITIVE_INFINITY });
    },
    make: (make, type, ...values) => {
      makers.push([make, type]);
      return `nonet_made(${[makers.length - 1, ...values].join(", ")})`;
    },
    moment: variables.now,
  };
  // Computed values may read other records, in their state before the computation.
  const deps = new TransactionDeps(
    relationsOf(tables.map((table) => ({ ...table, name: layer("filled", table) }))),
    connection,
    clock,
  );
  const views: string[] = [];
  const view = (name: string, sql: string): void => {
    views.push(name);
    connection.exec(`CREATE TEMP VIEW ${name} AS ${sql}`);
  };
  for (const table of added) view(quoteName(table.name), emptyView(table));
  for (const one of changed) view(at.stored(one.after), storedView(at, one));
  for (const one of changed) view(at.filled(one.after), filledView(at, one));
  for (const one of changed) view(quoteName(one.after.name), computedView(at, one, deps));
  return {
    filled: at.filled,
    variables,
    close: () => {
      for (const name of views.toReversed()) connection.exec(`DROP VIEW temp.${name}`);
    },
  };
}

interface Site {
  readonly tables: readonly Table[];
  readonly stored: (table: Table) => string;
  readonly filled: (table: Table) => string;
  readonly fits: (column: Column) => (value: Exclude<Value, undefined>) => boolean;
  readonly evaluate: (
    expression: TypedExpression,
  ) => (record: Readonly<Record<string, Value>>, more: Variables) => Value;
  /** Returns SQL that calls the JavaScript function `make` with these values. */
  readonly make: (make: Maker, type: ColumnType, ...values: readonly string[]) => string;
  readonly moment: string;
}

/** Returns the name of the column with the former value. */
export function was(name: string): string {
  return quoteName(`was ${name}`);
}

/** Whether a view has a column `was NAME` for the changed column NAME. */
export function hasWas(change: ColumnChange): boolean {
  return change.source !== undefined && (isMade(change) || change.required);
}

function emptyView(table: Table): string {
  const { columns } = table;
  const names = ["_seq", "_rev", ...hiddenTimes(table), ...columns.map(({ name }) => quoteName(name))];
  return `SELECT ${names.map((name) => `NULL AS ${name}`).join(", ")} WHERE FALSE`;
}

function storedView(at: Site, { after, before, columns }: Changed): string {
  const members = columns.flatMap((change) => {
    const { column, source } = change;
    if (source === undefined) return [`NULL AS ${quoteName(column.name)}`];
    const stored = `t.${quoteName(source.name)}`;
    const value = change.converts.length > 0 ? "NULL" : valueSql(at, change, source, stored);
    return [`${value} AS ${quoteName(column.name)}`, ...(hasWas(change) ? [`${stored} AS ${was(column.name)}`] : [])];
  });
  // If the time is unknown, the record's last change is used: it is not before the record entered its state.
  const stateSince = isTimed(before) ? "coalesce(t._entered, t._rev)" : "t._rev";
  const times = isTimed(after) ? [`${stateSince} AS _entered`, "NULL AS _due"] : [];
  return `SELECT ${["t._seq", "t._rev", ...times, ...members].join(", ")} FROM main.${quoteName(before.name)} AS t`;
}

/**
 * Returns SQL that converts a value to the new type; null if the new type has no equal value, or the value does not fit the
 * schema.
 */
function valueSql(at: Site, { column, narrowed, retyped }: ColumnChange, source: Column, stored: string): string {
  if (!retyped && !narrowed) return stored;
  const fits = at.fits(column);
  const make = (raw: Stored | undefined): Value => {
    const value = fromStored(raw, source.type);
    if (value === null) return null;
    const made = retyped ? converted(value, source, column) : value;
    return made !== undefined && made !== null && fits(made) ? made : null;
  };
  return at.make(make, column.type, stored);
}

function filledView(at: Site, { after, columns }: Changed): string {
  const types = new Map(columns.map(({ column }) => [column.name, column.type]));
  const members = columns.flatMap((change) => {
    const { column } = change;
    const value = referring(at, change, filledValue(at, change, types));
    return [
      `${value} AS ${quoteName(column.name)}`,
      ...(hasWas(change) ? [`t.${was(column.name)} AS ${was(column.name)}`] : []),
    ];
  });
  const hidden = ["_seq", "_rev", ...hiddenTimes(after)].map((name) => `t.${name}`);
  return `SELECT ${[...hidden, ...members].join(", ")} FROM ${at.stored(after)} AS t`;
}

type Types = ReadonlyMap<string, ColumnType>;

function filledValue(at: Site, change: ColumnChange, types: Types): string {
  const { column, converts, fill, source } = change;
  const present =
    converts.length > 0 ? fallbackValue(at, change, converts, types, "convert") : `t.${quoteName(column.name)}`;
  if (fill === undefined) return present;
  const filling = fillingOf(at, change, fill, types);
  return source === undefined ? filling : `CASE WHEN t.${was(column.name)} IS NULL THEN ${filling} ELSE ${present} END`;
}

function fillingOf(at: Site, change: ColumnChange, fill: NonNullable<ColumnChange["fill"]>, types: Types): string {
  switch (fill.kind) {
    case "literal":
      return literalSql(toStored(fill.value as Value, change.column.type, !change.column.nullable));
    case "now":
      return quoteText(at.moment);
    case "counter":
      return "row_number() OVER (ORDER BY t._seq)";
    case "expression":
      return fallbackValue(at, change, [fill], types, "fill");
  }
}

/** Applies the conversions of part 9, version by version. */
function fallbackValue(
  at: Site,
  { column, source }: ColumnChange,
  steps: readonly Converting[],
  types: Types,
  use: "fill" | "convert",
): string {
  const runs = steps.map((step) => {
    if (step.kind === "literal") return () => step.value as Value;
    if (step.kind === "reshape") {
      const reshape = compileReshape(step);
      return (_: Readonly<Record<string, Value>>, { value }: Variables) => reshape(value as Json) as Value;
    }
    return at.evaluate(step.expression);
  });
  const fields = [
    ...new Set(steps.flatMap((step) => (step.kind === "expression" ? fieldsIn(step.expression) : []))),
  ].filter((name) => types.has(name));
  const fits = at.fits(column);
  const make = (raw: Stored | undefined, ...others: readonly Stored[]): Value => {
    const record = recordOf(fields, types, others);
    let value = source === undefined ? null : fromStored(raw, source.type);
    if (value === null && use === "convert") return null;
    for (const run of runs) value = run(record, { value });
    return value !== null && fits(value) ? value : null;
  };
  const former = source === undefined ? "NULL" : `t.${was(column.name)}`;
  return at.make(make, column.type, former, ...fields.map((name) => `t.${quoteName(name)}`));
}

function recordOf(fields: readonly string[], types: Types, stored: readonly Stored[]): Record<string, Value> {
  return Object.fromEntries(
    fields.map((name, index) => [name, fromStored(stored[index], types.get(name) ?? "text")] as const),
  );
}

/** Returns SQL of a reference; null if the referenced record does not exist. */
function referring(at: Site, { column, referred }: ColumnChange, value: string): string {
  const target = referred ? at.tables.find(({ resource }) => resource === column.references?.resource) : undefined;
  if (target === undefined) return value;
  return `(SELECT r."id" FROM ${at.stored(target)} AS r WHERE r."id" = ${value})`;
}

function computedView(at: Site, { after, columns }: Changed, deps: TransactionDeps): string {
  const types = new Map(columns.map(({ column }) => [column.name, column.type]));
  const members = columns.map((change) => {
    const { column } = change;
    const name = quoteName(column.name);
    if (change.computed && column.computed !== undefined) {
      const evaluate = deps.evaluate(column.computed);
      const fields = fieldsIn(column.computed);
      const make = (...stored: readonly Stored[]): Value => evaluate(recordOf(fields, types, stored), {});
      return `${at.make(make, column.type, ...fields.map((field) => `t.${quoteName(field)}`))} AS ${name}`;
    }
    // Applies only if the operator allows the loss: then a lost value becomes the default.
    const otherwise = lossDefault(change);
    return otherwise === undefined ? `t.${name}` : `coalesce(t.${name}, ${otherwise}) AS ${name}`;
  });
  const times = isTimed(after) ? ["t._entered", `${dueValue(at, after, types)} AS _due`] : [];
  return `SELECT ${["t._seq", "t._rev", ...times, ...members].join(", ")} FROM ${at.filled(after)} AS t`;
}

function hiddenTimes(table: Table): readonly string[] {
  return isTimed(table) ? timeColumns : [];
}

/** Returns SQL of `_due`. Timers count from stored columns only, never from computed ones. */
function dueValue(at: Site, table: Table, types: Types): string {
  const since = (table.timed ?? []).flatMap((job) => (job.since.kind === "column" ? [job.since.column] : []));
  const fields = [...new Set(["state", ...since])].filter((name) => types.has(name));
  const make = (stateSince: Stored | undefined, ...stored: readonly Stored[]): Value =>
    dueOf(table, { ...recordOf(fields, types, stored), _entered: stateSince });
  return at.make(make, "integer", "t._entered", ...fields.map((name) => `t.${quoteName(name)}`));
}

/** Returns the default that replaces a lost value of a required column; undefined if there is none. */
export function lossDefault({ column, source }: ColumnChange): string | undefined {
  const { default: made, nullable, type } = column;
  if (source === undefined || nullable || made?.kind !== "literal") return undefined;
  return literalSql(toStored(made.value as Value, type, true));
}
