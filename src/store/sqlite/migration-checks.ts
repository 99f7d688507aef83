/**
 * Computes the steps of a migration and checks each against the data: the number of records that it changes, and the records that
 * block it. Writes nothing.
 */
import { defined } from "../../base/defined.ts";
import type { Column, Table } from "../../plan/resources/types.ts";
import type { Changed, ColumnChange, Differences } from "../migration/differences.ts";
import { type Following, mostNamed, type Obstacle, type Step } from "../migration/migration.ts";
import { expressions } from "./view.ts";
import type { Connection } from "./connection.ts";
import type { Fragment } from "../sql/fragment.ts";
import { binder } from "./fragment.ts";
import { type MigrationPreview, hasWas, lossDefault, openMigrationPreview, was } from "./migration-preview.ts";
import { type Relations, relationsOf } from "./relations.ts";
import { isAbsentEqual } from "../sql/columns.ts";
import { absentKeys } from "./schema.ts";
import { quoteName } from "./value.ts";

/** Returns the steps. Must run in a transaction, so that all queries read one state. */
export function stepsOf(
  connection: Connection,
  differences: Differences,
  tables: readonly Table[],
  following: Pick<Following, "validate">,
  clock: () => number,
): readonly Step[] {
  const preview = openMigrationPreview(connection, differences, tables, following, clock);
  try {
    const context: CheckContext = { connection, preview, relations: relationsOf(tables), differences };
    return [
      ...differences.added.map(addedStep),
      ...differences.changed.flatMap((change) => changedSteps(context, change)),
      ...differences.dropped.map((table) => droppedStep(context, table)),
    ];
  } finally {
    preview.close();
  }
}

interface CheckContext {
  readonly connection: Connection;
  readonly preview: MigrationPreview;
  readonly relations: Relations;
  readonly differences: Differences;
}

interface Found {
  readonly records: number;
  readonly ids: readonly string[];
}

/** Finds the records of `from` (alias `t`) for which `where` is true. */
function find({ connection, preview }: CheckContext, from: string, where: Fragment | string): Found {
  const { sql, bindings } = typeof where === "string" ? { sql: where, bindings: [] } : where;
  const values = binder(bindings)([], preview.variables);
  // The statement is not cached, since it runs only once.
  const all = (text: string): readonly (readonly unknown[])[] => {
    const statement = connection.database.prepare(text);
    statement.setReturnArrays(true);
    return statement.all(...values) as unknown as readonly (readonly unknown[])[];
  };
  const [counted] = all(`SELECT count(*) FROM ${from} WHERE ${sql}`);
  const records = Number(defined(counted, `the count of ${from}`)[0]);
  if (records === 0) return { records, ids: [] };
  const ids = all(`SELECT t."id" FROM ${from} WHERE ${sql} ORDER BY t._seq LIMIT ${mostNamed}`);
  return { records, ids: ids.map(([id]) => String(id)) };
}

function addedStep({ resource }: Table): Step {
  return { kind: "add table", resource, fields: [], description: `${resource} is new`, records: 0 };
}

function droppedStep(context: CheckContext, { name, resource }: Table): Step {
  const found = find(context, `main.${quoteName(name)} AS t`, "TRUE");
  const description = `${resource} is gone from the document`;
  const [other] = context.differences.added;
  const remedy = other && renameRemedy(`rename ${resource} -> ${other.resource}`);
  const step: Step = { kind: "drop table", resource, fields: [], description, records: found.records };
  if (found.records === 0) return step;
  return {
    ...step,
    obstacle: {
      kind: "loss",
      ...found,
      description: `${description}, and ${records(found.records)} would be lost`,
      effect: `${records(found.records, "are", "is")} deleted, without a transition or an event, and no quota counts ${them(found)}`,
      ...remedy,
    },
  };
}

function renameRemedy(entry: string): Pick<Obstacle, "remedy"> {
  return { remedy: `if it was renamed, say so in part 9: ${entry}` };
}

function changedSteps(context: CheckContext, change: Changed): readonly Step[] {
  const { after, before, columns, dropped, rules, trees, uniques } = change;
  const { resource } = after;
  const renamed: readonly Step[] =
    before.resource === resource
      ? []
      : [step("rename table", resource, [], `${before.resource} is now called ${resource}`, countOf(context, change))];
  return [
    ...renamed,
    ...columns.flatMap((column) => columnSteps(context, change, column)),
    ...dropped.map((column) => droppedColumn(context, change, column)),
    ...uniques.map((set) => uniqueStep(context, change, set)),
    ...trees.map((name) => treeStep(context, change, name)),
    ...(change.timed ? [step("timed", resource, [], `what time does to a ${resource} is due anew`, 0)] : []),
    ...rules.map((rule): Step => {
      const { sql, bindings } = expressions.condition({ all: [rule.expression] }, context.relations);
      const found = find(context, `${quoteName(after.name)} AS t`, { sql: `coalesce(${sql}, 0) = 0`, bindings });
      const description = `${resource} has a rule that the data may not keep (else ${rule.else})`;
      return step("rule", resource, [], description, 0, {
        kind: "misfit",
        ...found,
        description: `${resource} has a rule (else ${rule.else}), and ${records(found.records, "break", "breaks")} it`,
      });
    }),
  ];
}

