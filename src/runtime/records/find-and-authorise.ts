/** Finds the record of a write, and checks that the caller may see and change it, and has read its current revision. */
import type { Json } from "../../base/json.ts";
import { subjectOf } from "../context/caller.ts";
import { defined } from "../../base/defined.ts";
import { after } from "../../base/after.ts";
import { getOrMake, onceFor } from "../../base/once.ts";
import type { Value, Variables } from "../../expression/evaluate.ts";
import { fieldEquals, type TypedExpression } from "../../expression/typed.ts";
import { both } from "../../plan/input.ts";
import { valueTypeOfColumn } from "../../plan/resources/columns.ts";
import { partsOf, type PathKey, type PathParent, type PathPart } from "../../plan/endpoints/path-keys.ts";
import type { Column, Table } from "../../plan/resources/types.ts";
import type { GrantPlan } from "../../plan/authentication/types.ts";
import type { Awaitable, Row, Transaction } from "../../store/port/store.ts";
import { entityTag, revisionOf } from "./entity-tag.ts";
import { type Call, tableOf, type ChangeContext, type Values } from "../context/context.ts";
import { decodeKey } from "../routing/target.ts";
import type { Decision } from "../context/compiled.ts";
import { decide } from "../../language/authentication/decide.ts";
import { matchesStrongly, matchesWeakly, parseTags } from "../../http/entity-tags.ts";
import { malformed, ApiError } from "../errors/api-error.ts";
import { recordText } from "../versions/request.ts";

export function columnOf(table: Table, name: string): Column {
  const column = table.columns.find((each) => each.name === name);
  if (column === undefined) throw new Error(`${table.resource} has no column ${name}`);
  return column;
}

/**
 * Returns the last value in the path that names the record; undefined if no record can have the values, null if the operation
 * declares `the`.
 */
export function keyOf(call: Call): Value | undefined {
  const { key, the } = call.compiled.operation;
  if (the !== undefined) return null;
  return key === undefined ? undefined : namesOf(call, call.compiled.table, key)?.[key.column];
}

/** Returns the values in the path that together name a record, by column; undefined if no record can have one of them. */
export function namesOf({ parameters }: Call, table: Table, key: PathKey): Readonly<Record<string, Value>> | undefined {
  return valuesOf(parameters, table, partsOf(key));
}

function valuesOf(
  parameters: Call["parameters"],
  table: Table,
  parts: readonly PathPart[],
): Readonly<Record<string, Value>> | undefined {
  const values: Record<string, Value> = {};
  for (const { column, parameter } of parts) {
    const value = decodeKey(parameters[parameter] ?? "", columnOf(table, column));
    if (value === undefined) return undefined;
    values[column] = value;
  }
  return values;
}

/** Returns the values in the path that the records of its collection have; undefined if no record can have one of them. */
export function valuesInPath({ compiled, context, parameters }: Call): Readonly<Record<string, Value>> | undefined {
  const { operation, table } = compiled;
  if (operation.pathFields === undefined) return {};
  const values = valuesOf(parameters, table, operation.pathFields);
  const isValid = ([name, value]: readonly [string, Value]) =>
    context.columnValidator(columnOf(table, name))(value as Json).length === 0;
  return values !== undefined && Object.entries(values).every(isValid) ? values : undefined;
}

/** Returns the variables of a query for the record in the path: `parent`, and `like` with the values that name the record. */
export function variablesFor(call: Call, parent: Value): Variables {
  const { key } = call.compiled.operation;
  const like = key?.before === undefined ? undefined : namesOf(call, call.compiled.table, key);
  if (like !== undefined) return { ...call.variables, parent, like };
  return parent === null ? call.variables : { ...call.variables, parent };
}

/** Parameters of a path by name. */
export type Names = Readonly<Record<string, string>>;

/** Returns the parameters that name the record; undefined if it has no value for one of them. */
export function namesFor(key: PathKey, row: Row): Names | undefined {
  const values = partsOf(key).map(({ column, parameter }) => [parameter, row[column] ?? null] as const);
  if (values.some(([, value]) => value === null)) return undefined;
  return Object.fromEntries(values.map(([parameter, value]) => [parameter, String(value as string | number)]));
}

/** Returns the conditions of a query by the last column of a key: that its other columns equal `like`. */
export function beforeLast(
  tables: readonly Table[],
  resource: string,
  { before = [] }: PathKey,
): readonly TypedExpression[] {
  return before.length === 0 ? [] : inCollection(tables, resource, before);
}

/** Returns the condition that these columns equal `like`. */
export function inCollection(
  tables: readonly Table[],
  resource: string,
  parts: readonly PathPart[],
): readonly TypedExpression[] {
  const table = defined(
    tables.find((one) => one.resource === resource),
    `the table of ${resource}`,
  );
  return [
    equalityOf(
      table,
      parts.map(({ column }) => column),
    ),
  ];
}