function step(
  kind: Step["kind"],
  resource: string,
  fields: readonly string[],
  description: string,
  count: number,
  obstacle?: Obstacle,
): Step {
  const base: Step = { kind, resource, fields, description, records: count };
  return obstacle === undefined || obstacle.records === 0 ? base : { ...base, obstacle };
}

function countOf(context: CheckContext, { before }: Changed): number {
  return find(context, `main.${quoteName(before.name)} AS t`, "TRUE").records;
}

function columnSteps(context: CheckContext, change: Changed, column: ColumnChange): readonly Step[] {
  const { source } = column;
  if (source === undefined) return [newColumn(context, change, column)];
  const { resource } = change.after;
  const { name } = column.column;
  const renamed = source.name === name ? [] : [
    step("rename column", resource, [name], `${change.before.resource}.${source.name} is now called ${resource}.${name}`, countOf(context, change)),
  ]; // biome-ignore format: one thing
  if (!hasWas(column)) return renamed;
  return [
    ...renamed,
    ...(column.computed
      ? [computedStep(context, change, column, source)]
      : retainedSteps(context, change, column, source)),
  ];
}

function newColumn(context: CheckContext, { after }: Changed, { column, computed, fill }: ColumnChange): Step {
  const { resource } = after;
  const name = quoteName(column.name);
  const fieldPath = `${resource}.${column.name}`;
  const view = computed ? quoteName(after.name) : context.preview.filled(after);
  const filled = fill === undefined && !computed ? 0 : find(context, `${view} AS t`, `t.${name} IS NOT NULL`).records;
  const none = column.nullable ? { records: 0, ids: [] } : find(context, `${view} AS t`, `t.${name} IS NULL`);
  const what = filled === 0 ? "" : `, and ${records(filled, "get", "gets")} ${fillText(fill)}`;
  const remedy = `make it optional (\`?\`), give it a default, or say in part 9 what it is: add ${fieldPath}, taken as … before`;
  return step("add column", resource, [column.name], `${fieldPath} is new${what}`, filled, {
    kind: "misfit",
    ...none,
    description: `${fieldPath} is new and required, and ${records(none.records, "have", "has")} none`,
    remedy,
  });
}

function fillText(fill: ColumnChange["fill"]): string {
  switch (fill?.kind) {
    case "literal":
      return JSON.stringify(fill.value);
    case "now":
      return "the present time";
    case "counter":
      return "a number in the order of creation";
    default:
      return "one that is worked out";
  }
}

function computedStep(
  context: CheckContext,
  { after, before }: Changed,
  { column }: ColumnChange,
  source: Column,
): Step {
  const { filled } = context.preview;
  const fieldPath = `${after.resource}.${column.name}`;
  const both = `${quoteName(after.name)} AS t JOIN ${filled(after)} AS w ON w._seq = t._seq`;
  const differs = `w.${was(column.name)} IS NOT t.${quoteName(column.name)}`;
  const found = find(context, both, differs);
  const description = `${fieldPath} is worked out anew`;
  // A computed value can be computed again, but a value that a user entered would be lost.
  const overwritten =
    source.computed === undefined
      ? find(context, both, `w.${was(column.name)} IS NOT NULL AND ${differs}`)
      : { records: 0, ids: [] };
  return step("compute", after.resource, [column.name], description, found.records, {
    kind: "loss",
    ...overwritten,
    description: `${before.resource}.${source.name} is computed now, and ${records(overwritten.records)} would lose what was given`,
  });
}

/** A column that remains: the SQL of its new and former values, and the records whose value would be lost. */
interface RetainedColumn {
  readonly context: CheckContext;
  readonly after: Table;
  readonly resource: string;
  readonly change: ColumnChange;
  /** The name of the column in descriptions. */
  readonly fieldPath: string;
  readonly view: string;
  readonly value: string;
  readonly former: string;
  readonly lost: Found;
}