/**
 * Returns the error for a record that is absent or that the caller may not see (R5.8): the document's hidden status, or 404 if
 * the caller may see all records.
 */
export function absent(call: Call): ApiError {
  const hides = call.kind.visible !== "allowed" && call.context.plan.unseen === 403;
  return hides ? new ApiError("forbidden") : new ApiError("not-found");
}

/**
 * Returns the error for an absent or hidden parent in the path. The parent's resource decides the visibility
 * (docs/reference/http.md#hidden-records), and all parents of a path get the same error.
 */
export function absentParent(call: Call): ApiError {
  const subject = subjectOf(call.caller);
  const hides = call.compiled.operation.parents.some(({ visible }) => decide(visible, subject) !== "allowed");
  return hides && call.context.plan.unseen === 403 ? new ApiError("forbidden") : new ApiError("not-found");
}

const likenessesOf = onceFor((_: Table) => new Map<string, TypedExpression>());

/** Returns the condition that these columns equal `like`; cached, because stores prepare an expression once. */
export function equalityOf(table: Table, columns: readonly string[]): TypedExpression {
  const like = (name: string): TypedExpression =>
    fieldEquals(name, ["like", name], valueTypeOfColumn(columnOf(table, name).type));
  return getOrMake(likenessesOf(table), columns.join(), () => columns.map(like).reduce(both));
}

/** The reference by which a record belongs to the last parent before it in the path. */
interface Above {
  readonly field: string;
  readonly id: Value;
}

/** Finds the record that the values name, alone or together with the parent above, and locks it. */
function findNamed(
  tx: Transaction,
  table: Table,
  key: PathKey,
  names: Readonly<Record<string, Value>>,
  above: Above | undefined,
  isShared: boolean,
): Awaitable<Row | undefined> {
  const { resource } = table;
  const isScoped = key.scoped === true && above !== undefined;
  if (!isScoped && key.before === undefined) {
    const value = names[key.column] ?? null;
    return isShared ? tx.lockShared(resource, key.column, value) : tx.get(resource, key.column, value);
  }
  const like = isScoped ? { ...names, [above.field]: above.id } : names;
  const where = equalityOf(table, Object.keys(like));
  return isShared ? tx.firstShared(resource, where, { like }) : tx.first(resource, where, { like });
}

/** Whether a permission decision is true for a record; evaluates its conditions until one is true. */
export function holds(
  { context, variables }: Pick<ChangeContext, "context" | "variables">,
  tx: Transaction,
  decision: Decision,
  row: Row,
): Awaitable<boolean> {
  if (decision === "denied" || decision === "allowed") return decision === "allowed";
  const anyFrom = (index: number): Awaitable<boolean> => {
    const condition = decision.any[index];
    if (condition === undefined) return false;
    const result = context.evaluate(tx, condition, row, variables);
    return after(result, (value) => value === true || anyFrom(index + 1));
  };
  return anyFrom(0);
}

/** Loads the parents in the path: each belongs to the one before and is visible to the caller; else 404. */
export function findParents(call: Call, tx: Transaction): Awaitable<readonly Row[]> {
  return call.compiled.operation.parents.length === 0 ? [] : allParents(call, tx);
}

async function allParents(call: Call, tx: Transaction): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const parent of call.compiled.operation.parents) {
    const table = tableOf(call.context, parent.resource);
    const names = namesOf(call, table, parent);
    const before = call.compiled.operation.parents[rows.length - 1];
    const row =
      names === undefined ? undefined : await findNamed(tx, table, parent, names, aboveOf(before, rows), true);
    const tied = row === undefined || before === undefined || row[before.field] === rows.at(-1)?.["id"];
    if (row === undefined || !tied || !(await isVisible(call, tx, parent.visible, row))) throw absentParent(call);
    rows.push(row);
  }
  return rows;
}

function aboveOf(parent: PathParent | undefined, rows: readonly Row[]): Above | undefined {
  const id = rows.at(-1)?.["id"];
  return parent === undefined || id === undefined ? undefined : { field: parent.field, id };
}

/** Whether the caller may see a referenced record or a parent in the path. */
export function isVisible(call: Call, tx: Transaction, grants: readonly GrantPlan[], row: Row): Awaitable<boolean> {
  if (call.system === true) return true;
  return holds(call, tx, decide(grants, subjectOf(call.caller)), row);
}