function retainedSteps(
  context: CheckContext,
  { after }: Changed,
  change: ColumnChange,
  source: Column,
): readonly Step[] {
  const { column, converts, fill, narrowed, referred, required, retyped } = change;
  const view = `${context.preview.filled(after)} AS t`;
  const [value, former] = [`t.${quoteName(column.name)}`, `t.${was(column.name)}`];
  const lost = find(context, view, `${former} IS NOT NULL AND ${value} IS NULL`);
  const { resource } = after;
  const retained: RetainedColumn = {
    context,
    after,
    resource,
    change,
    fieldPath: `${resource}.${column.name}`,
    view,
    value,
    former,
    lost,
  };
  const steps: Step[] = [];
  if (retyped || converts.length > 0) steps.push(...retypeSteps(retained, source));
  else if (referred) steps.push(referenceStep(retained));
  else if (narrowed && fill === undefined) steps.push(narrowStep(retained));
  if (required) steps.push(requireStep(retained));
  return steps;
}

/** Returns the obstacle for records whose value would be lost. */
function obstacleOf(retained: RetainedColumn, description: string): Obstacle {
  const { change, lost } = retained;
  const kind = change.column.nullable || lossDefault(change) !== undefined ? "loss" : "misfit";
  const effect = kind === "loss" && lost.records > 0 ? { effect: effectOf(retained) } : {};
  return { kind, ...lost, description, ...effect };
}

/** Describes the effect on records whose value is lost; for a removed state also the effects of the new state. */
function effectOf({ after, context, change, former, lost, value, view }: RetainedColumn): string {
  const { default: made, name } = change.column;
  const otherwise = made?.kind === "literal" && !change.column.nullable ? made.text : undefined;
  if (otherwise === undefined) return `${records(lost.records, "have", "has")} no ${name} then`;
  if (name !== "state" || after.lifecycle === undefined)
    return `${records(lost.records, "have", "has")} ${otherwise} then`;
  const stateCounts = context.connection
    .all(
      `SELECT ${former}, count(*) FROM ${view} WHERE ${former} IS NOT NULL AND ${value} IS NULL GROUP BY 1 ORDER BY 1`,
    )
    .map(
      ([state, count]) =>
        `${records(Number(count))} in ${String(state)} ${Number(count) === 1 ? "becomes" : "become"} ${otherwise}`,
    );
  const isTimed = (after.timed ?? []).some(({ states }) => states?.includes(otherwise) ?? true);
  const time = isTimed
    ? `; what time does to ${otherwise} counts from when ${they(lost)} entered the former state, and may be due at once`
    : "";
  return `${stateCounts.join(", ")}, without a transition or an event; quotas count ${them(lost)} as ${otherwise}${time}`;
}

function them({ records: count }: Found): string {
  return count === 1 ? "it" : "them";
}

function they({ records: count }: Found): string {
  return count === 1 ? "it" : "they";
}

function retypeSteps(retained: RetainedColumn, source: Column): readonly Step[] {
  const { context, resource, change, fieldPath, view, value, former, lost } = retained;
  const { column, converts } = change;
  const types = source.type === column.type ? "its type" : `from ${source.type} to ${column.type}`;
  const made = find(context, view, `${former} IS NOT NULL AND ${value} IS NOT NULL`).records;
  const others = records(lost.records, "have", "has");
  const retype = step("retype", resource, [column.name], `${fieldPath} changes ${types}`, made + lost.records, {
    ...obstacleOf(retained, `${fieldPath} changes ${types}, and ${others} a value that does not fit`),
    ...(converts.length > 0
      ? {}
      : { remedy: `say in part 9 what becomes of it: retype ${fieldPath}, was …, taken as … before` }),
  });
  // A conversion to a constant is meant for old requests; for stored data it would overwrite the values of records.
  if (converts.every((made) => made.kind !== "literal")) return [retype];
  const text = (operand: string): string => `CAST(${operand} AS TEXT)`;
  const replaced = find(context, view, `${value} IS NOT NULL AND ${text(former)} <> ${text(value)}`);
  if (replaced.records === 0) return [retype];
  const what = `${fieldPath} becomes the same in all records`;
  const loss: Obstacle = {
    kind: "loss",
    ...replaced,
    description: `${what}, and ${records(replaced.records)} would lose ${replaced.records === 1 ? "its" : "their"} own`,
    remedy: `say what becomes of each value: retype ${fieldPath}, was …, taken as … \`value\` … before`,
  };
  return [retype, step("retype", resource, [column.name], what, replaced.records, loss)];
}

function referenceStep(retained: RetainedColumn): Step {
  const { resource, change, fieldPath, lost } = retained;
  const what = `${fieldPath} now refers to ${change.column.references?.resource ?? ""}`;
  const obstacle = obstacleOf(retained, `${what}, and ${records(lost.records)} to nothing there`);
  return step("refer", resource, [change.column.name], what, lost.records, obstacle);
}