/** Returns the record in the path; undefined if the path's parents have no such record. */
export function findRecord(call: Call, tx: Transaction, parents: readonly Row[]): Awaitable<Row | undefined> {
  const { operation, table } = call.compiled;
  if (operation.the !== undefined) return theRecord(call, tx, parents);
  const names = operation.key && namesOf(call, table, operation.key);
  if (operation.key === undefined || names === undefined) return undefined;
  const parent = operation.parents.at(-1);
  return after(findNamed(tx, table, operation.key, names, aboveOf(parent, parents), false), (row) => {
    if (row !== undefined) call.observation.record = row["id"] ?? null;
    return row !== undefined && parent !== undefined && row[parent.field] !== parents.at(-1)?.["id"] ? undefined : row;
  });
}

/** Returns the oldest matching record on which the caller may run the operation, or else that the caller may see. */
async function theRecord(call: Call, tx: Transaction, parents: readonly Row[]): Promise<Row | undefined> {
  const { allowed, visible } = call.kind.the ?? {};
  const { resource } = call.compiled.table;
  const parent = parents.at(-1)?.["id"];
  const variables = parent === undefined ? call.variables : { ...call.variables, parent };
  const first = (condition: TypedExpression | undefined) =>
    condition === undefined ? undefined : tx.first(resource, condition, variables);
  return (await first(allowed)) ?? (await first(visible));
}

/** Rejects a caller who may not see the record as if it were absent, and any other caller without permission with 403. */
export async function checkAllowed(call: Call, tx: Transaction, row: Row): Promise<void> {
  if (await holds(call, tx, call.kind.allowed, row)) return;
  throw (await holds(call, tx, call.kind.visible, row)) ? new ApiError("forbidden") : absent(call);
}

/**
 * Returns the record in the path, for an operation that changes it: the caller may see and change it, and has its current
 * revision.
 */
export async function recordToChange(call: Call, tx: Transaction): Promise<Row> {
  const row = await findRecord(call, tx, await findParents(call, tx));
  if (row === undefined) throw absent(call);
  await checkAllowed(call, tx, row);
  await checkPreconditions(call, tx, row);
  return row;
}

/**
 * Checks If-Match and If-None-Match against the record inside the transaction (R4.16): throws 412 or 428, with the current
 * tag. If-None-Match does not replace a required If-Match.
 */
export function checkPreconditions(call: Call, tx: Transaction, row: Row): Awaitable<void> {
  const match = tagsOf(call, "if-match");
  const noneMatch = tagsOf(call, "if-none-match");
  const needed = match === undefined && call.compiled.operation.edits === "required";
  if (match !== undefined || noneMatch !== undefined || needed)
    return checkTags(call, tx, row, { match, noneMatch, needed });
}

/** The entity tags in a header, or `*`. */
type Tags = "*" | readonly string[];

interface Preconditions {
  readonly match: Tags | undefined;
  readonly noneMatch: Tags | undefined;
  /** Whether the document requires If-Match, and the request has none. */
  readonly needed: boolean;
}

async function checkTags(
  call: Call,
  tx: Transaction,
  row: Row,
  { match, noneMatch, needed }: Preconditions,
): Promise<void> {
  const { derived } = (call.own?.kind ?? call.kind).record;
  const text = derived ? await tx.view(row, call.kind.record.view, call.variables) : "";
  const current = entityTag(call, row["_rev"] as number, recordText(call, text));
  const stale =
    (match !== undefined && !matchesStrongly(match, current) && !readAt(match, row["_rev"] as number)) ||
    (noneMatch !== undefined && matchesWeakly(noneMatch, current));
  if (stale) {
    throw new ApiError("stale", {
      detail: "The record does not match If-Match or If-None-Match",
      headers: ["ETag", current],
    });
  }
  if (needed) {
    throw new ApiError("precondition-needed", {
      detail: "Send If-Match with the ETag of the record",
      headers: ["ETag", current],
    });
  }
}

/** Whether a tag contains this revision, even if other data of its response has changed since. */
function readAt(tags: Tags, revision: number): boolean {
  return tags !== "*" && tags.some((tag) => revisionOf(tag) === revision);
}

export function tagsOf(call: Call, header: "if-match" | "if-none-match"): Tags | undefined {
  const field = call.httpRequest.headers.get(header);
  if (field === undefined) return undefined;
  const tags = parseTags(field);
  if (tags === undefined)
    throw malformed({ header, code: "bad-header", detail: `${header} is not a list of entity tags` });
  return tags;
}

/** Performs `choose`: selects and locks the first matching record in the same transaction (language, section 6). */
export function choose(call: Call, tx: Transaction, values: Values): Awaitable<void> {
  if (call.compiled.operation.choose.length > 0) return chooseAll(call, tx, values);
}

async function chooseAll(call: Call, tx: Transaction, values: Values): Promise<void> {
  for (const choice of call.compiled.operation.choose) {
    const row = await tx.first(choice.resource, choice.if, { ...call.variables, this: values });
    if (row === undefined && choice.else !== undefined) throw new ApiError(choice.else);
    values[choice.field] = row?.["id"] ?? null;
  }
}