function narrowStep(retained: RetainedColumn): Step {
  const { resource, change, fieldPath, lost } = retained;
  const { name, values } = change.column;
  const what = `${fieldPath} ${values === undefined ? "takes less than before" : `is now ${values.join(" | ")}`}`;
  const obstacle = obstacleOf(retained, `${what}, and ${records(lost.records, "have", "has")} another value`);
  return step("narrow", resource, [name], what, lost.records, obstacle);
}

function requireStep({ context, resource, change, fieldPath, view, value, former }: RetainedColumn): Step {
  const none = find(context, view, `${former} IS NULL AND ${value} IS NULL`);
  const filled = find(context, view, `${former} IS NULL AND ${value} IS NOT NULL`).records;
  const what = filled === 0 ? "" : `, and ${records(filled, "get", "gets")} ${fillText(change.fill)}`;
  return step("require", resource, [change.column.name], `${fieldPath} is now required${what}`, filled, {
    kind: "misfit",
    ...none,
    description: `${fieldPath} is now required, and ${records(none.records, "have", "has")} none`,
    remedy: `leave it optional (\`?\`), give it a default, or say in part 9 what it is: require ${fieldPath}, taken as … before`,
  });
}

function droppedColumn(context: CheckContext, { after, before, columns }: Changed, column: Column): Step {
  const fieldPath = `${before.resource}.${column.name}`;
  const found = find(context, `main.${quoteName(before.name)} AS t`, `t.${quoteName(column.name)} IS NOT NULL`);
  const description = `${fieldPath} is gone from the document`;
  const done = step("drop column", after.resource, [column.name], description, found.records);
  // The fields from which the value was computed still have the information.
  if (column.computed !== undefined || found.records === 0) return done;
  const fresh = columns.filter(({ source, computed }) => source === undefined && !computed);
  const other = fresh.find((one) => one.column.type === column.type) ?? fresh[0];
  const remedy = other && renameRemedy(`rename ${after.resource}.${column.name} -> ${other.column.name}`);
  return {
    ...done,
    obstacle: {
      kind: "loss",
      ...found,
      description: `${description}, and ${records(found.records)} would lose it`,
      effect: `${records(found.records, "stay", "stays")} without it`,
      ...remedy,
    },
  };
}

function uniqueStep(context: CheckContext, { after }: Changed, set: readonly string[]): Step {
  const view = quoteName(after.name);
  // A comparison with null is never true, so nulls do not conflict.
  const keys = (alias: string): string =>
    (isAbsentEqual(after, set) ? absentKeys(set, alias) : set.map((name) => `${alias}${quoteName(name)}`)).join(", ");
  const shared = `SELECT ${keys("")} FROM ${view} GROUP BY ${keys("")} HAVING count(*) > 1`;
  const found = find(context, `${view} AS t`, `(${keys("t.")}) IN (${shared})`);
  const by = `${set.join(" + ")}${isAbsentEqual(after, set) ? " with absent values equal" : ""}`;
  const description = `${after.resource} is unique by ${by}`;
  return step("unique", after.resource, set, description, 0, {
    kind: "misfit",
    ...found,
    description: `${after.resource} is now unique by ${by}, and ${records(found.records)} share theirs with another`,
  });
}

/**
 * Returns the step that checks a tree. A record in a cycle finds itself among its ancestors; UNION visits each ancestor once.
 */
function treeStep(context: CheckContext, { after: { name, resource } }: Changed, column: string): Step {
  const [view, parent] = [quoteName(name), quoteName(column)];
  const above = `WITH RECURSIVE above(id) AS (
    SELECT t.${parent} UNION SELECT o.${parent} FROM ${view} AS o JOIN above ON o."id" = above.id
  ) SELECT 1 FROM above WHERE id = t."id"`;
  const found = find(context, `${view} AS t`, `t.${parent} IS NOT NULL AND EXISTS (${above})`);
  const description = `${resource}.${column} has to make a tree`;
  return step("tree", resource, [column], description, 0, {
    kind: "misfit",
    ...found,
    description: `${description}, and ${records(found.records, "are", "is")} above ${found.records === 1 ? "itself" : "themselves"}`,
  });
}

/** Returns `1 record has` or `2 records have`. */
function records(count: number, plural?: string, singular?: string): string {
  const noun = count === 1 ? "1 record" : `${count} records`;
  const verb = count === 1 ? singular : plural;
  return verb === undefined ? noun : `${noun} ${verb}`;
}
